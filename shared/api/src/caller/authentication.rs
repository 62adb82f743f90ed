//! Reads the credential of a request and validates it against the table.

use domain::identity::credential::Bearer;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::unauthenticated::Unauthenticated;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;
use runtime::{Context, logging};

use super::Caller;
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
}

impl Presented {
    /// Parses the credential in the header without validating it against the table.
    pub(crate) fn parse(parts: &Parts) -> Result<Self, Rejection> {
        let bearer = Bearer::parse(bearer_value(&parts.headers)?).ok_or(Unauthenticated::InvalidKey)?;
        Ok(Presented { bearer, on_demand: OnDemand::of(&parts.headers) })
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

    let stored = context.store.credential(bearer).await?;
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

    let (given, mode) = (credential.holder.kind(), credential.holder.mode());
    let caller = C::of(credential)?.ok_or(Unauthenticated::WrongKind { takes: C::TAKES, given })?;
    presented.on_demand.check(mode)?;
    Ok(caller)
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
