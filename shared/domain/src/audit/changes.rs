//! The fields of an object before and after a change.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::audited::Audited;

/// The longest value that is kept, in characters.
const VALUE_LENGTH: usize = 64;

/// A field that was changed. Values are cut to 64 characters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = AuditChange)]
pub struct FieldChange {
    /// The name of the field. One of a nested object is named with it: `rateLimit.burst`.
    pub field: String,
    /// The value before; omitted if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The value after; omitted if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// Returns the fields that differ between two states of an object; `None` is the state before its creation or after its
/// deletion. The fields of a nested object are named with it: `rateLimit.burst`.
pub(super) fn between<T: Audited>(before: Option<&T>, after: Option<&T>) -> Vec<FieldChange> {
    let state = |state: Option<&T>| state.and_then(|state| serde_json::to_value(state).ok()).unwrap_or_default();
    let [before, after] = [state(before), state(after)];
    T::FIELDS.iter().flat_map(|field| of_field(field, &before[field], &after[field])).collect()
}

fn of_field(field: &str, before: &Value, after: &Value) -> Vec<FieldChange> {
    if before == after {
        return Vec::new();
    }
    if !before.is_object() && !after.is_object() {
        return vec![FieldChange::new(field, shown(before).as_deref(), shown(after).as_deref())];
    }
    let parts = [before, after].into_iter().filter_map(Value::as_object).flat_map(|object| object.keys());
    let parts: BTreeSet<&String> = parts.collect();
    parts.into_iter().flat_map(|part| of_field(&format!("{field}.{part}"), &before[part], &after[part])).collect()
}

impl FieldChange {
    pub(super) fn new(field: &str, from: Option<&str>, to: Option<&str>) -> Self {
        FieldChange { field: field.to_owned(), from: from.map(cut), to: to.map(cut) }
    }

    /// Removes the values, and returns whether there were any.
    pub(super) fn forget_values(&mut self) -> bool {
        let had_values = self.from.is_some() || self.to.is_some();
        (self.from, self.to) = (None, None);
        had_values
    }
}

/// Returns a value as text: a string as it is, a list of strings with commas, anything else as JSON, and nothing for what is
/// absent or empty.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Array(values) if values.is_empty() => None,
        Value::Array(values) if values.iter().all(Value::is_string) => {
            Some(values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Returns the beginning of a value, whose last character says that it was cut.
fn cut(value: &str) -> String {
    match value.char_indices().nth(VALUE_LENGTH) {
        None => value.to_owned(),
        Some(_) => value.chars().take(VALUE_LENGTH - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_value_is_cut_to_64_characters() {
        assert_eq!(cut(&"x".repeat(64)), "x".repeat(64));
        assert_eq!(cut(&"ä".repeat(65)), format!("{}…", "ä".repeat(63)));
    }

    #[test]
    fn a_list_of_texts_reads_as_a_list() {
        assert_eq!(shown(&json!(["a", "b"])).as_deref(), Some("a, b"));
        assert_eq!(shown(&json!([])), None);
    }

    #[test]
    fn fields_of_nested_objects_are_compared_one_by_one() {
        let (before, after) =
            (json!({"burst": 5, "requestsPerSecond": 5}), json!({"burst": 9, "requestsPerSecond": 5}));
        assert_eq!(of_field("rateLimit", &before, &after), [FieldChange::new("rateLimit.burst", Some("5"), Some("9"))]);
        let removed = of_field("rateLimit", &json!({"burst": 5}), &Value::Null);
        assert_eq!(removed, [FieldChange::new("rateLimit.burst", Some("5"), None)]);
    }

    #[test]
    fn a_difference_behind_the_cut_is_a_change() {
        let [before, after] = ["a", "b"].map(|end| Value::from("x".repeat(70) + end));
        assert_eq!(of_field("name", &before, &after).len(), 1);
    }
}
