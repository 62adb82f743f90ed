//! Notifications in the platform's own form that a developer sends for a test number, for example captured ones.

use std::sync::{Mutex, PoisonError};

use domain::chat::ChatPhoneNumber;
use domain::id::OrganizationId;
use domain::{E164, Failure, Timestamp};
use serde_json::{Map, Value, json};
use store::Committed;

use super::routed_to;
use crate::apply::Inbox;
use crate::lenient;
use crate::notification::{Part, Split, split};
use crate::route::Routed;
use crate::wire::phone;

/// The highest number of updates in one notification.
pub const MOST_UPDATES: usize = 25;

/// The reason for ignoring an update that contains nothing new.
const CHANGES_NOTHING: &str =
    "The update has no effect: it is already known or outdated, or it refers to an object that does not exist.";
/// The reason for ignoring an update that cannot be distinguished from a repeated one.
const ALREADY_APPLIED: &str = "An equal update was applied before.";

/// A notification for a test number, split into its updates.
#[derive(Debug)]
pub struct Replay {
    updates: Vec<Routed>,
    ignored: Vec<String>,
}

/// What became of the updates of a notification.
#[derive(Debug, PartialEq, Eq)]
pub struct Replayed {
    pub applied: usize,
    /// Why the other updates were ignored.
    pub ignored: Vec<String>,
}

impl Replay {
    /// Splits the value of a field. The account and the number that it names are replaced by those of `number`.
    pub fn new(
        organization: &OrganizationId,
        number: &ChatPhoneNumber,
        field: &str,
        value: &Map<String, Value>,
        at: Timestamp,
    ) -> Result<Self, Failure> {
        let notification = json!({
            "object": "whatsapp_business_account",
            "entry": [{
                "id": number.provider_business_account_id,
                "time": at.seconds(),
                "changes": [{"field": field, "value": about(number, value.clone())}],
            }],
        });

        let refused = |why: String| Failure::invalid("value", why);
        let Split { updates, others, malformed, unreadable } = split(notification.to_string().as_bytes())
            .map_err(|error| refused(format!("value is not in WhatsApp's format: {error}.")))?;
        if malformed > 0 || updates.iter().any(|update| update.part == Part::Unreadable) {
            return Err(refused("value cannot be parsed as WhatsApp's value of this field.".to_owned()));
        }
        if updates.len() > MOST_UPDATES {
            let count = updates.len();
            return Err(refused(format!("value may have at most {MOST_UPDATES} updates. This one has {count}.")));
        }

        let mut ignored: Vec<String> = others.iter().map(|other| format!("The field {other} is not used.")).collect();
        ignored.extend(unreadable.iter().map(|path| format!("{path} cannot be read.")));
        if updates.is_empty() && ignored.is_empty() {
            ignored.push("The value contains no update.".to_owned());
        }
        let updates = updates.into_iter().map(|update| routed_to(organization, number, update)).collect();
        Ok(Replay { updates, ignored })
    }

    pub fn len(&self) -> usize {
        self.updates.len()
    }

    /// Returns the numbers of the users who have written, each once, in the order of their messages.
    pub fn senders(&self) -> Vec<E164> {
        let mut senders = Vec::new();
        for Routed { update, .. } in self.updates.iter().filter(|routed| routed.update.part == Part::Message) {
            let from = lenient::read(&update.body, |message| message.text("from")).and_then(|from| from.value);
            if let Some(sender) = phone(from.as_deref()).filter(|sender| !senders.contains(sender)) {
                senders.push(sender);
            }
        }
        senders
    }

    /// Returns the update, if there is only this one and nothing was ignored.
    pub(crate) fn only_update(&self) -> Option<&Routed> {
        match (self.updates.as_slice(), self.ignored.as_slice()) {
            ([only], []) => Some(only),
            _ => None,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.updates.is_empty()
    }
}

/// Returns the value with the number's ids in the places in which the platform names a number or an account.
fn about(number: &ChatPhoneNumber, mut value: Map<String, Value>) -> Map<String, Value> {
    let digits = json!(number.display_phone_number.digits());
    if value.contains_key("display_phone_number") {
        value.insert("display_phone_number".to_owned(), digits.clone());
    }
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("display_phone_number".to_owned(), digits);
        metadata.insert("phone_number_id".to_owned(), json!(number.provider_phone_number_id));
    }
    if let Some(info) = value.get_mut("waba_info").and_then(Value::as_object_mut) {
        info.insert("waba_id".to_owned(), json!(number.provider_business_account_id));
    }
    value
}

impl Inbox {
    /// Applies the updates in their order. Updates that change nothing are ignored, with the reason, and so are those
    /// that would become dead letters if they were live.
    pub async fn replay(&self, replay: Replay) -> Result<Replayed, Failure> {
        let mut replayed = Replayed { applied: 0, ignored: replay.ignored };
        for update in &replay.updates {
            match Box::pin(self.apply_or_explain(update)).await {
                Ok(None) => replayed.applied += 1,
                Ok(Some(reason)) => replayed.ignored.push(reason),
                Err(failure) if failure.is_permanent() => {
                    replayed.ignored.push(format!("The update can never be applied: {}.", failure.log_text()));
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(replayed)
    }

    /// Applies one update like `apply`. Returns the reason if nothing has changed.
    async fn apply_or_explain(&self, update: &Routed) -> Result<Option<String>, Failure> {
        let idle = Mutex::new(None);
        let note = |reason: Option<String>| *idle.lock().unwrap_or_else(PoisonError::into_inner) = reason;
        let note = &note;
        let decide = |is_first| async move {
            let handler = self.handler(update, is_first);
            let decision = handler.decide().await?;
            let reason = handler.idle_reason().unwrap_or_else(|| CHANGES_NOTHING.to_owned());
            note(Some(reason).filter(|_| decision.change.is_idle()));
            Ok(decision)
        };

        let committed = self.settle(decide).await?;
        let reason = idle.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(match committed {
            Committed::AlreadyDone => Some(ALREADY_APPLIED.to_owned()),
            _ => reason,
        })
    }
}
