//! Reads the credential of a request and validates it against the table.

use domain::Failure;
use domain::audit::Actor;
use domain::identity::credential::Bearer;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::{Credential, Holder};
use domain::identity::rate::RateLimit;
use domain::identity::unauthenticated::Unauthenticated;
use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE};
use http::request::Parts;
use runtime::{Context, logging};
use tokio::join;

use super::{Caller, Findings, Origin, denials, rates};
use crate::answer::Rejection;
use crate::on_demand::OnDemand;

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
    origin: Origin,
    findings: Findings,
}

impl Presented {
    /// Parses the credential in the header, or in the cookie of callers that have one, without validating it against the table.
    pub(crate) fn parse<C: Caller>(parts: &mut Parts) -> Result<Self, Rejection> {
        let value = match C::COOKIE.filter(|_| !parts.headers.contains_key(AUTHORIZATION)) {
            Some(name) => cookie_value(&parts.headers, name).ok_or(Unauthenticated::MissingHeader)?,
            None => bearer_value(&parts.headers)?,
        };
        let bearer = Bearer::parse(value).ok_or(Unauthenticated::InvalidKey)?;
        let on_demand = OnDemand::of(&parts.headers);
        Ok(Presented { bearer, on_demand, origin: Origin::of(parts), findings: Findings::of(parts) })
    }

    /// Fails if the credential may not be used from here.
    fn expect_from(&self, credential: &Credential) -> Result<(), Failure> {
        credential.grant.expect_from(self.origin.address)
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
        match self.origin.performed.scope {
            Some(scope) => credential.grant.expect(scope),
            // The operations of a session itself need no scope.
            None if credential.grant.scopes.is_none() || credential.holder.kind() == CredentialKind::Session => Ok(()),
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
    let is_link = matches!(bearer.kind, CredentialKind::OnboardingLink | CredentialKind::SignInLink);
    if is_link && !C::TAKES.contains(&bearer.kind) {
        return Err(Unauthenticated::WrongKind { takes: C::TAKES, given: bearer.kind }.into());
    }

    let limited = context.organization_limits.of(&context.store, &bearer.organization, context.now());
    let (stored, of_organization) = join!(context.store.credential(bearer), limited);
    let stored = stored?;
    let credential = stored.filter(|credential| {
        credential.organization_id == bearer.organization && !credential.is_expired(context.now())
    });
    let hash = bearer.secret.sha256();
    let Some(credential) = with_app(context, credential).await? else {
        context.proven.forget(&hash);
        return Err(Unauthenticated::InvalidKey.into());
    };
    context.proven.remember(hash);
    logging::known_caller(&credential);
    presented.findings.identified(&credential);

    let (given, mode) = (credential.holder.kind(), credential.holder.mode());
    let trail = presented.origin.trail(Actor::with(&credential.holder));
    let caller = C::of(&credential, &trail)?.ok_or(Unauthenticated::WrongKind { takes: C::TAKES, given })?;
    denials::entered(context, &credential, &trail, presented.expect_from(&credential)).await?;
    presented.admit(context, &credential, of_organization).await?;
    denials::entered(context, &credential, &trail, presented.expect_scope(&credential)).await?;
    presented.on_demand.check(mode)?;
    presented.findings.record_use(context, &credential);
    Ok(caller)
}

/// Returns a credential with the present limit of its app, if it is the app key of a session: the app does not know these keys, so
/// that neither its deletion nor another limit changes their credentials. `None` if the app was deleted.
async fn with_app(context: &Context, credential: Option<Credential>) -> Result<Option<Credential>, Failure> {
    let Some(credential) = credential else { return Ok(None) };
    let Holder::AppKey { app_id, member: Some(_), .. } = &credential.holder else { return Ok(Some(credential)) };
    let app = context.store.of(&credential.organization_id).app(app_id).await?;
    Ok(app.map(|app| Credential { app_rate_limit: app.rate_limit, ..credential }))
}

/// Returns the value of a cookie.
fn cookie_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let sent = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = sent.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
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
