//! The kinds of credentials, with their prefixes and names.

use std::fmt;

use crate::Mode;

/// The kind of a credential. Each kind has its own prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialKind {
    AppKey(Mode),
    AdminKey,
    Session,
    /// The token in the URL of an onboarding link.
    OnboardingLink,
    /// The token in the URL of a sign-in link.
    SignInLink,
}

impl CredentialKind {
    pub const ALL: [CredentialKind; 6] = [
        CredentialKind::AppKey(Mode::Test),
        CredentialKind::AppKey(Mode::Live),
        CredentialKind::AdminKey,
        CredentialKind::Session,
        CredentialKind::OnboardingLink,
        CredentialKind::SignInLink,
    ];

    pub fn prefix(self) -> &'static str {
        match self {
            CredentialKind::AppKey(Mode::Test) => "sk_test_app_",
            CredentialKind::AppKey(Mode::Live) => "sk_live_app_",
            CredentialKind::AdminKey => "sk_admin_",
            CredentialKind::Session => "session_",
            CredentialKind::OnboardingLink => "onboarding_",
            CredentialKind::SignInLink => "signin_",
        }
    }
}

/// Names the kind with its article and prefix, such as `a test app key (sk_test_app_...)`.
impl fmt::Display for CredentialKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            CredentialKind::AppKey(Mode::Test) => "a test app key",
            CredentialKind::AppKey(Mode::Live) => "a live app key",
            CredentialKind::AdminKey => "an admin key",
            CredentialKind::Session => "a session token",
            CredentialKind::OnboardingLink => "the token of an onboarding link",
            CredentialKind::SignInLink => "the token of a sign-in link",
        };
        write!(f, "{name} ({}...)", self.prefix())
    }
}
