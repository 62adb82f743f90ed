//! Paths and queries.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::Value;

use crate::Error;

/// What needs no encoding in a query or a part of a path. A dot is encoded in paths, so that an id cannot climb.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

/// Returns an id as a part of a path, whatever it contains.
pub fn segment(id: &str) -> String {
    utf8_percent_encode(id, PLAIN).to_string()
}

/// Returns a path with ids in the place of its braces.
pub(crate) fn filled(template: &str, ids: &[&str]) -> Result<String, Error> {
    let mut parts = template.split("{}");
    let mut path = parts.next().unwrap_or_default().to_owned();
    for (part, id) in parts.zip(ids) {
        // Servers take one or two dots for a step in the path, also when they are encoded.
        if matches!(*id, "" | "." | "..") {
            return Err(Error::usage(format!("\"{id}\" is not an id. Pass the id of the object.")));
        }
        path.push_str(&segment(id));
        path.push_str(part);
    }
    Ok(path)
}

/// Returns the fields of a query that are set, as text.
pub(crate) fn pairs(query: &impl Serialize) -> Result<Vec<(String, String)>, Error> {
    let fields =
        serde_json::to_value(query).map_err(|error| Error::usage(format!("The query is invalid: {error}.")))?;
    let fields = fields.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Ok(fields.map(|(name, value)| (name.clone(), text(value))).collect())
}

/// Adds parameters to a path.
pub(crate) fn with_query(path: &str, query: &[(String, String)]) -> String {
    let mut whole = path.to_owned();
    for (index, (name, value)) in query.iter().enumerate() {
        whole.push(if index == 0 && !path.contains('?') { '?' } else { '&' });
        whole.extend([segment(name), "=".to_owned(), segment(value)]);
    }
    whole
}
