//! Webhooks, their secrets, and the validation of their address, events and headers.

mod headers;
mod queue;
mod url;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::events::event::EventName;
use crate::id::{AppId, WebhookId};
use crate::{Failure, Open, Timestamp};

pub use headers::{HEADER_BYTES, MAX_HEADERS, webhook_headers};
pub use queue::{Destination, ListedQueues, NotAQueue, QueueArn};
pub use url::{AddressPolicy, webhook_address, webhook_url};

/// The maximum number of webhooks per app, enforced by `store::Change::create_webhook`.
pub const WEBHOOKS_PER_APP: u32 = 20;
/// The maximum number of webhooks of an organization and mode that listen to its events of templates and accounts, limited
/// because each of these events goes to all of them.
pub const WEBHOOKS_OF_ORGANIZATION: u32 = 40;
/// How many test events, redeliveries and recoveries a webhook may have per hour.
pub const MANUAL_DELIVERIES_AN_HOUR: u64 = 60;

/// A webhook of an app, without its secrets.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    pub id: WebhookId,
    pub app_id: AppId,
    /// An https URL, or the ARN of an SQS queue.
    pub url: String,
    pub events: Vec<Open<EventName>>,
    /// The names only: the values are secrets and stored with the signing secret.
    pub header_names: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<String>,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Webhook {
    /// Whether the webhook receives the contents of messages.
    pub fn listens_to_messages(&self) -> bool {
        self.events.iter().filter_map(Open::known).any(|event| event.as_str().starts_with("messages."))
    }

    /// Returns whether the webhook listens to any event of the whole organization.
    pub fn listens_to_organization(&self) -> bool {
        self.events.iter().filter_map(Open::known).any(EventName::is_of_organization)
    }

    /// Returns the queue that receives the events; `None` if the address is a URL.
    pub fn queue(&self) -> Option<QueueArn> {
        self.url.parse().ok()
    }
}

/// The secrets of a webhook, which only webhook management and delivery may read.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSecrets {
    /// `whsec_` and 32 bytes in base64 (Standard Webhooks 1.0).
    pub signing_secret: String,
    /// The previous secret, which keeps signing until `previous_until`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_secret: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_until: Option<Timestamp>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

/// How long the previous secret keeps signing by default, in seconds.
pub const GRACE_SECONDS: u32 = 86_400;
/// The longest that a caller may let the previous secret keep signing, in seconds.
pub const MOST_GRACE_SECONDS: u32 = 604_800;

impl WebhookSecrets {
    /// Returns the secrets to sign with, the current one first.
    pub fn signing(&self, now: Timestamp) -> Vec<&str> {
        let previous = self.previous_secret.as_deref().filter(|_| self.previous_until.is_some_and(|until| now < until));
        std::iter::once(self.signing_secret.as_str()).chain(previous).collect()
    }

    /// Replaces the signing secret by `fresh`. The previous secret keeps signing for `grace`.
    pub fn rotate(&mut self, fresh: String, grace: std::time::Duration, now: Timestamp) {
        let replaced = std::mem::replace(&mut self.signing_secret, fresh);
        let keeps = !grace.is_zero();
        self.previous_secret = keeps.then_some(replaced);
        self.previous_until = keeps.then(|| now.plus(grace));
    }
}

/// Parses the event name in the field `param`.
pub fn event_name(sent: &str, param: &str) -> Result<EventName, Failure> {
    sent.parse().map_err(|_| {
        // Messages do not repeat values of the body, which may be secrets, except what has the form of an event name.
        let is_like_a_name =
            (1..=50).contains(&sent.len()) && sent.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'.' | b'_'));
        let given = if is_like_a_name { format!("{param}: \"{sent}\"") } else { param.to_owned() };
        let allowed: Vec<_> = EventName::ALL.iter().map(|event| event.as_str()).collect();
        Failure::invalid(param, format!("{given} is not an event name. Allowed: {}.", allowed.join(", ")))
    })
}

/// Validates the names of events: at least one, all known, none twice.
pub fn webhook_events(names: &[String], param: &str) -> Result<Vec<Open<EventName>>, Failure> {
    if names.is_empty() {
        return Err(Failure::invalid(
            param,
            format!(
                "{param} must contain at least one event name, such as {}.",
                EventName::MessagesChatReceived.as_str()
            ),
        ));
    }
    let mut seen = BTreeSet::new();
    let mut events = Vec::with_capacity(names.len().min(EventName::ALL.len()));
    for (index, name) in names.iter().enumerate() {
        let at = format!("{param}[{index}]");
        let event = event_name(name, &at)?;
        if !seen.insert(event) {
            return Err(Failure::invalid(&at, format!("{at} repeats {}. Remove it.", event.as_str())));
        }
        events.push(event.into());
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_18_names_without_repetition() {
        let names: Vec<String> = EventName::ALL.iter().map(|event| event.as_str().to_owned()).collect();
        assert_eq!(webhook_events(&names, "events").map(|events| events.len()).ok(), Some(18));
        let twice = ["messages.sms.sent".to_owned(), "messages.sms.sent".to_owned()];
        assert_eq!(webhook_events(&twice, "events").expect_err("twice").param(), Some("events[1]"));
        assert_eq!(webhook_events(&[], "events").expect_err("none").param(), Some("events"));
        let unknown = |name: &str| webhook_events(&[name.to_owned()], "events").expect_err("unknown");
        assert_eq!(unknown("x").param(), Some("events[0]"));
        assert!(
            unknown("message.received")
                .message()
                .starts_with("events[0]: \"message.received\" is not an event name. Allowed: messages.sms.received, ")
        );
        assert!(unknown("sk_live_app_A1").message().starts_with("events[0] is not an event name. Allowed: "));
    }
}
