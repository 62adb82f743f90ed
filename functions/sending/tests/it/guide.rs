//! Tests that the examples of the contract and of docs/sending.md are accepted requests.

use std::collections::BTreeSet;

use sending::messages::SendChatMessage;
use serde_json::{Value, json};
use utoipa::ToSchema as _;

use crate::kit::accepted;

const GUIDE: &str = include_str!("../../../../docs/sending.md");

const TYPES: [&str; 13] = [
    "audio",
    "contacts",
    "document",
    "image",
    "interactive",
    "location",
    "pin",
    "raw",
    "reaction",
    "sticker",
    "template",
    "text",
    "video",
];

#[test]
fn the_contract_has_an_example_of_each_type() {
    let mut schemas = Vec::new();
    SendChatMessage::schemas(&mut schemas);
    let mut seen = BTreeSet::new();
    for (name, schema) in schemas {
        let schema = serde_json::to_value(schema).unwrap();
        let examples = schema["examples"].as_array().filter(|_| name.ends_with("Message"));
        for example in examples.into_iter().flatten() {
            accepted(example);
            accepted(&with_defaults(example, &schema));
            assert_eq!(schema["properties"]["type"]["enum"], json!([example["type"]]), "{name}");
            seen.insert(example["type"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), TYPES);
}

/// Adds the defaults of a schema's absent properties.
fn with_defaults(example: &Value, schema: &Value) -> Value {
    let mut example = example.clone();
    for (name, property) in schema["properties"].as_object().unwrap() {
        if let (Some(default), None) = (property.get("default"), example.get(name)) {
            example[name] = default.clone();
        }
    }
    example
}

#[test]
fn the_guides_examples_are_accepted() {
    let blocks: Vec<Value> = GUIDE
        .split("```json\n")
        .skip(1)
        .map(|rest| serde_json::from_str(rest.split("```").next().unwrap()).unwrap())
        .collect();
    assert!(blocks.len() > 15);
    let mut kinds = BTreeSet::new();
    for block in &blocks {
        accepted(block);
        kinds.insert(block["interactive"]["kind"].as_str().unwrap_or_default());
    }
    assert_eq!(kinds.len(), 6, "every kind of interactive message: {kinds:?}");
}
