//! Finds the interface that another one extends: `ChatMessageDetails` has all fields of `ChatMessage`.

use crate::reading::requires;
use serde_json::{Map, Value};

use super::schema::Reading;

/// The fewest fields that are worth it.
const FEWEST: usize = 3;

/// Returns the largest schema whose name is a part of this one's, and whose fields this one has with the same types.
pub(super) fn base_of<'a>(
    name: &str,
    schema: &Value,
    schemas: &'a Map<String, Value>,
    reading: &Reading,
) -> Option<(&'a str, &'a Value)> {
    let candidates = schemas.iter().filter(|(other, base)| {
        *other != name
            && is_variant(name, other)
            && reading.is_only_read(other) == reading.is_only_read(name)
            && has_all_fields(schema, base, reading)
    });
    let largest = candidates.max_by_key(|(_, base)| base["properties"].as_object().map_or(0, Map::len));
    largest.map(|(name, base)| (name.as_str(), base))
}

/// Whether a name is another one with more words: `AppChatPhoneNumber` and `ChatPhoneNumber`, `CreatedWebhook` and `Webhook`.
fn is_variant(name: &str, other: &str) -> bool {
    name.starts_with(other) || name.ends_with(other)
}

fn has_all_fields(schema: &Value, base: &Value, reading: &Reading) -> bool {
    let Some(fields) = base["properties"].as_object().filter(|fields| fields.len() >= FEWEST) else { return false };
    fields.iter().all(|(field, of_base)| {
        let own = &schema["properties"][field];
        !own.is_null()
            && reading.type_of(own, true) == reading.type_of(of_base, true)
            && requires(schema, field) == requires(base, field)
    })
}
