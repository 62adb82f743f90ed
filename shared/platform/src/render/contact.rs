//! Contact cards in the platform's format.

use domain::Failure;
use domain::chat::outgoing::ContactCard;
use serde_json::{Map, Value};

/// Returns the platform's cards: the same fields, with names in snake case.
pub(super) fn object(cards: &[ContactCard]) -> Result<Value, Failure> {
    Ok(snake_case(serde_json::to_value(cards).map_err(Failure::internal)?))
}

fn snake_case(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let renamed = fields.into_iter().map(|(name, value)| (snake(&name), snake_case(value)));
            Value::Object(Map::from_iter(renamed))
        }
        Value::Array(entries) => entries.into_iter().map(snake_case).collect(),
        other => other,
    }
}

fn snake(name: &str) -> String {
    name.chars().fold(String::new(), |mut snake, c| {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
        snake
    })
}
