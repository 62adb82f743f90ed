//! What happened to messages, which of them reached nobody, and how many there were.

mod attention;
mod failures;
mod interleavings;
mod timeline;
mod usage;

use serde_json::Value;

/// The values of a field of all entries of a list; `-` where it is absent.
fn fields<'a>(list: &'a Value, name: &str) -> Vec<&'a str> {
    list["data"].as_array().unwrap().iter().map(|entry| entry[name].as_str().unwrap_or("-")).collect()
}
