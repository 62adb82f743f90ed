//! The kinds of credentials that each kind of caller accepts.

use domain::audit::Trail;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::{Credential, Holder};
use domain::{ErrorCode, Failure, Mode};

use super::{Admin, AppCaller, Caller, LinkHolder, OrgMember, SESSION_COOKIE, SignInHolder, SignedIn, TestApp, Tester};
use crate::may_see::MaySee;

impl Caller for Admin {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::AdminKey];

    fn of(credential: &Credential, trail: &Trail) -> Result<Option<Self>, Failure> {
        let (may_see, organization) = (MaySee::of(credential), credential.organization_id.clone());
        Ok(match &credential.holder {
            Holder::AdminKey { key_id, mode, member } => {
                let (key_id, grant) = (key_id.clone(), credential.grant.clone());
                let (trail, member) = (trail.clone(), member.clone());
                let ancestor = credential.ancestor.clone();
                Some(Admin { organization, key_id, mode: *mode, may_see, grant, trail, member, ancestor })
            }
            _ => None,
        })
    }
}

impl Caller for AppCaller {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::AppKey(Mode::Live), CredentialKind::AppKey(Mode::Test)];

    fn of(credential: &Credential, trail: &Trail) -> Result<Option<Self>, Failure> {
        let (may_see, organization) = (MaySee::of(credential), credential.organization_id.clone());
        Ok(match &credential.holder {
            Holder::AppKey { app_id, .. } => {
                Some(AppCaller { organization, app_id: app_id.clone(), may_see, trail: trail.clone() })
            }
            _ => None,
        })
    }
}

impl Caller for TestApp {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::AppKey(Mode::Test)];

    fn of(credential: &Credential, trail: &Trail) -> Result<Option<Self>, Failure> {
        let (may_see, organization) = (MaySee::of(credential), credential.organization_id.clone());
        let Holder::AppKey { app_id, simulated_chat_number, .. } = &credential.holder else { return Ok(None) };
        if app_id.mode().is_test() {
            let app = AppCaller { organization, app_id: app_id.clone(), may_see, trail: trail.clone() };
            return Ok(Some(TestApp { app, simulated_chat_number: simulated_chat_number.clone() }));
        }
        let message = "The playground takes the key of a test app (sk_test_app_...), but this is a live app key \
                       (sk_live_app_...). Create a test app with POST /v1/organization/apps and test: true.";
        Err(Failure::of_code(ErrorCode::TestAppRequired, message))
    }
}

impl Caller for Tester {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::AppKey(Mode::Test), CredentialKind::AdminKey];

    fn of(credential: &Credential, trail: &Trail) -> Result<Option<Self>, Failure> {
        match &credential.holder {
            Holder::AdminKey { mode: Mode::Test, .. } => Ok(Some(Tester::Admin(credential.organization_id.clone()))),
            Holder::AdminKey { mode: Mode::Live, .. } => Err(Failure::forbidden(
                "This operation takes the key of a test app or a test admin key, but this is a live admin key. Create \
                 a test admin key with POST /v1/organization/admin-keys and test: true.",
            )),
            _ => Ok(TestApp::of(credential, trail)?.map(|test| Tester::App(Box::new(test)))),
        }
    }
}

impl Caller for OrgMember {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::AdminKey, CredentialKind::Session];

    fn of(credential: &Credential, trail: &Trail) -> Result<Option<Self>, Failure> {
        let (may_see, organization) = (MaySee::of(credential), credential.organization_id.clone());
        Ok(match &credential.holder {
            Holder::AdminKey { .. } | Holder::Session { .. } | Holder::MemberSession { .. } => {
                let mode = credential.holder.mode();
                Some(OrgMember { organization, mode, may_see, trail: trail.clone() })
            }
            Holder::AppKey { .. } | Holder::OnboardingLink { .. } | Holder::SignInLink { .. } => None,
        })
    }
}

impl Caller for LinkHolder {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::OnboardingLink];

    fn of(credential: &Credential, trail: &Trail) -> Result<Option<Self>, Failure> {
        let organization = credential.organization_id.clone();
        Ok(match &credential.holder {
            Holder::OnboardingLink { link_id } => {
                Some(LinkHolder { organization, link_id: link_id.clone(), trail: trail.clone() })
            }
            _ => None,
        })
    }
}

impl Caller for SignedIn {
    const COOKIE: Option<&'static str> = Some(SESSION_COOKIE);
    const TAKES: &'static [CredentialKind] = &[CredentialKind::Session];

    fn of(credential: &Credential, trail: &Trail) -> Result<Option<Self>, Failure> {
        let organization = credential.organization_id.clone();
        match &credential.holder {
            Holder::MemberSession { session_id, member, person } => {
                let (session_id, member, trail) = (session_id.clone(), member.clone(), trail.clone());
                Ok(Some(SignedIn { organization, session_id, member, person: person.clone(), trail }))
            }
            Holder::Session { .. } => Err(Failure::forbidden(
                "This session belongs to no member: the operator has created it. Sign in with a link of a member.",
            )),
            _ => Ok(None),
        }
    }
}

impl Caller for SignInHolder {
    const TAKES: &'static [CredentialKind] = &[CredentialKind::SignInLink];

    fn of(credential: &Credential, _trail: &Trail) -> Result<Option<Self>, Failure> {
        let organization = credential.organization_id.clone();
        Ok(match &credential.holder {
            Holder::SignInLink { member_id, standing, .. } => {
                Some(SignInHolder { organization, member_id: member_id.clone(), standing: *standing })
            }
            _ => None,
        })
    }
}
