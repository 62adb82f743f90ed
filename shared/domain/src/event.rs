//! The 18 event names (service.md, "Events").

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::EventId;
use crate::{Mode, Open, Timestamp};

macro_rules! event_names {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum EventName {
            $(#[serde(rename = $name)] $variant,)+
        }

        impl EventName {
            pub const ALL: &'static [EventName] = &[$(EventName::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self { $(EventName::$variant => $name,)+ }
            }
        }

        // The derive would not read names that come out of a macro.
        impl utoipa::PartialSchema for EventName {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                crate::schema_builder::one_of(&[$($name),+], "What happened.")
            }
        }

        impl utoipa::ToSchema for EventName {}

        impl FromStr for EventName {
            type Err = UnknownEvent;

            fn from_str(name: &str) -> Result<Self, UnknownEvent> {
                match name {
                    $($name => Ok(EventName::$variant),)+
                    _ => Err(UnknownEvent),
                }
            }
        }
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the name of an event")]
pub struct UnknownEvent;

event_names! {
    MessagesSmsReceived = "messages.sms.received",
    MessagesSmsSent = "messages.sms.sent",
    MessagesSmsDelivered = "messages.sms.delivered",
    MessagesSmsFailed = "messages.sms.failed",
    MessagesChatReceived = "messages.chat.received",
    MessagesChatSent = "messages.chat.sent",
    MessagesChatDelivered = "messages.chat.delivered",
    MessagesChatRead = "messages.chat.read",
    MessagesChatFailed = "messages.chat.failed",
    TemplatesChatCreated = "templates.chat.created",
    TemplatesChatUpdated = "templates.chat.updated",
    TemplatesChatDeleted = "templates.chat.deleted",
    TemplatesChatConnected = "templates.chat.connected",
    ContactsChatCreated = "contacts.chat.created",
    ContactsChatUpdated = "contacts.chat.updated",
    ContactsChatDeleted = "contacts.chat.deleted",
    ChatAccountConnected = "chat.account.connected",
    ChatAccountDisconnected = "chat.account.disconnected",
}

/// Which webhooks may hear of an event, besides asking for its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Audience {
    /// Those of the apps that this number is assigned to, when the event is dispatched.
    AppsOfNumber(String),
    /// Those of every app of the mode.
    AllApps,
    /// Those of one app.
    App(String),
    /// Its deliveries were made with it.
    Nobody,
}

impl EventName {
    /// Events of accounts and templates concern every app of the mode.
    pub fn is_of_organization(self) -> bool {
        self.as_str().starts_with("templates.") || self.as_str().starts_with("chat.account.")
    }
}

/// A change that webhooks may want to hear of, written with the change itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutboxEvent {
    pub id: EventId,
    #[serde(rename = "type")]
    pub kind: Open<EventName>,
    pub mode: Mode,
    pub audience: Audience,
    /// The resource as the API shows it, as JSON text.
    pub data: String,
    pub created_at: Timestamp,
}
