//! The generated types against the document: what they read, they write again, without loss.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use messaging_client::types::{
    App, ChatMessageDetails, ChatMessageList, Event, Media, SendChatMessage, SmsMessage, Webhook, WebhookDelivery,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

fn document() -> Value {
    serde_json::from_str(include_str!("../../../docs/openapi.json")).unwrap()
}

fn assert_round_trip<T: DeserializeOwned + Serialize>(value: &Value) -> T {
    let typed: T = serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error} in {value:#}"));
    assert_eq!(serde_json::to_value(&typed).unwrap(), *value);
    typed
}

#[test]
fn every_sample_event_is_a_known_one_and_loses_nothing() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../events/payloads");
    let mut names = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let sample: Value = serde_json::from_str(&text).unwrap();
        let event: Event = assert_round_trip(&sample);
        assert!(!matches!(event, Event::Unknown(_)), "{sample:#}");
        names.push(sample["type"].as_str().unwrap().to_owned());
    }
    names.sort();
    let mut documented: Vec<_> = document()["components"]["schemas"]["Event"]["discriminator"]["mapping"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    documented.sort();
    assert_eq!(names, documented);
}

#[test]
fn an_event_of_a_later_version_is_kept() {
    let later = serde_json::json!({"type": "calls.started", "id": "evt_1", "data": {"id": "call_1"}});
    let event: Event = assert_round_trip(&later);
    assert!(matches!(event, Event::Unknown(_)));
}

/// Returns the examples of responses or requests whose schema has this name.
fn examples(document: &Value, schema: &str) -> Vec<Value> {
    let reference = format!("#/components/schemas/{schema}");
    let mut found = Vec::new();
    let mut open = vec![&document["paths"], &document["components"]["responses"]];
    while let Some(value) = open.pop() {
        if value["schema"]["$ref"] == reference.as_str() && !value["example"].is_null() {
            found.push(value["example"].clone());
        }
        match value {
            Value::Object(fields) => open.extend(fields.values()),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found
}

fn assert_examples<T: DeserializeOwned + Serialize>(schema: &str) {
    let examples = examples(&document(), schema);
    assert!(!examples.is_empty(), "{schema}");
    for example in examples {
        assert_round_trip::<T>(&example);
    }
}

#[test]
fn the_examples_of_the_document_lose_nothing() {
    assert_examples::<App>("App");
    assert_examples::<ChatMessageList>("ChatMessageList");
    assert_examples::<ChatMessageDetails>("ChatMessageDetails");
    assert_examples::<Media>("Media");
    assert_examples::<SmsMessage>("SmsMessage");
    assert_examples::<Webhook>("Webhook");
    assert_examples::<WebhookDelivery>("WebhookDelivery");
    assert_examples::<SendChatMessage>("SendChatMessage");
}
