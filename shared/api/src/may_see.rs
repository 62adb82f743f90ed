//! The parts of readable objects that a caller may see. They follow from the credential. Only this module decides about
//! them, and every view uses it.

use domain::Failure;
use domain::identity::holder::{Credential, Holder};
use domain::identity::scope::{Scope, Scopes};
use domain::message::contents::Contents;

/// The parts of readable objects that a caller may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaySee {
    /// Texts, media and payloads of messages, and responses of receivers.
    contents: bool,
    /// The values of the headers that webhooks send.
    header_values: bool,
    /// The scopes of the credential; `None` if it has all.
    scopes: Option<Scopes>,
}

impl MaySee {
    /// Returns the permissions of a credential. Sessions and links never see contents: those need a key with the scope.
    pub fn of(credential: &Credential) -> Self {
        let has_key = match credential.holder {
            Holder::AdminKey { .. } | Holder::AppKey { .. } => true,
            Holder::Session { .. }
            | Holder::MemberSession { .. }
            | Holder::OnboardingLink { .. }
            | Holder::SignInLink { .. } => false,
        };
        let allows = |scope| has_key && credential.grant.allows(scope);
        MaySee {
            contents: allows(Scope::MessagesRead),
            header_values: allows(Scope::WebhooksWrite),
            scopes: credential.grant.scopes,
        }
    }

    /// Fails with 403 if the caller may not see contents, for operations that send contents elsewhere.
    pub fn expect_contents(self) -> Result<(), Failure> {
        if self.contents {
            return Ok(());
        }
        Err(Failure::forbidden(
            "This webhook listens to messages, whose contents it receives, but this key does not have the scope messages:read. Use a key that has it.",
        ))
    }

    /// Returns a view as the caller may see it.
    pub fn view<T: Contents>(self, mut view: T) -> T {
        if !self.contents {
            view.hide_contents();
        }
        view
    }

    /// Returns whether the caller may see what operations show that need a scope.
    pub fn what_needs(self, scope: Scope) -> bool {
        self.scopes.is_none_or(|scopes| scopes.allow(scope))
    }

    pub fn header_values(self) -> bool {
        self.header_values
    }
}
