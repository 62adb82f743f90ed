//! Reads the document, for the generators of libraries.

use serde_json::{Map, Value};

use crate::Operation;
use crate::error_classes::class_of;

/// Statuses that all operations have.
const UNIVERSAL: [&str; 4] = ["400", "401", "429", "500"];

/// Follows a reference to a parameter or a response.
pub(crate) fn resolved<'a>(value: &'a Value, document: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap_or(value),
        None => value,
    }
}

/// Returns the name at the end of a reference.
pub(crate) fn last(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}

/// Returns the part of an operation's name after the last dot.
pub(crate) fn last_part(id: &str) -> &str {
    id.rsplit('.').next().unwrap_or(id)
}

/// Whether a schema requires a property.
pub(crate) fn requires(schema: &Value, property: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == property))
}

/// Returns the example of a parameter.
pub(crate) fn example(parameter: &Value) -> &Value {
    if parameter["example"].is_null() { &parameter["schema"]["example"] } else { &parameter["example"] }
}

/// An error that not all operations have.
pub(crate) struct OwnError<'a> {
    pub(crate) class: &'static str,
    pub(crate) status: &'a str,
    pub(crate) description: &'a str,
}

/// Returns the errors of an operation that not all operations have.
pub(crate) fn own_errors<'a>(operation: &'a Operation<'_>, document: &'a Value) -> Vec<OwnError<'a>> {
    let responses = operation.value["responses"].as_object().into_iter().flat_map(Map::iter);
    let own = responses.filter_map(|(status, response)| {
        let response = resolved(response, document);
        let description = response["description"].as_str()?;
        let kind = &response["content"]["application/json"]["example"]["error"]["type"];
        let is_own = status.starts_with(['4', '5']) && !UNIVERSAL.contains(&status.as_str());
        let class = class_of(status, kind.as_str());
        // The descriptions that all operations share are sentences; they say nothing about one of them.
        (is_own && !description.ends_with('.')).then_some(OwnError { class, status, description })
    });
    own.collect()
}
