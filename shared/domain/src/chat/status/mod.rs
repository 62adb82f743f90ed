//! Statuses of outbound messages. The platform repeats and reorders status updates, so applying them is idempotent and
//! independent of their order: for each recipient and status the earliest time counts, and only the first update with a
//! status causes an event.

mod outcome;
mod recipient;
#[cfg(test)]
mod tests;
mod update;

use self::recipient::{extract, highest_status, is_member, keep_lower, merge, reason_of, set_reason, time_of};
use super::{ConversationWindow, Recipient, RecipientStatus, Tracked};
use crate::Timestamp;
use crate::events::event::EventName;
use crate::message::Outcome;
use crate::message::reason::Reason;

pub use update::{ConversationNote, Person, RecipientRef, StatusError, StatusUpdate};

/// The first report of a status of a recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstReport {
    /// The event to send.
    pub event: EventName,
    /// The id of the recipient.
    pub recipient: String,
}

impl Tracked {
    /// Applies one status update. Returns whether it is the first one of the recipient with this status.
    pub fn record(&mut self, update: &StatusUpdate, now: Timestamp) -> Option<FirstReport> {
        let before = self.clone();
        let mut recipient = self.take_recipient(&update.recipient, now);
        if let RecipientRef::Only(person) = &update.recipient {
            keep_lower(&mut self.message.to_phone_number, person.phone_number.as_ref());
            keep_lower(&mut self.message.to_user_id, person.user_id.as_ref());
        }

        let time = time_of(&mut recipient, update.status);
        let is_first_sight = time.is_none();
        keep_lower(time, Some(&update.at));
        // A status that only a later release knows is kept, because its rank is not known here.
        if recipient.status.known().is_some() {
            recipient.status = highest_status(&mut recipient).into();
        }

        if update.status == RecipientStatus::Failed && self.outcome() == Some(Outcome::Refused) && !before.has_failed()
        {
            // The error is that of the refusal, and this one says more.
            self.forget_error();
        }
        self.note_error(&mut recipient, update);
        self.summarize(&recipient);
        self.note_conversation(update, now);
        let id = recipient.id.clone();
        match update.recipient {
            RecipientRef::Group => self.group = Some(recipient),
            _ => self.recipients.push(recipient),
        }
        self.recipients.sort_by(|a, b| a.id.cmp(&b.id));
        self.resolve();
        if *self != before {
            self.touch(&before, now);
        }
        event(update.status).filter(|_| is_first_sight).map(|event| FirstReport { event, recipient: id })
    }

    /// Takes the recipient out of the message, or returns a new one. A member of a group whom the platform identified
    /// by number and by user id separately is one recipient as soon as an update names both.
    fn take_recipient(&mut self, wanted: &RecipientRef, now: Timestamp) -> Recipient {
        let (known, person, id) = match wanted {
            RecipientRef::Group => {
                (self.group.take().into_iter().collect(), Person::default(), format!("{}_group", self.message.id))
            }
            RecipientRef::Only(person) => {
                let id = self.only_recipient_id();
                (extract(&mut self.recipients, |known| known.id == id), person.clone(), id)
            }
            RecipientRef::Member(person) => {
                let same = extract(&mut self.recipients, |known| is_member(known, person));
                (same, person.clone(), person.id().unwrap_or_default())
            }
        };

        let mut known = known.into_iter();
        let mut recipient = known.next().unwrap_or_else(|| self.first_seen(id, wanted, now));
        known.for_each(|same| merge(&mut recipient, &same));
        keep_lower(&mut recipient.phone_number, person.phone_number.as_ref());
        keep_lower(&mut recipient.user_id, person.user_id.as_ref());
        if matches!(wanted, RecipientRef::Member(_)) {
            let whole = Person { phone_number: recipient.phone_number.clone(), user_id: recipient.user_id.clone() };
            recipient.id = whole.id().unwrap_or(recipient.id);
        }
        recipient
    }

    /// Returns the record of a recipient whose first status is being recorded.
    fn first_seen(&self, id: String, wanted: &RecipientRef, now: Timestamp) -> Recipient {
        if !self.message.was_sent_here() {
            return Recipient::new(id, now);
        }
        let created_at = match wanted {
            RecipientRef::Only(_) => self.message.created_at,
            RecipientRef::Group | RecipientRef::Member(_) => now,
        };
        Recipient { queued_at: self.message.queued_at, ..Recipient::new(id, created_at) }
    }

