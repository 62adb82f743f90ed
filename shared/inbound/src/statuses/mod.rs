//! Statuses of outbound messages. A status for an unknown message creates it. This module reads the stored state of a
//! message and writes the new one, which `merge.rs` decides.

mod merge;
#[cfg(test)]
mod tests;

use domain::chat::status::{ConversationNote, FirstReport, Person, RecipientRef, StatusUpdate};
use domain::chat::{Direction, RecipientStatus};
use domain::message::step::Step;
use domain::{Failure, Json, Timestamp};
use store::{Change, StoredChat};

use self::merge::{Report, merge, merge_unknown, newly_linked};
use crate::apply::UpdateHandler;
use crate::messages::Before;
use crate::origin::Origin;
use crate::seen::Seen;
use crate::simulated::exceeds_bounds;
use crate::wire::{Status, unreadable};

/// The longest name of a status that becomes a name in `systemData`.
const LONGEST_NAME: usize = 32;
/// The type of the statuses of messages. Most of them have no type.
const MESSAGE: &str = "message";

/// Returns the status of a message; `None` for a status of something else, such as a payment, and for an unknown one.
fn known_status(sent: &Status) -> Option<RecipientStatus> {
    if sent.kind.as_deref().is_some_and(|kind| kind != MESSAGE) {
        return None;
    }
    match sent.status.as_deref()?.to_ascii_lowercase().as_str() {
        "sent" => Some(RecipientStatus::Sent),
        "delivered" => Some(RecipientStatus::Delivered),
        "read" | "played" => Some(RecipientStatus::Read),
        "failed" => Some(RecipientStatus::Failed),
        _ => None,
    }
}

fn recipient(status: &Status) -> RecipientRef {
    match &status.group_id {
        _ if !status.participant.is_unknown() => RecipientRef::Member(status.participant.clone()),
        Some(_) => RecipientRef::Group,
        None => RecipientRef::Only(status.recipient.clone()),
    }
}

fn conversation(status: &Status) -> Option<ConversationNote> {
    let (conversation, pricing) = (status.conversation.as_ref(), status.pricing.as_ref());
    (conversation.is_some() || pricing.is_some()).then(|| ConversationNote {
        id: conversation.and_then(|conversation| conversation.id.clone()),
        origin_type: conversation.and_then(|conversation| conversation.origin_type.clone()),
        expires_at: conversation.and_then(|conversation| conversation.expires_at),
        pricing_model: pricing.and_then(|pricing| pricing.pricing_model.clone()),
        pricing_type: pricing.and_then(|pricing| pricing.kind.clone()),
        pricing_category: pricing.and_then(|pricing| pricing.category.clone()),
        pricing_billable: pricing.and_then(|pricing| pricing.billable),
    })
}

/// Returns the name under which the rest of a status is kept.
fn name(sent: &Status) -> String {
    let name = sent.kind.as_deref().filter(|kind| *kind != MESSAGE).or(sent.status.as_deref()).unwrap_or("unknown");
    name.chars().filter(char::is_ascii_alphanumeric).take(LONGEST_NAME).collect()
}

impl UpdateHandler<'_> {
    pub(crate) async fn status(&self) -> Result<Change, Failure> {
        let (sent, left) = self.read(Status::read)?;
        let id = sent.id.clone().ok_or_else(|| unreadable("a status has no id"))?;
        let at = sent.timestamp.unwrap_or_else(|| self.reported_at());
        let before = match self.origin(&sent, &id).await? {
            Origin::Here(message) => Before { stored: Some(*message), early: None },
            Origin::Elsewhere => self.before(&id).await?,
            Origin::Contradictory => {
                return Ok(self.idle("The callback data name a message that was not sent with this id."));
            }
        };
        if before.stored.as_ref().is_some_and(|known| known.message().direction == Direction::Inbound) {
            return Ok(self.misdirected());
        }
        // The status would create the message again, with data of a person who was erased.
        if before.stored.is_none() && self.store.was_erased(self.number_id()?, &id).await? {
            return Ok(self.idle("The message was erased."));
        }

        let known = match &before.stored {
            Some(known) => known.clone(),
            None => self.blank(Direction::Outbound, &id).await?,
        };
        let Some(status) = known_status(&sent) else {
            if sent.kind.as_deref().is_none_or(|kind| kind == MESSAGE) {
                self.count_unknown("status", &name(&sent));
            }
            let whole = Json::of(&self.update.body).ok();
            let mut after = merge_unknown(known, &id, &name(&sent), whole.as_ref(), self.now);
            return self.write_status(&before, &mut after, None);
        };

        let group_id = match &known.message().group_id {
            Some(_) => None,
            None => self.group_id(sent.group_id.clone()).await?,
        };
        let (recipient, conversation) = (recipient(&sent), conversation(&sent));
        let report = Report {
            group_id,
            callback_data: self.foreign_callback_data(&sent),
            left: left.json(),
            name: name(&sent),
            update: StatusUpdate { recipient, status, at, error: sent.error, conversation },
        };
        let (mut after, event) = merge(known, &id, &report, self.now);
        let mut change = self.write_status(&before, &mut after, event)?;

        if let Some(person) = newly_linked(before.stored.as_ref(), &report.update.recipient) {
            self.link_identities(person.clone(), at, &mut change).await?;
        }
        Ok(change)
    }

    /// Adds the other identity to a contact that is known only by number or only by user id.
    pub(crate) async fn link_identities(
        &self,
        person: Person,
        at: Timestamp,
        change: &mut Change,
    ) -> Result<(), Failure> {
        if person.phone_number.is_none() || person.user_id.is_none() {
            return Ok(());
        }
        self.contact(Seen::known(person, at)).await?.write(self, change)
    }

    /// Returns the callback data of a message that was not sent through this API.
    fn foreign_callback_data(&self, sent: &Status) -> Option<Json> {
        let own = format!("{}:", self.organization());
        let foreign = sent.callback_data.as_ref().filter(|data| !data.starts_with(&own));
        foreign.and_then(|data| Json::of(data).ok())
    }

    /// Works like `write`, unless a simulated status would make a simulated message too large.
    fn write_status(
        &self,
        before: &Before,
        after: &mut StoredChat,
        event: Option<FirstReport>,
    ) -> Result<Change, Failure> {
        match exceeds_bounds(before.stored.as_ref(), after)? {
            Some(reason) => Ok(self.idle(reason)),
            None => self.write(before, after, event),
        }
    }

    /// Returns the change that writes the message and emits the event of a status that was reported for the first time.
    pub(crate) fn write(
        &self,
        before: &Before,
        after: &mut StoredChat,
        first: Option<FirstReport>,
    ) -> Result<Change, Failure> {
        let mut change = self.change();
        if before.stored.as_ref() == Some(&*after) {
            return Ok(change);
        }
        before.advance(after);
        after.note_outcome(before.stored.as_ref(), self.now);
        if let Some(FirstReport { event: kind, recipient }) = first {
            let event = self.event_for_apps_of_number(kind, &after.record.clone().into_details())?;
            after.tracked.add_step(&recipient, Step::event(kind, &event.id));
            change.emit(&event)?;
        }
        match &before.stored {
            Some(stored) => change.update_message(stored, after)?,
            None => change.create_revised_message(after, before.early.as_ref())?,
        }
        Ok(change)
    }
}
