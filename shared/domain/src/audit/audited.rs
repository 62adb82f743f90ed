//! The objects whose changes are entered, each with the fields that entries show. A field that is not listed here is not
//! shown, so that secrets, hashes and texts are left out by default.

use serde::Serialize;

use super::target::{Target, TargetKind};
use crate::chat::{ChatBusinessProfile, ChatPhoneNumber, OnboardingLink};
use crate::events::webhook::Webhook;
use crate::identity::app::App;
use crate::identity::key::{AdminKey, AppKey};
use crate::identity::member::Member;
use crate::identity::organization::Organization;
use crate::number::PhoneNumber;

/// An object whose changes are entered.
pub trait Audited: Serialize {
    const KIND: TargetKind;
    /// The fields that entries show, as they are stored.
    const FIELDS: &'static [&'static str];

    fn id(&self) -> String;

    fn target(&self) -> Target {
        Target { kind: Self::KIND, id: self.id() }
    }
}

macro_rules! audited {
    ($($object:ty as $kind:ident { $($field:literal),* })+) => {
        $(
            impl Audited for $object {
                const KIND: TargetKind = TargetKind::$kind;
                const FIELDS: &'static [&'static str] = &[$($field),*];

                fn id(&self) -> String {
                    self.id.to_string()
                }
            }
        )+
    };
}

audited! {
    Organization as Organization { "name", "mediaRetentionDays", "messageRetentionDays" }
    Member as Member { "email", "name", "role", "suspendedAt" }
    AdminKey as AdminKey { "name", "scopes", "allowedIps", "expiresAt", "rateLimit" }
    AppKey as AppKey { "appId", "name", "scopes", "allowedIps", "expiresAt", "rateLimit" }
    App as App { "name", "numbers", "calling", "eventFeed", "rateLimit" }
    Webhook as Webhook { "appId", "url", "events", "headerNames", "disabledAt", "disabledReason" }
    PhoneNumber as PhoneNumber { "number", "apps" }
    ChatPhoneNumber as ChatPhoneNumber { "displayPhoneNumber", "cloudApiRegistered", "apps", "releasedAt" }
    ChatBusinessProfile as ChatBusinessProfile {
        "businessName", "providerWabaId", "isCoexistence", "disconnectedAt", "releasedAt"
    }
    OnboardingLink as OnboardingLink { "status", "expiresAt", "chatBusinessProfileId" }
}
