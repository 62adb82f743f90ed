//! Splits a value of the field `history` into the messages of its chats, and reports.

use serde_json::value::RawValue;

use super::Imported;
use crate::lenient::{self, Object};
use crate::notification::{Part, Split, Update};
use crate::wire::phone;

struct Value<'a> {
    number: Option<String>,
    own_digits: Option<String>,
    parts: Vec<HistoryPart<'a>>,
    /// Messages whose media the platform sent later than the chats.
    messages: Vec<&'a RawValue>,
    errors: Vec<&'a RawValue>,
}

struct HistoryPart<'a> {
    metadata: Option<&'a RawValue>,
    errors: Vec<&'a RawValue>,
    chats: Vec<(Option<String>, Vec<&'a RawValue>)>,
}

impl<'a> Value<'a> {
    fn read(value: &mut Object<'a>) -> Self {
        let ids =
            |metadata: &mut Object<'a>| ["phone_number_id", "display_phone_number"].map(|name| metadata.text(name));
        let [number, own_digits] = value.object("metadata", ids).unwrap_or_default();
        Value {
            number,
            own_digits,
            parts: value.list("history", HistoryPart::read),
            messages: value.raw_list("messages"),
            errors: value.raw_list("errors"),
        }
    }

    /// Returns whether the business has sent a message.
    fn is_own(&self, message: &RawValue, chat: Option<&str>) -> bool {
        let from = lenient::read(message, |message| message.id("from")).and_then(|from| from.value);
        match (phone(from.as_deref()), phone(self.own_digits.as_deref())) {
            (Some(from), Some(own)) => from == own,
            _ => chat.is_some() && from.as_deref() != chat,
        }
    }

    fn message(&self, whole: &Update, message: &RawValue, chat: Option<String>) -> Update {
        let part = if self.is_own(message, chat.as_deref()) { Part::Echo } else { Part::Message };
        Update { part, history: Some(Imported { chat }), ..whole.clone() }.with_body(message, None)
    }
}

impl<'a> HistoryPart<'a> {
    fn read(part: &mut Object<'a>) -> Self {
        HistoryPart {
            metadata: part.raw("metadata"),
            errors: part.raw_list("errors"),
            chats: part.list("threads", |chat| (chat.id("id"), chat.raw_list("messages"))),
        }
    }
}

/// Returns the update that reports progress or an error; `None` if there is neither.
fn report(whole: &Update, metadata: Option<&RawValue>, errors: &[&RawValue]) -> Option<Update> {
    if metadata.is_none() && errors.is_empty() {
        return None;
    }
    let metadata = metadata.map_or("null", RawValue::get);
    let errors: Vec<&str> = errors.iter().map(|error| error.get()).collect();
    let body = format!("{{\"metadata\":{metadata},\"errors\":[{}]}}", errors.join(","));
    let body = RawValue::from_string(body).ok()?;
    Some(Update { part: Part::History, ..whole.clone() }.with_body(&body, None))
}

impl Split {
    /// Adds the updates of a value of the field `history`.
    pub(crate) fn add_history(&mut self, whole: &Update, value: &RawValue) {
        let Some(reading) = lenient::read(value, Value::read) else {
            self.updates.push(Update { part: Part::Unreadable, ..whole.clone() }.with_body(value, None));
            return;
        };
        self.unreadable.extend(reading.unreadable);
        let value = reading.value;
        let whole = &Update { number: value.number.clone(), ..whole.clone() };
        for part in &value.parts {
            for (chat, messages) in &part.chats {
                self.updates.extend(messages.iter().map(|message| value.message(whole, message, chat.clone())));
            }
            self.updates.extend(report(whole, part.metadata, &part.errors));
        }
        self.updates.extend(value.messages.iter().map(|message| value.message(whole, message, None)));
        self.updates.extend(report(whole, None, &value.errors));
    }
}
