//! Callers as extractors: the signature of a handler defines who may call it. Each extractor validates the credential
//! before any other part of the request, and provides the organization that every access to the store needs.

use axum::extract::{FromRef, FromRequestParts};
use domain::credential::Bearer;
use domain::failure::Unauthenticated;
use domain::id::{AdminKeyId, AppId, OrganizationId};
use domain::key::{Credential, Holder};
use domain::playground::SimulatedChatNumber;
use domain::{ErrorCode, Failure, Mode};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;
use runtime::{Context, logging};

use crate::answer::Rejection;

/// A caller with an admin key, who may access the whole organization.
#[derive(Clone, Debug)]
pub struct Admin {
    pub organization: OrganizationId,
    pub key_id: AdminKeyId,
    pub mode: Mode,
}

/// A caller with an app key, live or test.
#[derive(Clone, Debug)]
pub struct AppCaller {
    pub organization: OrganizationId,
    pub app_id: AppId,
}

/// A caller with the key of a test app, which the playground requires.
#[derive(Clone, Debug)]
pub struct TestApp {
    pub app: AppCaller,
    /// The simulated number that was created with the app.
    pub simulated_chat_number: Option<SimulatedChatNumber>,
}

/// A caller with an admin key or a session, who may read organization-level data.
#[derive(Clone, Debug)]
pub struct OrgMember {
    pub organization: OrganizationId,
    pub mode: Mode,
}

/// A caller whose mode determines which objects are visible.
pub trait Sees {
    fn mode(&self) -> Mode;

    /// Fails with 404 if the caller may not see objects of this mode.
    fn expect_visible(&self, mode: Mode, param: &str, what: &str) -> Result<(), Failure> {
        if self.mode().sees(mode) { Ok(()) } else { Err(Failure::not_found(param, what)) }
    }
}

impl Sees for Admin {
    fn mode(&self) -> Mode {
        self.mode
    }
}

impl Sees for OrgMember {
    fn mode(&self) -> Mode {
        self.mode
    }
}

impl Admin {
    /// Returns the mode of a new object: a live key can choose it, a test key creates test objects only.
    pub fn mode_of_new(&self, test: Option<bool>) -> Result<Mode, Failure> {
        match (self.mode, test) {
            (Mode::Live, Some(true)) => Ok(Mode::Test),
            (Mode::Live, _) => Ok(Mode::Live),
            (Mode::Test, Some(false)) => {
                let message = "A test admin key can only create test objects. Omit test or set it to true.";
                Err(Failure::forbidden(message).with_param("test"))
            }
            (Mode::Test, _) => Ok(Mode::Test),
        }
    }

    /// Fails with 403 for a test key.
    pub fn require_live(&self) -> Result<(), Failure> {
        match self.mode {
            Mode::Live => Ok(()),
            Mode::Test => Err(Failure::forbidden("This operation requires a live admin key.")),
        }
    }
}

/// Returns the credential's value from a header of the form `Bearer <value>` (RFC 6750; the scheme is
/// case-insensitive).
pub(crate) fn bearer_value(headers: &HeaderMap) -> Result<&str, Unauthenticated> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(header), None) = (values.next(), values.next()) else {
        return Err(Unauthenticated::MissingHeader);
    };
    let header = header.as_bytes().trim_ascii();
    match header.split_at_checked("bearer".len()) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case(b"bearer") && rest.starts_with(b" ") => {
            std::str::from_utf8(rest.trim_ascii()).map_err(|_| Unauthenticated::InvalidKey)
        }
        _ => Err(Unauthenticated::MissingHeader),
    }
}

/// Parses the credential in the header without validating it against the table.
pub(crate) fn parse_credential(parts: &Parts) -> Result<Bearer, Rejection> {
    Ok(Bearer::parse(bearer_value(&parts.headers)?).ok_or(Unauthenticated::InvalidKey)?)
}

/// Validates the credential against the table and returns its caller.
pub(crate) async fn authenticate<C: Caller>(context: &Context, bearer: &Bearer) -> Result<C, Rejection> {
    let stored = context.store.credential(bearer).await?;
    let credential = stored.filter(|credential| {
        credential.organization_id == bearer.organization && !credential.is_expired(context.now())
    });
    let credential = credential.ok_or(Unauthenticated::InvalidKey)?;
    logging::known_caller(&credential);
    C::of(credential)
}

/// A kind of caller that operations accept.
pub trait Caller: Sized {
    /// Returns the caller for a validated credential, or the rejection if the credential is of another kind.
    fn of(credential: Credential) -> Result<Self, Rejection>;
}

macro_rules! extracted {
    ($($caller:ty),+) => {
        $(
            impl<S> FromRequestParts<S> for $caller
            where
                S: Send + Sync,
                Context: FromRef<S>,
            {
                type Rejection = Rejection;

                async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Rejection> {
                    authenticate(&Context::from_ref(state), &parse_credential(parts)?).await
                }
            }
        )+
    };
}

extracted!(Admin, AppCaller, TestApp, OrgMember);

impl Caller for Admin {
    fn of(credential: Credential) -> Result<Self, Rejection> {
        match credential.holder {
            Holder::AdminKey { key_id, mode } => Ok(Admin { organization: credential.organization_id, key_id, mode }),
            _ => Err(Unauthenticated::WrongKind.into()),
        }
    }
}

impl Caller for AppCaller {
    fn of(credential: Credential) -> Result<Self, Rejection> {
        match credential.holder {
            Holder::AppKey { app_id, .. } => Ok(AppCaller { organization: credential.organization_id, app_id }),
            _ => Err(Unauthenticated::WrongKind.into()),
        }
    }
}

impl Caller for TestApp {
    fn of(credential: Credential) -> Result<Self, Rejection> {
        let simulated_chat_number = match &credential.holder {
            Holder::AppKey { simulated_chat_number, .. } => simulated_chat_number.clone(),
            _ => None,
        };
        let app = AppCaller::of(credential)?;
        if app.app_id.mode().is_test() {
            return Ok(TestApp { app, simulated_chat_number });
        }
        let message = "The playground requires the key of a test app (sk_test_app_...).";
        Err(Failure::of_code(ErrorCode::TestAppRequired, message).into())
    }
}

impl Caller for OrgMember {
    fn of(credential: Credential) -> Result<Self, Rejection> {
        let organization = credential.organization_id;
        match credential.holder {
            Holder::AdminKey { mode, .. } => Ok(OrgMember { organization, mode }),
            Holder::Session { .. } => Ok(OrgMember { organization, mode: Mode::Live }),
            Holder::AppKey { .. } => Err(Unauthenticated::WrongKind.into()),
        }
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
            assert_eq!(value(header.as_bytes()), Err(Unauthenticated::MissingHeader), "{header}");
        }
        assert_eq!(value(b"Bearer \xff\xfe"), Err(Unauthenticated::InvalidKey));
        assert_eq!(bearer_value(&HeaderMap::new()), Err(Unauthenticated::MissingHeader));
    }
}
