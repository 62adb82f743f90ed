//! What keys may do: a scope for each subject and access. The routes of each function say which one an operation needs.

use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::identity::credential_kind::CredentialKind;

macro_rules! scopes {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// A scope: a subject, and whether it is read or changed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Scope {
            $(#[serde(rename = $name)] $variant,)+
        }

        impl Scope {
            pub const ALL: &'static [Scope] = &[$(Scope::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Scope::$variant => $name,)+ }
            }
        }

        // Written by hand, because the derive cannot read names that a macro supplies.
        impl utoipa::PartialSchema for Scope {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                crate::schema::builder::one_of(&[$($name),+], "What a key may do. `write` includes `read`, except for `messages`.")
            }
        }

        impl utoipa::ToSchema for Scope {}
    };
}

scopes! {
    SettingsRead = "settings:read",
    SettingsWrite = "settings:write",
    MembersRead = "members:read",
    MembersWrite = "members:write",
    KeysRead = "keys:read",
    KeysWrite = "keys:write",
    AppsRead = "apps:read",
    AppsWrite = "apps:write",
    WebhooksRead = "webhooks:read",
    WebhooksWrite = "webhooks:write",
    NumbersRead = "numbers:read",
    NumbersWrite = "numbers:write",
    AccountsRead = "accounts:read",
    AccountsWrite = "accounts:write",
    TemplatesRead = "templates:read",
    TemplatesWrite = "templates:write",
    GroupsRead = "groups:read",
    GroupsWrite = "groups:write",
    MessagesRead = "messages:read",
    MessagesWrite = "messages:write",
    MediaRead = "media:read",
    MediaWrite = "media:write",
    EventsRead = "events:read",
    UsageRead = "usage:read",
    AuditRead = "audit:read",
    PlaygroundRead = "playground:read",
    PlaygroundWrite = "playground:write",
}

/// The scopes that operations need which take an app key. A test compares them with the routes.
const OF_APP_KEYS: &[Scope] = &[
    Scope::WebhooksRead,
    Scope::WebhooksWrite,
    Scope::NumbersRead,
    Scope::NumbersWrite,
    Scope::TemplatesRead,
    Scope::GroupsRead,
    Scope::GroupsWrite,
    Scope::MessagesRead,
    Scope::MessagesWrite,
    Scope::MediaRead,
    Scope::MediaWrite,
    Scope::EventsRead,
    Scope::UsageRead,
    Scope::PlaygroundRead,
    Scope::PlaygroundWrite,
];
impl Scope {
    /// Returns the scopes that a kind of key can use, in the order of their definition. An admin key sends nothing, but with
    /// the scope it may give an app key that does.
    pub fn of_kind(kind: CredentialKind) -> &'static [Scope] {
        match kind {
            CredentialKind::AdminKey => Scope::ALL,
            CredentialKind::AppKey(_) => OF_APP_KEYS,
            CredentialKind::Session | CredentialKind::OnboardingLink | CredentialKind::SignInLink => &[],
        }
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }

    /// Returns the scope whose holder may also do what this one allows. A key that only sends cannot read messages.
    fn includer(self) -> Option<Scope> {
        let name = self.as_str();
        let subject = name.strip_suffix(":read").filter(|subject| *subject != "messages")?;
        format!("{subject}:write").parse().ok()
    }
}

impl FromStr for Scope {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Scope::ALL.iter().copied().find(|scope| scope.as_str() == name).ok_or(())
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u32);

impl Scopes {
    /// Whether the set allows what needs a scope.
    pub fn allow(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0 || scope.includer().is_some_and(|wider| self.0 & wider.bit() != 0)
    }

    /// Returns the scopes of the set, in the order of their definition.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.0 & scope.bit() != 0)
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Scopes(scopes.into_iter().fold(0, |all, scope| all | scope.bit()))
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// A scope of a later version is left out: what it allows does not exist here.
impl<'de> Deserialize<'de> for Scopes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> Scopes {
        names.iter().map(|name| name.parse().expect("a scope")).collect()
    }

    #[test]
    fn writing_includes_reading_except_of_messages() {
        assert!(set(&["webhooks:write"]).allow(Scope::WebhooksRead));
        assert!(!set(&["webhooks:read"]).allow(Scope::WebhooksWrite));
        assert!(!set(&["webhooks:write"]).allow(Scope::AppsRead));
        assert!(!set(&["messages:write"]).allow(Scope::MessagesRead));
        assert!(set(&["messages:write", "messages:read"]).allow(Scope::MessagesRead));
        assert!(!Scopes::default().allow(Scope::SettingsRead));
    }

    #[test]
    fn a_set_is_stored_by_names_and_survives_those_of_later_versions() {
        let stored = serde_json::to_value(set(&["messages:write", "apps:read"])).expect("JSON");
        assert_eq!(stored, serde_json::json!(["apps:read", "messages:write"]));
        let later = serde_json::json!(["apps:read", "calls:read", "messages:write"]);
        assert_eq!(serde_json::from_value::<Scopes>(later).ok(), Some(set(&["apps:read", "messages:write"])));
    }

    #[test]
    fn there_is_room_for_every_scope() {
        assert!(Scope::ALL.len() <= 32);
        assert_eq!(Scope::ALL.iter().copied().collect::<Scopes>().iter().count(), Scope::ALL.len());
    }
}