    /// Records the error of a failure, for the recipient and for the message. If failures disagree, one rule decides which
    /// is kept, so that the result does not depend on their order.
    fn note_error(&mut self, recipient: &mut Recipient, update: &StatusUpdate) {
        let (RecipientStatus::Failed, Some(error)) = (update.status, &update.error) else { return };
        if reason_of(recipient).is_none_or(|known| error.reason.is_preferred_to(&known)) {
            set_reason(recipient, &error.reason);
        }
        self.note_message_error(error);
    }

    /// Records why the message failed. Of several errors, the same one is kept in whatever order they arrive.
    fn note_message_error(&mut self, error: &StatusError) {
        let message = &mut self.message;
        let known =
            Reason::shown(message.error_code.as_ref(), message.error_message.as_ref(), message.provider.as_ref());
        let is_preferred = known.is_none_or(|known| {
            let same = StatusError {
                reason: known,
                title: message.error_title.clone(),
                details: message.error_details.clone(),
            };
            error.reason.is_preferred_to(&same.reason) || error.reason == same.reason && *error < same
        });
        if is_preferred {
            message.error_code.clone_from(&error.reason.code);
            message.error_message = Some(error.reason.message.clone());
            message.provider.clone_from(&error.reason.provider);
            message.error_title.clone_from(&error.title);
            message.error_details.clone_from(&error.details);
        }
    }

    /// Sets the times of the message to the earliest ones of its recipients.
    fn summarize(&mut self, recipient: &Recipient) {
        let message = &mut self.message;
        keep_lower(&mut message.queued_at, recipient.queued_at.as_ref());
        keep_lower(&mut message.sent_at, recipient.sent_at.as_ref());
        keep_lower(&mut message.delivered_at, recipient.delivered_at.as_ref());
        keep_lower(&mut message.read_at, recipient.read_at.as_ref());
        keep_lower(&mut message.failed_at, recipient.failed_at.as_ref());
    }

    /// Records the conversation and its price. A message has only one of each, and each status update may contain a
    /// part of them. If updates disagree, one rule decides, mostly that the lower value is kept, so that the result does
    /// not depend on their order.
    fn note_conversation(&mut self, update: &StatusUpdate, now: Timestamp) {
        let Some(note) = &update.conversation else { return };
        let own_id = self.message.id.to_string();
        let window = self.window.get_or_insert_with(|| ConversationWindow {
            id: own_id.clone(),
            origin_type: None,
            pricing_model: None,
            pricing_type: None,
            pricing_category: None,
            pricing_billable: None,
            started_at: None,
            expires_at: None,
            created_at: now,
        });

        if let Some(id) = &note.id
            && (window.id == own_id || *id < window.id)
        {
            window.id.clone_from(id);
        }
        keep_lower(&mut window.origin_type, note.origin_type.as_ref());
        keep_lower(&mut window.pricing_model, note.pricing_model.as_ref());
        keep_lower(&mut window.pricing_type, note.pricing_type.as_ref());
        keep_lower(&mut window.pricing_category, note.pricing_category.as_ref());
        // A message to a group is billed for each member, so it is billable if it is for one of them.
        window.pricing_billable = window.pricing_billable.max(note.pricing_billable);
        keep_lower(&mut window.expires_at, note.expires_at.as_ref());
        keep_lower(&mut window.started_at, Some(&update.at));
    }

    fn touch(&mut self, before: &Tracked, now: Timestamp) {
        self.message.updated_at = now;
        for recipient in &mut self.recipients {
            if !before.recipients.contains(recipient) {
                recipient.updated_at = now;
            }
        }
    }
}

fn event(status: RecipientStatus) -> Option<EventName> {
    match status {
        RecipientStatus::Queued => None,
        RecipientStatus::Sent => Some(EventName::MessagesChatSent),
        RecipientStatus::Delivered => Some(EventName::MessagesChatDelivered),
        RecipientStatus::Read => Some(EventName::MessagesChatRead),
        RecipientStatus::Failed => Some(EventName::MessagesChatFailed),
    }
}
