//! A valid request, and who may send it.

use domain::Mode;
use domain::identity::credential::Bearer;
use domain::identity::credential_kind::CredentialKind;
use http::Method;
use ring::rand::SystemRandom;
use serde_json::Value;

use crate::request::Call;
use crate::world::Organization;

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    Admin,
    /// An admin key or a session token.
    Member,
    App,
    /// An app key; here the test app's, because the operation uses test objects.
    AppInTestMode,
    TestApp,
    /// The key of a test app, or a test admin key.
    Tester,
    /// The token of an onboarding link, which the case has.
    Link,
    /// The token of a sign-in link, which the case has.
    SignInLink,
    /// The token of a member's session, which the case has.
    SignedIn,
}

#[derive(Clone, Debug)]
pub struct Case {
    /// The path with parameter names, as in the OpenAPI document.
    pub template: &'static str,
    pub policy: Policy,
    pub call: Call,
    pub status: u16,
    /// Whether the path, query or body names an object, so that another organization gets 404.
    pub names_object: bool,
    /// Whether the named object is live, so that test keys must not see it.
    pub is_live: bool,
    /// The token of a link or a session.
    pub token: Option<String>,
}

/// Building a case.
impl Case {
    pub(super) fn get(policy: Policy, template: &'static str, parameters: &[&str]) -> Case {
        Self::new(policy, Method::GET, template, parameters)
    }

    pub(super) fn post(policy: Policy, template: &'static str, parameters: &[&str]) -> Case {
        Self::new(policy, Method::POST, template, parameters)
    }

    pub(super) fn put(policy: Policy, template: &'static str, parameters: &[&str]) -> Case {
        Self::new(policy, Method::PUT, template, parameters)
    }

    pub(super) fn patch(policy: Policy, template: &'static str, parameters: &[&str]) -> Case {
        Self::new(policy, Method::PATCH, template, parameters)
    }

    pub(super) fn delete(policy: Policy, template: &'static str, parameters: &[&str]) -> Case {
        Self::new(policy, Method::DELETE, template, parameters)
    }

    /// A request that gets 200. `parameters` are the values of the template's parameters, in order, which name live objects.
    fn new(policy: Policy, method: Method, template: &'static str, parameters: &[&str]) -> Case {
        Case {
            template,
            policy,
            call: Call::new(method, path(template, parameters)),
            status: 200,
            names_object: !parameters.is_empty(),
            is_live: !parameters.is_empty(),
            token: None,
        }
    }

    pub(super) fn with(mut self, change: impl FnOnce(Call) -> Call) -> Case {
        self.call = change(self.call);
        self
    }

    pub(super) fn json(self, body: &Value) -> Case {
        self.with(|call| call.json(body))
    }

    pub(super) fn query(mut self, query: &str) -> Case {
        self.call.path = format!("{}?{query}", self.call.path);
        self
    }

    pub(super) fn created(self) -> Case {
        Case { status: 201, ..self }
    }

    pub(super) fn accepted(self) -> Case {
        Case { status: 202, ..self }
    }

    /// The query or the body names an object.
    pub(super) fn naming_an_object(self) -> Case {
        Case { names_object: true, is_live: true, ..self }
    }

    /// The named object is one of test mode.
    pub(super) fn in_test_mode(self) -> Case {
        Case { is_live: false, ..self }
    }

    pub(super) fn token(self, token: &str) -> Case {
        Case { token: Some(token.to_owned()), ..self }
    }
}

/// Fills in the parameters of a template.
fn path(template: &str, parameters: &[&str]) -> String {
    let mut left = parameters.iter();
    let segments: Vec<&str> = template
        .split('/')
        .map(|segment| if segment.starts_with('{') { *left.next().unwrap() } else { segment })
        .collect();
    assert_eq!(left.len(), 0, "{template} has fewer parameters");
    segments.join("/")
}

impl Case {
    pub fn method(&self) -> &Method {
        &self.call.method
    }

    /// The organization's credential for the operation.
    pub fn right_key<'a>(&'a self, org: &'a Organization) -> &'a str {
        match self.policy {
            Policy::Admin | Policy::Member => &org.admin,
            Policy::App => &org.app_key,
            Policy::AppInTestMode | Policy::TestApp | Policy::Tester => &org.test_app_key,
            Policy::Link | Policy::SignInLink | Policy::SignedIn => self.token.as_deref().unwrap_or_default(),
        }
    }

    /// The status of the response if the caller may not see the objects that the case names.
    pub fn hidden_status(&self) -> u16 {
        if self.sends_a_message() { 403 } else { 404 }
    }

    /// The status of the response to a test key, if the objects that the case names are live. Members are for live keys only.
    pub fn status_for_test_keys(&self) -> u16 {
        if self.template.starts_with(super::MEMBERS) { 403 } else { 404 }
    }

    /// Whether a repetition gets the first response. The key of a session is a new one each time.
    pub fn is_repeatable(&self) -> bool {
        self.method() == Method::POST && self.template != super::SESSION_KEY
    }

    /// The status of the response to a repeated request.
    pub fn repeated_status(&self) -> u16 {
        if self.sends_a_message() { 200 } else { self.status }
    }

    fn sends_a_message(&self) -> bool {
        ["/v1/chat/messages", "/v1/sms"].contains(&self.template) && self.call.method == Method::POST
    }

    /// A key of the right kind and with a valid checksum, which was never created.
    pub fn forged_key(&self, organization: &str) -> String {
        let kind = match self.policy {
            Policy::Admin | Policy::Member => CredentialKind::AdminKey,
            Policy::App => CredentialKind::AppKey(Mode::Live),
            Policy::AppInTestMode | Policy::TestApp | Policy::Tester => CredentialKind::AppKey(Mode::Test),
            Policy::Link => CredentialKind::OnboardingLink,
            Policy::SignInLink => CredentialKind::SignInLink,
            Policy::SignedIn => CredentialKind::Session,
        };
        let organization = organization.parse().unwrap();
        Bearer::mint(kind, &organization, &SystemRandom::new()).secret.expose().to_owned()
    }

    /// Valid credentials of kinds that the operation does not accept.
    pub fn wrong_kinds<'a>(&self, org: &'a Organization) -> Vec<&'a str> {
        match self.policy {
            Policy::Admin => vec![&org.app_key, &org.test_app_key, &org.session],
            Policy::Member => vec![&org.app_key, &org.test_app_key],
            Policy::App | Policy::AppInTestMode | Policy::TestApp => vec![&org.admin, &org.test_admin, &org.session],
            Policy::Tester => vec![&org.session],
            Policy::Link | Policy::SignInLink => vec![&org.admin, &org.app_key, &org.session],
            Policy::SignedIn => vec![&org.admin, &org.app_key],
        }
    }
}
