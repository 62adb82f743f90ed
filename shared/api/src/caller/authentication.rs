//! Reads the credential of a request and validates it against the table.

use std::net::IpAddr;

use domain::Failure;
use domain::audit::{Actor, Trail};
use domain::identity::credential::Bearer;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::key::Credential;
use domain::identity::rate::RateLimit;
use domain::identity::unauthenticated::Unauthenticated;
use http::header::{AUTHORIZATION, USER_AGENT};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use lambda_http::request::RequestContext;
use runtime::{Context, logging};
use tokio::join;

use super::{Caller, Findings, denials, rates};
use crate::answer::Rejection;
use crate::on_demand::OnDemand;
use crate::routes::Performed;

/// Returns the credential's value from a header of the form `Bearer <value>` (RFC 6750; the scheme is
/// case-insensitive).
pub(crate) fn bearer_value(headers: &HeaderMap) -> Result<&str, Unauthenticated> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(header), None) = (values.next(), values.next()) else {
        let is_absent = !headers.contains_key(AUTHORIZATION);
        return Err(if is_absent { Unauthenticated::MissingHeader } else { Unauthenticated::WrongScheme });
    };
    let header = header.as_bytes().trim_ascii();
    match header.split_at_checked("bearer".len()) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case(b"bearer") && rest.starts_with(b" ") => {
            std::str::from_utf8(rest.trim_ascii()).map_err(|_| Unauthenticated::InvalidKey)
        }
        _ => Err(Unauthenticated::WrongScheme),
    }
}

/// The parts of a request that are handled first: its credential, and the error that it asks for.
pub(crate) struct Presented {
    pub(crate) bearer: Bearer,
    on_demand: OnDemand,
    performed: Performed,
    /// The address that the gateway has seen.
    address: Option<IpAddr>,
    user_agent: Option<HeaderValue>,
    findings: Findings,
}

impl Presented {
    /// Parses the credential in the header without validating it against the table.
    pub(crate) fn parse(parts: &mut Parts) -> Result<Self, Rejection> {
        let bearer = Bearer::parse(bearer_value(&parts.headers)?).ok_or(Unauthenticated::InvalidKey)?;
        let performed = parts.extensions.get().copied().unwrap_or_default();
        Ok(Presented {
            bearer,
            on_demand: OnDemand::of(&parts.headers),
            performed,
            address: source_address(parts),
            user_agent: parts.headers.get(USER_AGENT).cloned(),
            findings: Findings::of(parts),
        })
    }

    /// Returns who makes the request, for the audit log.
    fn trail(&self, credential: &Credential) -> Trail {
        Trail {
            actor: Actor::with(&credential.holder),
            action: self.performed.action,
            source_ip: self.address,
            user_agent: self.user_agent.as_ref().map(|agent| String::from_utf8_lossy(agent.as_bytes()).into_owned()),
        }
    }

    /// Fails if the credential may not be used from here.
    fn expect_from(&self, credential: &Credential) -> Result<(), Failure> {
        credential.grant.expect_from(self.address)
    }

    /// Fails if the credential, its app or its organization has made too many requests.
    async fn admit(
        &self,
        context: &Context,
        credential: &Credential,
        of_organization: Option<RateLimit>,
    ) -> Result<(), Failure> {
        let limits = [credential.rate_limit, credential.app_rate_limit, of_organization];
        if limits.iter().all(Option::is_none) {
            return Ok(());
        }
        let (standings, admitted) = rates::admit(context, credential, of_organization).await;
        self.findings.admitted(standings);
        admitted
    }

    /// Fails if the credential may not be used for this.
    fn expect_scope(&self, credential: &Credential) -> Result<(), Failure> {
        match self.performed.scope {
            Some(scope) => credential.grant.expect(scope),
            None if credential.grant.scopes.is_none() => Ok(()),
            None => Err(Failure::forbidden("This operation takes no key with scopes. Use a key without scopes.")),
        }
    }

    pub(crate) fn asks_for_error(&self) -> bool {
        self.on_demand != OnDemand::Nothing
    }
}

/// Validates the credential against the table and returns its caller, or the error that a test caller asks for.
pub(crate) async fn authenticate<C: Caller>(context: &Context, presented: &Presented) -> Result<C, Rejection> {
    let bearer = &presented.bearer;
    // Only the function that accepts tokens of links has permission to read their items.
    if bearer.kind == CredentialKind::OnboardingLink && !C::TAKES.contains(&bearer.kind) {
        return Err(Unauthenticated::WrongKind { takes: C::TAKES, given: bearer.kind }.into());
    }

    let limited = context.organization_limits.of(&context.store, &bearer.organization, context.now());
    let (stored, of_organization) = join!(context.store.credential(bearer), limited);
    let stored = stored?;
    let credential = stored.filter(|credential| {
        credential.organization_id == bearer.organization && !credential.is_expired(context.now())
    });
    let hash = bearer.secret.sha256();
    let Some(credential) = credential else {
        context.proven.forget(&hash);
        return Err(Unauthenticated::InvalidKey.into());
    };
    context.proven.remember(hash);
    logging::known_caller(&credential);
    presented.findings.identified(&credential);

    let (given, mode) = (credential.holder.kind(), credential.holder.mode());
    let trail = presented.trail(&credential);
    let caller = C::of(&credential, &trail)?.ok_or(Unauthenticated::WrongKind { takes: C::TAKES, given })?;
    denials::entered(context, &credential, &trail, presented.expect_from(&credential)).await?;
    presented.admit(context, &credential, of_organization).await?;
    denials::entered(context, &credential, &trail, presented.expect_scope(&credential)).await?;
    presented.on_demand.check(mode)?;
    presented.findings.record_use(context, &credential);
    Ok(caller)
}

/// Returns the address from which the gateway received the request.
fn source_address(parts: &Parts) -> Option<IpAddr> {
    match parts.extensions.get() {
        Some(RequestContext::ApiGatewayV2(gateway)) => gateway.http.source_ip.as_ref()?.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn value(header: &[u8]) -> Result<String, Unauthenticated> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_bytes(header).expect("a header value"));
        bearer_value(&headers).map(str::to_owned)
    }

    #[test]
    fn the_scheme_is_bearer_in_any_letter_case() {
        for header in ["Bearer abc", "bearer abc", "BEARER   abc  "] {
            assert_eq!(value(header.as_bytes()), Ok("abc".to_owned()), "{header}");
        }
        for header in ["", "abc", "Bearer", "Bearer ", "Basic abc", "Bearerabc"] {
            assert_eq!(value(header.as_bytes()), Err(Unauthenticated::WrongScheme), "{header}");
        }
        assert_eq!(value(b"Bearer \xff\xfe"), Err(Unauthenticated::InvalidKey));
        assert_eq!(bearer_value(&HeaderMap::new()), Err(Unauthenticated::MissingHeader));
    }
}
