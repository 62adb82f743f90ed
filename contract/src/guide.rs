//! The introduction of the API reference.

/// The quick start, and what all operations have in common. CI runs its commands as written against the local stack.
const TEXT: &str = include_str!("guide.md");
/// How to receive events, with code that verifies a delivery. CI runs the code against a delivery of the local stack.
const RECEIVE_EVENTS: &str = include_str!("receive_events.md");

/// Returns the introduction: the guide, and the chapter on receiving events.
pub(crate) fn text() -> String {
    format!("{TEXT}\n{RECEIVE_EVENTS}")
}
