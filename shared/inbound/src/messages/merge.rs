//! The effect of reported content on a message. The functions here read and write nothing: the stored items, a message
//! without content, and the current time are parameters.

use domain::Timestamp;
use domain::chat::status::{FirstReport, Person, RecipientRef, StatusUpdate};
use domain::chat::{Direction, RecipientStatus};
use serde_json::value::RawValue;
use store::{EarlyRevisions, StoredChat};

use super::revisions::{has_content, show_revisions, shown_revisions};
use crate::content::{Links, fill, member, with_member};
use crate::lenient::{self, Left, Object};
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

/// Where the content of a message comes from. What is worth more replaces what is worth less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// A history, without the medium, which may follow.
    Placeholder,
    History,
    /// An update about this message alone.
    Live,
}

/// The type of a message of a history whose medium may follow.
const PLACEHOLDER: &str = "media_placeholder";

impl Source {
    pub(super) fn of(sent: &Message<'_>, is_history: bool) -> Self {
        match (is_history, sent.kind.as_str()) {
            (false, _) => Source::Live,
            (true, PLACEHOLDER) => Source::Placeholder,
            (true, _) => Source::History,
        }
    }

    /// Returns the source of the content of a stored message.
    fn of_stored(known: &StoredChat) -> Self {
        match (known.message().is_history, known.reported.is_placeholder) {
            (Some(true), true) => Source::Placeholder,
            (Some(true), false) => Source::History,
            _ => Source::Live,
        }
    }

    fn mark(self, stored: &mut StoredChat) {
        stored.tracked.message.is_history = (self < Source::Live).then_some(true);
        stored.reported.is_placeholder = self == Source::Placeholder;
    }
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
    pub(super) source: Source,
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
        let known = self.stored.as_ref();
        self.early.or_else(|| known?.reported.early_revisions).or_else(|| known.map(shown_revisions))
    }

    /// Returns the relation of the content of a message of this direction to the stored state.
    pub(super) fn arrival(&self, direction: Direction, source: Source) -> Arrival<'_> {
        match self.stored.as_ref().filter(|known| has_content(known)) {
            None => Arrival::New,
            Some(known) if known.message().direction != direction => Arrival::Misdirected,
            Some(known) if Source::of_stored(known) < source => Arrival::New,
            Some(known) => Arrival::Repeated(known),
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
    let Report { sent, source, body, left, links, group_id, is_truncated } = report;
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
    source.mark(&mut stored);
    keep_medium(before, &mut stored);
    stored
}

/// Keeps a medium that was fetched before a second source has supplied the same content.
fn keep_medium(before: &Before, after: &mut StoredChat) {
    let Some(known) = &before.stored else { return };
    let medium = |stored: &StoredChat| stored.reported.inbound_media.clone();
    let Some(fetched) = medium(known).filter(|known| medium(after).is_some_and(|new| new.id == known.id)) else {
        return;
    };
    after.reported.inbound_media = Some(fetched);
    let (message, known) = (&mut after.tracked.message, known.message());
    message.media_mime_type.clone_from(&known.media_mime_type);
    message.media_sha256.clone_from(&known.media_sha256);
    message.media_file_size = known.media_file_size;
}

/// Returns an outbound message of a history. Only updates about the message itself report its recipients' statuses, so the
/// history adds the time at which the message was sent or failed, and no event.
pub(super) fn imported(
    before: &Before,
    known: StoredChat,
    report: Report<'_>,
    person: &Person,
    sent_at: Timestamp,
    now: Timestamp,
) -> StoredChat {
    let status = history_status(report.body);
    let mut after = filled(before, known, report);
    let message = &mut after.tracked.message;
    message.to_phone_number = lower(message.to_phone_number.take(), person.phone_number.clone());
    message.to_user_id = lower(message.to_user_id.take(), person.user_id.clone());
    match status.as_deref() {
        Some("PENDING") => {}
        Some("ERROR") => message.failed_at = lower(message.failed_at, Some(sent_at)),
        _ => message.sent_at = lower(message.sent_at, Some(sent_at)),
    }
    message.updated_at = now;
    after
}

/// Returns the status that a message of a history had when it was shared.
fn history_status(body: &RawValue) -> Option<String> {
    let context = |message: &mut Object<'_>| message.object("history_context", |context| context.text("status"));
    lenient::read(body, context)?.value.flatten()
}

fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    one.into_iter().chain(other).min()
}

/// Returns an outbound message that the business has sent from its phone, and the event that reports it, unless a
/// status has caused that event before. `known` is the message that statuses have created, or one without content.
pub(super) fn echoed(
    before: &Before,
    known: StoredChat,
    report: Report<'_>,
    sent_at: Timestamp,
    now: Timestamp,
) -> (StoredChat, Option<FirstReport>) {
    let recipient =
        if report.group_id.is_some() { RecipientRef::Group } else { RecipientRef::Only(report.sent.recipient()) };
    let mut after = filled(before, known, report);
    let status =
        StatusUpdate { recipient, status: RecipientStatus::Sent, at: sent_at, error: None, conversation: None };
    let first = after.tracked.record(&status, now);
    after.tracked.message.updated_at = now;
    (after, first)
}

/// Returns an outbound message with its content. The data of statuses stay; a report of content carries no errors.
fn filled(before: &Before, known: StoredChat, report: Report<'_>) -> StoredChat {
    let Report { sent, source, body, left, links, group_id, is_truncated } = report;
    let mut after = known.clone();
    fill(&mut after, sent, body, left, links);
    source.mark(&mut after);
    keep_medium(before, &mut after);

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
    message.provider = known.provider;
    message.error_details = known.error_details;
    message.is_truncated = is_truncated.then_some(true);
    show_revisions(&mut after, before.early_revisions().as_ref());

    (after.reported.is_filled, after.reported.early_revisions) = (true, None);
    after
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
