//! The error classes.

use std::fmt::Write as _;

use super::HEADER;
use super::text::docstring;
use crate::error_classes::{BASE, CLASSES, Class};

/// Returns the source text.
pub(super) fn module() -> String {
    let mut text = format!("{HEADER}from .._errors import {BASE}\n");
    for Class(name, base, statuses, meaning) in &CLASSES {
        let statuses: Vec<String> = statuses.iter().map(ToString::to_string).collect();
        let head = if statuses.is_empty() { String::new() } else { format!("{}: ", statuses.join(" and ")) };
        let meaning = format!("{head}{meaning}").replace('`', "``");
        let _ = write!(text, "\n\nclass {name}({base}):\n{}", docstring(4, &capitalized(&meaning)));
    }

    text.push_str("\n\nBY_STATUS: dict[int, type[MessagingError]] = {\n");
    for Class(name, _, statuses, _) in &CLASSES {
        for status in *statuses {
            let _ = writeln!(text, "    {status}: {name},");
        }
    }
    text.push_str("}\n\"\"\"The classes of statuses that have one.\"\"\"\n\n__all__ = [\n");
    for Class(name, ..) in &CLASSES {
        let _ = writeln!(text, "    \"{name}\",");
    }
    text + "]\n"
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}
