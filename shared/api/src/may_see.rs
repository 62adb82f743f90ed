//! The parts of readable objects that a caller may see. They follow from the credential. Only this module decides about
//! them, and every view uses it.

use domain::identity::key::Holder;
use domain::message::contents::Contents;

/// The parts of readable objects that a caller may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaySee {
    /// Texts, media and payloads of messages, and responses of receivers.
    contents: bool,
    /// The values of the headers that webhooks send.
    header_values: bool,
}

impl MaySee {
    /// Returns the permissions of a credential's holder. Sessions and links never see contents: those need a key.
    pub fn of(holder: &Holder) -> Self {
        let has_key = match holder {
            Holder::AdminKey { .. } | Holder::AppKey { .. } => true,
            Holder::Session { .. } | Holder::OnboardingLink { .. } => false,
        };
        MaySee { contents: has_key, header_values: has_key }
    }

    /// Returns a view as the caller may see it.
    pub fn view<T: Contents>(self, mut view: T) -> T {
        if !self.contents {
            view.hide_contents();
        }
        view
    }

    pub fn header_values(self) -> bool {
        self.header_values
    }
}
