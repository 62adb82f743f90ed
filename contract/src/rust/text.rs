//! Lays out Rust: doc comments, and names that are no keywords.

use crate::case::snake_case;

/// The width of a line.
const COLUMNS: usize = 120;
const KEYWORDS: [&str; 4] = ["type", "match", "in", "as"];

/// Returns a doc comment with a line break at its end, or nothing if there is nothing to say.
pub(super) fn comment(indent: usize, text: &str) -> String {
    let space = " ".repeat(indent);
    let lines = text.trim().lines().map(|line| format!("{space}/// {line}").trim_end().to_owned() + "\n");
    if text.trim().is_empty() { String::new() } else { lines.collect() }
}

/// Returns the name of a field or parameter.
pub(super) fn name(of: &str) -> String {
    let name = snake_case(of);
    if KEYWORDS.contains(&name.as_str()) { format!("r#{name}") } else { name }
}

/// Returns `head`, `items` and `tail` on one line if they fit, otherwise with an item on each line.
pub(super) fn list(head: &str, items: &[String], tail: &str) -> String {
    let line = format!("{head}{}{tail}", items.join(", "));
    if line.chars().count() <= COLUMNS {
        return line + "\n";
    }
    let indent = head.len() - head.trim_start().len();
    let items: String = items.iter().map(|item| format!("{}{item},\n", " ".repeat(indent + 4))).collect();
    format!("{}\n{items}{}{tail}\n", head.trim_end(), " ".repeat(indent))
}
