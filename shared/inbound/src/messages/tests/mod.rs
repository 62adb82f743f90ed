//! Table tests of messages: the stored state of a message, an update, and the new state.

mod content;
mod revisions;

use domain::Timestamp;
use domain::chat::status::{Person, RecipientRef, StatusUpdate};
use domain::chat::{ChatMessage, ChatMessageType, Direction, RecipientStatus};
use domain::events::event::EventName;
use domain::identity::organization::MessageRetention;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use store::{ChatRecord, EarlyRevisions, Stored, StoredChat};

use super::merge::{Arrival, Before, Report, Source, echoed, received};
use super::revisions::Revised;
use crate::content::Links;
use crate::lenient::read;
use crate::wire::{Message, Sender};

/// The ids of a message that is stored, and of a message without content.
const STORED_ID: &str = "msg_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
const NEW_ID: &str = "msg_wa_0ujzPyRiIAffKhBux4PvQdDqMHY";
/// When the stored message was created, and the current time, in seconds.
const CREATED: i64 = -1000;
const NOW: i64 = 1000;

/// Returns a second of the tables.
fn second(n: i64) -> Timestamp {
    Timestamp::from_millis((2_000_000_000 + n) * 1000)
}

/// Returns a message without content.
pub(crate) fn blank(id: &str, direction: Direction, created_at: Timestamp) -> StoredChat {
    let id = id.parse().expect("an id");
    let number = "wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
    let display = "+12015550100".parse().expect("a number");
    let mut message = ChatMessage::blank(id, &number, &display, direction, ChatMessageType::Unknown, created_at);
    message.provider_message_id = Some("wamid.1".to_owned());
    Stored::new(ChatRecord::new(message), MessageRetention::default())
}

/// Returns a message that was stored in revision 3, without content.
fn stored(direction: Direction) -> StoredChat {
    let mut stored = blank(STORED_ID, direction, second(CREATED));
    stored.kept.revision = 3;
    stored
}

/// Returns the status of a message for its single recipient.
fn status(status: RecipientStatus, at: i64) -> StatusUpdate {
    let phone_number = "+12015550101".parse().ok();
    let recipient = RecipientRef::Only(Person { phone_number, user_id: None });
    StatusUpdate { recipient, status, at: second(at), error: None, conversation: None }
}

/// Reads a message, and passes its content to `merge`.
fn reporting<T>(message: &Value, merge: impl FnOnce(Report<'_>) -> T) -> T {
    let body = RawValue::from_string(message.to_string()).expect("JSON");
    let (reading, links) = (read(&body, Message::read).expect("an object"), Links::new());
    merge(Report {
        sent: reading.value,
        source: Source::Live,
        body: &body,
        left: &reading.left,
        links: &links,
        group_id: None,
        is_truncated: false,
    })
}

/// Applies an inbound message of second 10 from Ann.
fn after_inbound(before: &Before) -> StoredChat {
    let message = json!({"id": "wamid.1", "from": "12015550101", "type": "text", "text": {"body": "Hi"}});
    let introduced = Sender { name: Some("Ann".to_owned()), ..Sender::default() };
    let blank = blank(NEW_ID, Direction::Inbound, second(NOW));
    reporting(&message, |report| received(before, blank, report, &introduced, Some(second(10))))
}

/// Applies the echo of a message of second 10 to Ann. The echo has a field that this version does not know.
fn after_echo(before: &Before) -> (StoredChat, Option<EventName>) {
    let message = json!({"id": "wamid.1", "to": "12015550101", "type": "text", "text": {"body": "Hi"}, "odd": 1});
    let known = before.stored.clone().unwrap_or_else(|| blank(NEW_ID, Direction::Outbound, second(NOW)));
    let (mut after, event) = reporting(&message, |report| echoed(before, known, report, second(10), second(NOW)));
    before.advance(&mut after);
    (after, event.map(|first| first.event))
}

/// Checks these fields of a message in the form in which the API shows it; `null` stands for an absent field.
fn assert_shown(name: &str, message: &StoredChat, expected: &Value) {
    let shown = serde_json::to_string(&message.record.clone().into_details()).expect("JSON");
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    for (field, value) in expected.as_object().expect("an object") {
        assert_eq!(shown.get(field).unwrap_or(&Value::Null), value, "{name}: {field}");
    }
}
