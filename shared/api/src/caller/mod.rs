//! Callers as extractors: the signature of a handler defines who may call it. Each extractor validates the credential
//! before any other part of the request, and provides the organization that every access to the store needs.

mod authentication;
mod credentials;
mod denials;
mod findings;
mod origin;
mod rates;
mod sees;

use axum::extract::{FromRef, FromRequestParts};
use domain::audit::Trail;
use domain::id::{AdminKeyId, AppId, MemberId, OnboardingLinkId, OrganizationId, SessionId};
use domain::identity::credential_kind::CredentialKind;
use domain::identity::grant::Grant;
use domain::identity::holder::{Credential, OnBehalf};
use domain::identity::person::Person;
use domain::testing::playground::SimulatedChatNumber;
use domain::{Failure, Mode};
use http::request::Parts;
use runtime::Context;

use crate::answer::Rejection;
use crate::may_see::MaySee;

pub(crate) use authentication::{Presented, authenticate, bearer_value};
pub(crate) use findings::Findings;
pub use origin::Origin;
pub use sees::Sees;

/// A caller with an admin key, who may access the whole organization.
#[derive(Clone, Debug)]
pub struct Admin {
    pub organization: OrganizationId,
    pub key_id: AdminKeyId,
    pub mode: Mode,
    pub may_see: MaySee,
    /// The limits of the key, which keys that it creates must not exceed.
    pub grant: Grant,
    pub trail: Trail,
    /// The member whose session has the key.
    pub member: Option<OnBehalf>,
    /// The member from whom the key descends, as the keys do that it creates.
    pub ancestor: Option<MemberId>,
}

/// A caller with an app key, live or test.
#[derive(Clone, Debug)]
pub struct AppCaller {
    pub organization: OrganizationId,
    pub app_id: AppId,
    pub may_see: MaySee,
    pub trail: Trail,
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
    App(Box<TestApp>),
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
    pub trail: Trail,
}

/// A person with an onboarding link, or the link's page on behalf of that person.
#[derive(Clone, Debug)]
pub struct LinkHolder {
    pub organization: OrganizationId,
    pub link_id: OnboardingLinkId,
    pub trail: Trail,
}

/// The cookie of a session. The prefix makes browsers accept it from this host over https only.
pub const SESSION_COOKIE: &str = "__Host-session";

/// A member who is signed in: with the cookie of this installation's pages, or with the token of a session.
#[derive(Clone, Debug)]
pub struct SignedIn {
    pub organization: OrganizationId,
    pub session_id: SessionId,
    pub member: OnBehalf,
    /// Who the member is to the identity provider, if the session began with it.
    pub person: Option<Person>,
    pub trail: Trail,
}

/// A person with a sign-in link, or the link's page on behalf of that person.
#[derive(Clone, Debug)]
pub struct SignInHolder {
    pub organization: OrganizationId,
    pub member_id: MemberId,
    /// The member's standing when the link was issued.
    pub standing: u32,
}

/// A kind of caller that operations accept.
pub trait Caller: Sized {
    /// The cookie that can have the credential, if the request has no `Authorization`.
    const COOKIE: Option<&'static str> = None;

    /// The kinds of credentials that such a caller can have; the error for any other kind names them.
    const TAKES: &'static [CredentialKind];

    /// Returns the caller for a validated credential; `None` if the credential is of another kind.
    fn of(credential: &Credential, trail: &Trail) -> Result<Option<Self>, Failure>;
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
                    authenticate(&Context::from_ref(state), &Presented::parse::<Self>(parts)?).await
                }
            }
        )+
    };
}

extracted!(Admin, AppCaller, TestApp, Tester, OrgMember, LinkHolder, SignedIn, SignInHolder);
