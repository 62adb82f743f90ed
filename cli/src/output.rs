//! What commands print: tables for people, JSON for scripts.

use std::io::{IsTerminal as _, Write as _, stdout};

use serde_json::Value;

use crate::failure::Failure;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) is_json: bool,
    /// The one field of the JSON that is printed, such as `data.0.id`. It lives as long as the program.
    field: Option<&'static str>,
    has_color: bool,
}

/// A color, for values that mean good, bad or pending.
#[derive(Clone, Copy)]
enum Color {
    Green = 32,
    Red = 31,
    Yellow = 33,
}

impl Output {
    pub(crate) fn new(is_json: bool, field: Option<&str>) -> Self {
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let field = field.map(|field| &*Box::leak(Box::from(field)));
        Output { is_json: is_json || field.is_some(), field, has_color: stdout().is_terminal() && !is_plain }
    }

    /// Prints a line.
    pub(crate) fn line(self, text: &str) -> Result<(), Failure> {
        let mut stdout = stdout().lock();
        writeln!(stdout, "{text}")?;
        Ok(stdout.flush()?)
    }

    /// Prints JSON over several lines, or its field.
    pub(crate) fn json(self, value: &Value) -> Result<(), Failure> {
        match self.field {
            Some(field) => self.line(&text_at(value, field)?),
            None => self.line(&format!("{value:#}")),
        }
    }

    /// Prints a row of a stream: a line of JSON, or what people read.
    pub(crate) fn record(self, value: &Value, text: &[String]) -> Result<(), Failure> {
        match (self.field, self.is_json) {
            (Some(field), _) => self.line(&text_at(value, field)?),
            (None, true) => self.line(&value.to_string()),
            (None, false) => self.line(&text.iter().map(|cell| self.cell(cell, 0)).collect::<Vec<_>>().join("  ")),
        }
    }

    /// Prints the JSON that the API sent, or a table.
    pub(crate) fn table(self, raw: &Value, columns: &[&str], rows: &[Vec<String>]) -> Result<(), Failure> {
        if self.is_json {
            return self.json(raw);
        }
        if rows.is_empty() {
            return self.line("Nothing found.");
        }
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| plain(cell)).collect()).collect();
        let width = |index: usize| {
            let cells = rows.iter().map(|row| row[index].chars().count());
            cells.chain([columns[index].len()]).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..columns.len()).map(width).collect();
        let heading = columns.iter().zip(&widths).map(|(name, width)| format!("{name:width$}")).collect::<Vec<_>>();
        self.line(heading.join("  ").trim_end())?;
        for row in &rows {
            let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, width)| self.cell(cell, *width)).collect();
            self.line(cells.join("  ").trim_end())?;
        }
        Ok(())
    }

    /// Prints the JSON that the API sent, or its fields, one per line.
    pub(crate) fn fields(self, raw: &Value) -> Result<(), Failure> {
        if self.is_json {
            return self.json(raw);
        }
        let Some(fields) = raw.as_object() else { return self.json(raw) };
        let width = fields.keys().map(String::len).max().unwrap_or_default();
        for (name, value) in fields {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            self.line(&format!("{name:width$}  {}", self.cell(&text, 0)))?;
        }
        Ok(())
    }

    fn cell(self, text: &str, width: usize) -> String {
        let text = format!("{:width$}", plain(text));
        match color(text.trim_end()).filter(|_| self.has_color) {
            Some(color) => format!("\x1b[{}m{text}\x1b[0m", color as u8),
            None => text,
        }
    }
}

/// Returns a value inside JSON as text, by the names and positions on the way to it. Text comes as it is, everything else
/// as JSON.
fn text_at(value: &Value, field: &str) -> Result<String, Failure> {
    match field.split('.').try_fold(value, member) {
        Some(Value::String(text)) if stdout().is_terminal() => Ok(plain(text)),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value) => Ok(value.to_string()),
        None => {
            Err(Failure::Negative(format!("The result has no field {field}. Run it with --json to see its fields.")))
        }
    }
}

/// Returns an element of an array by its position, or a member of an object by its name.
fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        _ => value.get(name),
    }
}

/// Removes what a terminal would execute: the text of messages comes from strangers.
pub(crate) fn plain(text: &str) -> String {
    let is_hidden = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|letter| if is_hidden(letter) { '\u{fffd}' } else { letter }).collect()
}

fn color(text: &str) -> Option<Color> {
    match text.to_ascii_uppercase().as_str() {
        "DELIVERED" | "READ" | "ACCEPTED" | "RECEIVED" | "APPROVED" | "ACTIVE" | "COMPLETED" | "OK" => {
            Some(Color::Green)
        }
        "FAILED" | "REFUSED" | "REJECTED" | "EXPIRED" | "DISABLED" | "STOPPED" | "PROBLEM" => Some(Color::Red),
        "PENDING" | "UNKNOWN" | "QUEUED" | "SKIPPED" | "SENT" | "RUNNING" => Some(Color::Yellow),
        _ => None,
    }
}

/// Shortens text for a table.
pub(crate) fn short(text: &str, length: usize) -> String {
    match text.chars().count() > length {
        true => text.chars().take(length - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{plain, short, text_at};

    #[test]
    fn a_field_is_found_by_names_and_positions() {
        let value = json!({"data": [{"id": "a\nb", "isTest": true, "price": null}], "nextCursor": "c"});
        for (field, text) in
            [("nextCursor", "c"), ("data.0.id", "a\nb"), ("data.0.isTest", "true"), ("data.0.price", "null")]
        {
            assert_eq!(text_at(&value, field).ok().as_deref(), Some(text), "{field}");
        }
        for missing in ["", "id", "data.1.id", "data.id", "data.-1", "nextCursor.0", "data.0.id."] {
            assert_eq!(text_at(&value, missing).map_err(|failure| failure.exit_code()), Err(6), "{missing}");
        }
    }

    #[test]
    fn a_message_cannot_command_the_terminal() {
        assert_eq!(plain("a\x1b[2Jb\nc\u{202e}d"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d");
    }

    #[test]
    fn long_text_is_shortened() {
        assert_eq!((short("abcd", 4), short("äbcde", 4)), ("abcd".to_owned(), "äbc…".to_owned()));
    }
}
