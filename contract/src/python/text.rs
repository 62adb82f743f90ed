//! Lays out Python: docstrings, and lists of parameters in lines of at most 120 columns.

use crate::case::snake_case;

const COLUMNS: usize = 120;
/// Words that are no names in Python, of those that the API uses.
const KEYWORDS: [&str; 13] =
    ["as", "from", "import", "class", "def", "global", "in", "is", "not", "pass", "raise", "return", "with"];

/// Returns the attribute or parameter for a field: `text_body`, `from_`.
pub(super) fn attribute(field: &str) -> String {
    let name = snake_case(field);
    if KEYWORDS.contains(&name.as_str()) { name + "_" } else { name }
}

/// Returns the names that a module gives out.
pub(super) fn exported(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    "\n".to_owned() + &list("__all__ = [", &names, "]")
}

/// Returns a docstring with a line break at its end, or nothing if there is nothing to say.
pub(super) fn docstring(indent: usize, text: &str) -> String {
    let space = " ".repeat(indent);
    let text = text.trim().replace('\\', "\\\\").replace("\"\"\"", "'''");
    if text.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = paragraphs(&text).iter().flat_map(|line| wrapped(line, COLUMNS - indent - 6)).collect();
    // Four quotation marks in a row would end the docstring early.
    let end = if lines.last().is_some_and(|line| line.ends_with('"')) { " \"\"\"\n" } else { "\"\"\"\n" };
    let mut doc = format!("{space}\"\"\"{}", lines[0]);
    for line in &lines[1..] {
        doc.push_str(format!("\n{space}{line}").trim_end_matches(' '));
    }
    doc + end
}

/// Joins the lines of each paragraph. Entries of lists and of tables begin lines of their own.
fn paragraphs(text: &str) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for line in text.split('\n').map(str::trim_end) {
        let begins = line.is_empty() || line.starts_with(['-', '|', ' ']) || line.ends_with(':');
        match joined.last_mut() {
            Some(last) if !begins && !last.is_empty() && !last.starts_with('|') && !last.ends_with(':') => {
                last.push(' ');
                last.push_str(line);
            }
            _ => joined.push(line.to_owned()),
        }
    }
    joined
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let words = text.trim_start();
    let indent = " ".repeat(text.len() - words.len());
    let mut lines: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            // What continues an entry is indented further.
            Some(_) if !indent.is_empty() => lines.push(format!("{indent}    {word}")),
            Some(_) if words.starts_with("- ") => lines.push(format!("  {word}")),
            Some(_) => lines.push(word.to_owned()),
            None => lines.push(format!("{indent}{word}")),
        }
    }
    lines
}

/// Returns a list in brackets of any kind, on one line if it fits.
pub(super) fn list(head: &str, items: &[String], tail: &str) -> String {
    let line = format!("{head}{}{tail}", items.join(", "));
    if line.chars().count() <= COLUMNS {
        return line + "\n";
    }
    let indent = head.len() - head.trim_start().len();
    let space = " ".repeat(indent + 4);
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if line.chars().count() + item.chars().count() + 3 <= COLUMNS => {
                line.push_str(&format!(" {item},"));
            }
            _ => lines.push(format!("{space}{item},")),
        }
    }
    format!("{head}\n{}\n{}{tail}\n", lines.join("\n"), " ".repeat(indent))
}
