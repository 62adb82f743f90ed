//! A table of requests, each with the expected body for the platform (bodies/*.json). `from` and `to`, and the fields
//! of the body that are the same for every message to a phone number, are left out.

use domain::chat::outgoing::Outgoing;
use platform::render::{self, Resolved};
use serde_json::{Value, json};

use crate::kit::{accepted, body};

const TABLES: [(&str, &str); 6] = [
    ("simple", include_str!("bodies/simple.json")),
    ("media", include_str!("bodies/media.json")),
    ("interactive", include_str!("bodies/interactive.json")),
    ("templates", include_str!("bodies/templates.json")),
    ("raw", include_str!("bodies/raw.json")),
    ("recipients", include_str!("bodies/recipients.json")),
];

pub(crate) fn rows() -> Vec<(String, Value)> {
    let rows = TABLES.iter().flat_map(|(table, text)| {
        let rows: Vec<Value> = serde_json::from_str(text).unwrap();
        rows.into_iter().map(move |row| (format!("{table}: {}", row["case"].as_str().unwrap()), row))
    });
    rows.collect()
}

#[test]
fn the_body_for_the_platform_is_the_documented_one() {
    for (case, row) in rows() {
        let mut expected =
            json!({"messaging_product": "whatsapp", "recipient_type": "individual", "to": "+12015550199"});
        if row["body"]["recipient"].is_string() {
            expected.as_object_mut().unwrap().remove("to");
        }
        expected.as_object_mut().unwrap().extend(row["body"].as_object().unwrap().clone());
        assert_eq!(Value::Object(body(&accepted(&row["sent"]))), expected, "{case}");
    }
}

#[test]
fn a_stored_message_gives_the_same_body() {
    for (case, row) in rows() {
        let message = accepted(&row["sent"]);
        let stored = serde_json::to_string(&message).unwrap();
        let read: Outgoing = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, message, "{case}");
        assert_eq!(body(&read), body(&message), "{case}");
    }
}

#[test]
fn a_message_with_unresolved_objects_is_not_rendered() {
    for (case, row) in rows() {
        let message = accepted(&row["sent"]);
        let ours = message.messages().iter().any(|named| named.message.to_string().starts_with("msg_wa_"));
        let names_any = ours || !render::media(message.content()).is_empty() || message.to().is_group();
        let failed = render::body(&message, &Resolved::default());
        assert_eq!(failed.is_err(), names_any, "{case}");
    }
}
