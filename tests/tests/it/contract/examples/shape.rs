//! Compares recordings: the names and the JSON types of their parts, not the values, which differ each time.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The JSON types at each place of a value. The entries of a list share a place.
type Shape = BTreeMap<String, BTreeSet<&'static str>>;

/// Returns the places at which two recordings differ. Which objects a list has may depend on time, so of its entries only the types
/// of the names that both recordings have are compared.
pub(super) fn differences(one: &Value, other: &Value) -> Vec<String> {
    let (one, other) = (shape(one), shape(other));
    let places: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let differs = |place: &String| {
        let is_in_list = place.contains("[]");
        match (one.get(place), other.get(place)) {
            (Some(one), Some(other)) if is_in_list => one.is_disjoint(other),
            (Some(one), Some(other)) => one != other,
            _ => !is_in_list,
        }
    };
    places.into_iter().filter(|place| differs(place)).cloned().collect()
}

fn shape(value: &Value) -> Shape {
    let mut shape = Shape::new();
    add(value, "", &mut shape);
    shape
}

fn add(value: &Value, place: &str, shape: &mut Shape) {
    shape.entry(place.to_owned()).or_default().insert(type_of(value));
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, field)| add(field, &format!("{place}.{name}"), shape)),
        Value::Array(items) => items.iter().for_each(|item| add(item, &format!("{place}[]"), shape)),
        _ => {}
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[test]
fn names_and_types_are_compared_at_every_depth() {
    use serde_json::json;

    let one = json!({"id": "1", "price": {"amount": 1}, "data": [{"id": "1", "readAt": "now"}, {"id": "2"}]});
    let same = json!({"id": "2", "price": {"amount": 2}, "data": [{"id": "3", "failedAt": "now"}]});
    assert_eq!(differences(&one, &same), Vec::<String>::new());
    let renamed = json!({"id": "1", "price": {"sum": 1}, "data": []});
    assert_eq!(differences(&one, &renamed), [".price.amount", ".price.sum"]);
    let other_types = json!({"id": null, "price": {"amount": 1}, "data": [{"id": 1}]});
    assert_eq!(differences(&one, &other_types), [".data[].id", ".id"]);
}
