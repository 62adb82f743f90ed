//! The 18 event names (docs/specification.md, "Events") and the events of the outbox.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::EventId;
use crate::{Mode, Open, Timestamp};

macro_rules! event_names {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// The name of an event.
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

        // Written by hand, because the derive cannot read names that a macro supplies.
        impl utoipa::PartialSchema for EventName {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                crate::schema::builder::one_of(&[$($name),+], "The name of an event.")
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

/// The error of parsing an unknown event name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an event name")]
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

/// The webhooks to which an event is delivered if they listen to its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Audience {
    /// The webhooks of all apps to which this number is assigned when the event is dispatched.
    AppsOfNumber(String),
    /// The webhooks of all apps of the mode.
    AllApps,
    /// The webhooks of one app.
    App(String),
    /// None: a test event, whose only delivery was created in the same transaction.
    Nobody,
}

impl EventName {
    /// Returns whether the event concerns the whole organization. Account and template events do, and are delivered to
    /// all apps of the mode.
    pub fn is_of_organization(self) -> bool {
        self.as_str().starts_with("templates.") || self.as_str().starts_with("chat.account.")
    }
}

/// An event to be dispatched to webhooks, stored in the transaction of the change that it reports.
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
    /// The id of the request that caused the event, for the log of its deliveries; never delivered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl OutboxEvent {
    /// Returns whether the event is a sample that was sent to one webhook to test it.
    pub fn is_test(&self) -> bool {
        self.audience == Audience::Nobody
    }
}
