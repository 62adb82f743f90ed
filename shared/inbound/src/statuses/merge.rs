//! The effect of a status on an outbound message. The functions here read and write nothing. The result does not depend
//! on the order of statuses.

use domain::chat::Outcome;
use domain::chat::status::{FirstReport, Person, RecipientRef, StatusUpdate};
use domain::{Json, Timestamp};
use store::StoredChat;

use crate::content::{member, with_member};
use crate::messages::{CALLBACK_DATA, STATUSES};
use crate::size::LARGEST_BODY;

/// A status, as an update reports it.
pub(super) struct Report {
    pub(super) update: StatusUpdate,
    /// The group of the message, as the API shows it.
    pub(super) group_id: Option<String>,
    /// Callback data that another service has set.
    pub(super) callback_data: Option<Json>,
    /// The part of the status that no field holds, and the name under which it is kept.
    pub(super) left: Option<Json>,
    pub(super) name: String,
}

/// Returns the message after a status, and whether the status is reported for the first time.
pub(super) fn merge(
    known: StoredChat,
    platform_id: &str,
    report: &Report,
    now: Timestamp,
) -> (StoredChat, Option<FirstReport>) {
    let mut after = known;
    if let Some(data) = &report.callback_data {
        keep(&mut after, CALLBACK_DATA, data);
    }
    if let Some(left) = &report.left {
        keep_left(&mut after, &report.name, left);
    }
    let message = &mut after.tracked.message;
    message.group_id = message.group_id.take().or_else(|| report.group_id.clone());
    message.provider_message_id.get_or_insert_with(|| platform_id.to_owned());
    let first = after.tracked.record(&report.update, now);
    (after, first)
}

/// Returns the message after a status that is not one of messages, or that this version does not know. It is kept under
/// its name. Any status shows that the platform accepted the message.
pub(super) fn merge_unknown(
    known: StoredChat,
    platform_id: &str,
    name: &str,
    status: Option<&Json>,
    now: Timestamp,
) -> StoredChat {
    let mut after = known;
    if let Some(status) = status {
        keep_left(&mut after, name, status);
    }
    if matches!(after.tracked.outcome(), Some(Outcome::Pending | Outcome::Unknown)) {
        after.tracked.accept(platform_id, now);
    }
    after
}

/// Returns the recipient if the status is the first of its message that names their number together with the user id, so that
/// a contact that is known by one of them is known by both.
pub(super) fn newly_linked<'a>(before: Option<&StoredChat>, recipient: &'a RecipientRef) -> Option<&'a Person> {
    let (RecipientRef::Only(person) | RecipientRef::Member(person)) = recipient else { return None };
    let known = before.map_or(&[][..], |known| &known.tracked.recipients);
    let is_known = known.iter().any(|known| known.user_id == person.user_id && known.phone_number.is_some());
    (person.phone_number.is_some() && person.user_id.is_some() && !is_known).then_some(person)
}

/// Returns the object with JSON under a name. If there is a value already, the lower text is kept, so that the result
/// does not depend on the order of statuses.
fn with_lower(object: Option<&Json>, name: &str, json: &Json) -> Json {
    let known = member(object, name).filter(|known| known.as_str() <= json.as_str());
    with_member(object, name, known.as_ref().unwrap_or(json))
}

/// Keeps JSON under a name in `systemData`, as long as there is room for it.
fn keep(stored: &mut StoredChat, name: &str, json: &Json) {
    let data = with_lower(stored.data.system_data.as_ref(), name, json);
    if data.as_str().len() <= LARGEST_BODY {
        stored.data.system_data = Some(data);
    }
}

/// Keeps the part of a status that no field holds.
fn keep_left(stored: &mut StoredChat, name: &str, left: &Json) {
    let statuses = member(stored.data.system_data.as_ref(), STATUSES);
    let statuses = with_lower(statuses.as_ref(), name, left);
    let data = with_member(stored.data.system_data.as_ref(), STATUSES, &statuses);
    if data.as_str().len() <= LARGEST_BODY {
        stored.data.system_data = Some(data);
    }
}
