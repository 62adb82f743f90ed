//! Callers as extractors: the signature of a handler defines who may call it. Each extractor validates the credential
//! before any other part of the request, and provides the organization that every access to the store needs.

use axum::extract::{FromRef, FromRequestParts};
use domain::credential::Bearer;
use domain::credential_kind::CredentialKind;
use domain::id::{AdminKeyId, AppId, OnboardingLinkId, OrganizationId};
use domain::key::{Credential, Holder};
use domain::playground::SimulatedChatNumber;
use domain::unauthenticated::Unauthenticated;
use domain::{ErrorCode, Failure, Mode};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;
use runtime::{Context, logging};

use crate::answer::Rejection;
use crate::may_see::MaySee;
use crate::on_demand::OnDemand;

/// A caller with an admin key, who may access the whole organization.
#[derive(Clone, Debug)]
pub struct Admin {
    pub organization: OrganizationId,
    pub key_id: AdminKeyId,
    pub mode: Mode,
    pub may_see: MaySee,
}

/// A caller with an app key, live or test.
#[derive(Clone, Debug)]
pub struct AppCaller {
    pub organization: OrganizationId,
    pub app_id: AppId,
    pub may_see: MaySee,
}

/// A caller with the key of a test app, which the playground requires.
#[derive(Clone, Debug)]
pub struct TestApp {
    pub app: AppCaller,
    /// The simulated number that was created with the app.
    pub simulated_chat_number: Option<SimulatedChatNumber>,
}

/// A caller that may run simulations: the key of a test app, or a test admin key.
#[derive(Clone, Debug)]
pub enum Tester {
    App(TestApp),
    Admin(OrganizationId),
}

impl Tester {
    pub fn organization(&self) -> &OrganizationId {
        match self {
            Tester::App(test) => &test.app.organization,
            Tester::Admin(organization) => organization,
        }
    }

    /// Returns the app of an app key.
    pub fn app(&self) -> Option<&AppId> {
        match self {
            Tester::App(test) => Some(&test.app.app_id),
            Tester::Admin(_) => None,
        }
    }
}

/// A caller with an admin key or a session, who may read organization-level data.
#[derive(Clone, Debug)]
pub struct OrgMember {
    pub organization: OrganizationId,
    pub mode: Mode,
    pub may_see: MaySee,
}

/// A person with an onboarding link, or the link's page on behalf of that person.
#[derive(Clone, Debug)]
pub struct LinkHolder {
    pub organization: OrganizationId,
    pub link_id: OnboardingLinkId,
}

/// A caller whose mode determines which objects are visible.
pub trait Sees {
    fn organization(&self) -> &OrganizationId;

    fn mode(&self) -> Mode;

    fn may_see(&self) -> MaySee;

    /// Fails with 404 if the caller may not see objects of this mode.
    fn expect_visible(&self, mode: Mode, param: &str, what: &str) -> Result<(), Failure> {
        if self.mode().sees(mode) { Ok(()) } else { Err(Failure::not_found(param, what)) }
    }
}

impl Sees for Admin {
    fn organization(&self) -> &OrganizationId {
        &self.organization
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn may_see(&self) -> MaySee {
        self.may_see
    }
}

impl Sees for OrgMember {
    fn organization(&self) -> &OrganizationId {
        &self.organization
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn may_see(&self) -> MaySee {
        self.may_see
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
            Mode::Test => Err(Failure::forbidden(
                "This operation takes a live admin key, but this is a test admin key. Use a live one.",
            )),
        }
    }
}

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
    // Only the function that takes tokens of links may read where they are stored.
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

/// A kind of caller that operations accept.
pub trait Caller: Sized {
    /// The kinds of credentials that such a caller can have; the error for any other kind names them.
    const TAKES: &'static [CredentialKind];

    /// Returns the caller for a validated credential; `None` if the credential is of another kind.
    fn of(credential: Credential) -> Result<Option<Self>, Failure>;
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
                    authenticate(&Context::from_ref(state), &Presented::parse(parts)?).await
                }
            }
        )+
    };
}

extracted!(Admin, AppCaller, TestApp, Tester, OrgMember, LinkHolder);

impl Caller for Admin {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::AdminKey];

    fn of(credential: Credential) -> Result<Option<Self>, Failure> {
        let (organization, may_see) = (credential.organization_id, MaySee::of(&credential.holder));
        Ok(match credential.holder {
            Holder::AdminKey { key_id, mode } => Some(Admin { organization, key_id, mode, may_see }),
            _ => None,
        })
    }
}

impl Caller for AppCaller {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::AppKey(Mode::Live), CredentialKind::AppKey(Mode::Test)];

    fn of(credential: Credential) -> Result<Option<Self>, Failure> {
        let (organization, may_see) = (credential.organization_id, MaySee::of(&credential.holder));
        Ok(match credential.holder {
            Holder::AppKey { app_id, .. } => Some(AppCaller { organization, app_id, may_see }),
            _ => None,
        })
    }
}

impl Caller for TestApp {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::AppKey(Mode::Test)];

    fn of(credential: Credential) -> Result<Option<Self>, Failure> {
        let (organization, may_see) = (credential.organization_id, MaySee::of(&credential.holder));
        let Holder::AppKey { app_id, simulated_chat_number, .. } = credential.holder else { return Ok(None) };
        if app_id.mode().is_test() {
            return Ok(Some(TestApp { app: AppCaller { organization, app_id, may_see }, simulated_chat_number }));
        }
        let message = "The playground takes the key of a test app (sk_test_app_...), but this is a live app key \
                       (sk_live_app_...). Create a test app with POST /v1/organization/apps and test: true.";
        Err(Failure::of_code(ErrorCode::TestAppRequired, message))
    }
}

impl Caller for Tester {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::AppKey(Mode::Test), CredentialKind::AdminKey];

    fn of(credential: Credential) -> Result<Option<Self>, Failure> {
        match credential.holder {
            Holder::AdminKey { mode: Mode::Test, .. } => Ok(Some(Tester::Admin(credential.organization_id))),
            Holder::AdminKey { mode: Mode::Live, .. } => Err(Failure::forbidden(
                "This operation takes the key of a test app or a test admin key, but this is a live admin key. Create \
                 a test admin key with POST /v1/organization/admin-keys and test: true.",
            )),
            _ => Ok(TestApp::of(credential)?.map(Tester::App)),
        }
    }
}

impl Caller for OrgMember {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::AdminKey, CredentialKind::Session];

    fn of(credential: Credential) -> Result<Option<Self>, Failure> {
        let (organization, may_see) = (credential.organization_id, MaySee::of(&credential.holder));
        Ok(match credential.holder {
            Holder::AdminKey { mode, .. } => Some(OrgMember { organization, mode, may_see }),
            Holder::Session { .. } => Some(OrgMember { organization, mode: Mode::Live, may_see }),
            Holder::AppKey { .. } | Holder::OnboardingLink { .. } => None,
        })
    }
}

impl Caller for LinkHolder {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::OnboardingLink];

    fn of(credential: Credential) -> Result<Option<Self>, Failure> {
        let organization = credential.organization_id;
        Ok(match credential.holder {
            Holder::OnboardingLink { link_id } => Some(LinkHolder { organization, link_id }),
            _ => None,
        })
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
