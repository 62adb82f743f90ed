//! The effect of reported content on a message. The functions here read and write nothing: the stored items, a message
//! without content, and the current time are parameters.

use domain::Timestamp;
use domain::chat::status::{RecipientRef, StatusUpdate};
use domain::chat::{Direction, RecipientStatus};
use domain::events::event::EventName;
use serde_json::value::RawValue;
use store::{EarlyRevisions, StoredChat};

use super::revisions::{has_content, show_revisions};
use crate::content::{Links, fill, member, with_member};
use crate::lenient::Left;
use crate::size::LARGEST_BODY;
use crate::wire::{Message, Sender};

/// The member of `systemData` with the parts of statuses that no field holds.
pub(crate) const STATUSES: &str = "statuses";
/// The member of `systemData` with callback data that another service has set.
pub(crate) const CALLBACK_DATA: &str = "biz_opaque_callback_data";

/// The stored state of a message before an update is applied.
#[derive(Default)]
pub(crate) struct Before {
    pub(crate) stored: Option<StoredChat>,
    pub(crate) early: Option<EarlyRevisions>,
}

/// The message that another one edits or revokes.
pub(super) struct Original {
    pub(super) platform_id: String,
    pub(super) before: Before,
}

/// The relation of the reported content of a message to its stored state.
pub(super) enum Arrival<'a> {
    /// The content is not known yet.
    New,
    /// The content is known already.
    Repeated(&'a StoredChat),
    /// A message of the other direction is stored under this id.
    Misdirected,
}

/// The content of a message, as an update reports it.
pub(super) struct Report<'a> {
    pub(super) sent: Message<'a>,
    /// The message as it was sent.
    pub(super) body: &'a RawValue,
    /// The part of it that no field holds.
    pub(super) left: &'a Left<'a>,
    pub(super) links: &'a Links,
    /// The group of the message, as the API shows it.
    pub(super) group_id: Option<String>,
    pub(super) is_truncated: bool,
}

impl Before {
    /// Returns the edits and revocations that arrived before the message's content.
    fn early_revisions(&self) -> Option<EarlyRevisions> {
        self.early.or_else(|| self.stored.as_ref()?.reported.early_revisions)
    }

    /// Returns the relation of the content of a message of this direction to the stored state.
    pub(super) fn arrival(&self, direction: Direction) -> Arrival<'_> {
        match self.stored.as_ref().filter(|known| has_content(known)) {
            None => Arrival::New,
            Some(known) if known.message().direction == direction => Arrival::Repeated(known),
            Some(_) => Arrival::Misdirected,
        }
    }

    /// Makes an outbound message the next revision of the stored one. A new message shows the edits and revocations
    /// that arrived earlier; until its content is known, they are kept beside it.
    pub(crate) fn advance(&self, after: &mut StoredChat) {
        if let Some(stored) = &self.stored {
            after.kept.revision = stored.kept.revision + 1;
            return;
        }
        after.reported.early_revisions = self.early.filter(|_| !after.reported.is_filled);
        show_revisions(after, self.early.as_ref());
    }
}

/// Returns an inbound message. `blank` is the message without content. A status that arrived first has created an
/// outbound message by mistake: only its id and time of creation are kept.
pub(super) fn received(
    before: &Before,
    blank: StoredChat,
    report: Report<'_>,
    introduced: &Sender,
    sent_at: Option<Timestamp>,
) -> StoredChat {
    let Report { sent, body, left, links, group_id, is_truncated } = report;
    let mut stored = blank;
    show_revisions(&mut stored, before.early_revisions().as_ref());
    let message = &mut stored.record.tracked.message;
    if let Some(status) = &before.stored {
        (message.id, message.created_at) = (status.message().id.clone(), status.message().created_at);
        stored.kept.revision = status.kept.revision + 1;
    }

    let sender = sent.sender(introduced);
    (message.from_phone_number, message.from_user_id) = (sender.phone_number, sender.user_id);
    message.group_id = group_id;
    message.sent_at = sent_at;
    message.contact_name.clone_from(&introduced.name);
    message.is_truncated = is_truncated.then_some(true);
    fill(&mut stored, sent, body, left, links);
    stored
}

/// Returns an outbound message that the business has sent from its phone, and the event that reports it, unless a
/// status has caused that event before. `known` is the message that statuses have created, or one without content.
pub(super) fn echoed(
    before: &Before,
    known: StoredChat,
    report: Report<'_>,
    sent_at: Timestamp,
    now: Timestamp,
) -> (StoredChat, Option<EventName>) {
    let Report { sent, body, left, links, group_id, is_truncated } = report;
    let recipient = if group_id.is_some() { RecipientRef::Group } else { RecipientRef::Only(sent.recipient()) };
    let mut after = known.clone();
    fill(&mut after, sent, body, left, links);

    // Keep the data of statuses; an echo itself carries no errors.
    for name in [STATUSES, CALLBACK_DATA] {
        let Some(kept) = member(known.data.system_data.as_ref(), name) else { continue };
        let both = with_member(after.data.system_data.as_ref(), name, &kept);
        if both.as_str().len() <= LARGEST_BODY {
            after.data.system_data = Some(both);
        }
    }
    let (message, known) = (&mut after.tracked.message, known.record.tracked.message);
    message.group_id = group_id.or(known.group_id);
    message.error_code = known.error_code;
    message.error_title = known.error_title;
    message.error_message = known.error_message;
    message.error_details = known.error_details;
    message.is_truncated = is_truncated.then_some(true);
    show_revisions(&mut after, before.early_revisions().as_ref());

    (after.reported.is_filled, after.reported.early_revisions) = (true, None);
    let status =
        StatusUpdate { recipient, status: RecipientStatus::Sent, at: sent_at, error: None, conversation: None };
    let event = after.tracked.record(&status, now);
    after.tracked.message.updated_at = now;
    (after, event)
}

/// Adds the message that a revision names to those that are known, if it is stored.
pub(super) fn with_original(mut links: Links, original: Option<&Original>, now: Timestamp) -> Links {
    if let Some(Original { platform_id, before }) = original {
        // A message that has ended is hidden, although the table may still have it and the reference to it.
        match before.stored.as_ref().filter(|known| !known.has_ended(now)) {
            Some(known) => links.insert(platform_id.clone(), known.message().id.to_string()),
            None => links.remove(platform_id),
        };
    }
    links
}
