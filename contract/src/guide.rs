//! The introduction of the API reference.

use domain::ErrorCode;

const TEXT: &str = include_str!("guide.md");
/// How to receive events, with code that verifies a delivery. CI runs the code against a delivery of the local stack.
const RECEIVE_EVENTS: &str = include_str!("receive_events.md");

/// Returns the introduction: the guide with the codes of the error table, and the chapter on receiving events.
pub(crate) fn text() -> String {
    let (reserved, in_use): (Vec<ErrorCode>, Vec<ErrorCode>) =
        ErrorCode::ALL.iter().partition(|code| code.is_reserved());
    let guide = TEXT.replace("{codes}", &listed(&in_use)).replace("{reserved codes}", &listed(&reserved));
    format!("{guide}\n{RECEIVE_EVENTS}")
}

fn listed(codes: &[ErrorCode]) -> String {
    codes.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ")
}
