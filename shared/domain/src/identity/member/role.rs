//! What members may do.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Mode;
use crate::identity::scope::{Scope, Scopes};

/// The role of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = MemberRole)]
pub enum Role {
    /// Everything.
    Owner,
    /// Everything, except that owners are beyond their reach.
    Admin,
    /// Reads everything, and builds: apps, webhooks, templates, media and messages, and keys of test mode.
    Developer,
    /// Reads messages and what belongs to them.
    Support,
    /// Reads what is set up, and no messages.
    Viewer,
}

const SUPPORT: [Scope; 8] = [
    Scope::MessagesRead,
    Scope::EventsRead,
    Scope::UsageRead,
    Scope::AppsRead,
    Scope::WebhooksRead,
    Scope::NumbersRead,
    Scope::TemplatesRead,
    Scope::PlaygroundRead,
];

const VIEWER: [Scope; 8] = [
    Scope::SettingsRead,
    Scope::UsageRead,
    Scope::AppsRead,
    Scope::WebhooksRead,
    Scope::NumbersRead,
    Scope::AccountsRead,
    Scope::TemplatesRead,
    Scope::PlaygroundRead,
];

const DEVELOPER_WRITES: [Scope; 6] = [
    Scope::AppsWrite,
    Scope::WebhooksWrite,
    Scope::TemplatesWrite,
    Scope::MediaWrite,
    Scope::PlaygroundWrite,
    Scope::MessagesWrite,
];

impl Role {
    pub const ALL: [Role; 5] = [Role::Owner, Role::Admin, Role::Developer, Role::Support, Role::Viewer];

    /// Returns the scopes of a key of this role and mode; `None` if it has every scope.
    pub fn scopes(self, mode: Mode) -> Option<Scopes> {
        match self {
            Role::Owner | Role::Admin => None,
            Role::Developer => {
                let reads = Scope::ALL.iter().copied().filter(|scope| scope.as_str().ends_with(":read"));
                let keys = mode.is_test().then_some(Scope::KeysWrite);
                Some(reads.chain(DEVELOPER_WRITES).chain(keys).collect())
            }
            Role::Support => Some(SUPPORT.into_iter().collect()),
            Role::Viewer => Some(VIEWER.into_iter().collect()),
        }
    }
}
