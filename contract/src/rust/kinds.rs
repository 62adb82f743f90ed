//! The kinds of errors.

use std::fmt::Write as _;

use super::GENERATED;
use super::text::comment;
use crate::error_classes::{CLASSES, Class};

/// Returns the source text.
pub(super) fn module() -> String {
    let mut text = format!(
        "//! The kinds of errors.\n{GENERATED}\n/// What an error means.\n#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]\n#[non_exhaustive]\npub enum ErrorKind {{\n"
    );
    text.push_str(&comment(4, "A mistake in a call: nothing was sent."));
    text.push_str("    Usage,\n");
    for Class(name, _, statuses, meaning) in &CLASSES {
        let statuses: Vec<String> = statuses.iter().map(ToString::to_string).collect();
        let head = if statuses.is_empty() { String::new() } else { format!("{}: ", statuses.join(" and ")) };
        text.push_str(&comment(4, &capitalized(&format!("{head}{meaning}"))));
        let _ = writeln!(text, "    {},", variant(name));
    }
    text.push_str("}\n\nimpl ErrorKind {\n    /// Returns the kind of a status that has one of its own.\n    pub(crate) fn of_status(status: u16) -> Option<ErrorKind> {\n        Some(match status {\n");
    for Class(name, _, statuses, _) in CLASSES.iter().filter(|class| !class.2.is_empty()) {
        let statuses: Vec<String> = statuses.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "            {} => ErrorKind::{},", statuses.join(" | "), variant(name));
    }
    text + "            _ => return None,\n        })\n    }\n}\n"
}

/// Returns the name of the kind that the other libraries have a class for.
pub(super) fn variant(class: &str) -> &str {
    class.trim_end_matches("Error")
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}
