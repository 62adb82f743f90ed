//! Lays out TypeScript: doc comments and unions, in lines of at most 120 columns.

/// The width of a line.
const COLUMNS: usize = 120;

/// Returns a doc comment with a line break at its end, or nothing if there is nothing to say. To keep files short, the text begins
/// in the first line, and ends in the last.
pub(super) fn comment(indent: usize, text: &str) -> String {
    let space = " ".repeat(indent);
    let text = text.replace("*/", "*\\/");
    let lines: Vec<String> = text.trim().split('\n').map(str::trim_end).map(str::to_owned).collect();
    if lines.iter().all(String::is_empty) {
        return String::new();
    }

    // The last line has room for the end of the comment.
    let lines: Vec<String> =
        paragraphs(&lines).iter().flat_map(|line| wrapped(line, COLUMNS - indent - " *  */".len())).collect();
    let mut comment = format!("{space}/** {}", lines[0]);
    for line in &lines[1..] {
        comment.push_str(format!("\n{space} * {line}").trim_end());
    }
    comment + " */\n"
}

/// Returns a doc comment and what it describes, on one line if they fit.
pub(super) fn commented(indent: usize, text: &str, described: &str) -> String {
    let comment = comment(indent, text);
    let line = format!("{} {}", comment.trim_end(), described.trim_start());
    if comment.lines().count() == 1 && described.lines().count() == 1 && columns(&line) <= COLUMNS {
        return line;
    }
    comment + described
}

/// Joins the lines of each paragraph. Entries of lists and of tables and `@throws` begin lines of their own.
fn paragraphs(lines: &[String]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for line in lines {
        let begins = line.is_empty() || line.starts_with(['-', '|', '@']);
        match joined.last_mut() {
            Some(last) if !begins && !last.is_empty() && !last.starts_with('|') => {
                last.push(' ');
                last.push_str(line);
            }
            _ => joined.push(line.clone()),
        }
    }
    joined
}

/// Breaks a text between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && columns(line) + 1 + columns(word) > width {
            lines.push(word.to_owned());
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines
}

/// Returns `head` and the members of a union, on one line if they fit. `end` is what follows them.
pub(super) fn union(head: &str, members: &[String], end: &str) -> String {
    let line = format!("{head} {}{end}", members.join(" | "));
    if columns(&line) <= COLUMNS {
        return line + "\n";
    }
    let indent = head.len() - head.trim_start().len() + 2;
    let mut text = head.to_owned();
    let mut used = COLUMNS;
    for member in members {
        if used + columns(member) + 3 > COLUMNS - end.len() {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            used = indent;
            text.push_str("| ");
        } else {
            text.push_str(" | ");
        }
        used += columns(member) + 3;
        text.push_str(member);
    }
    text + end + "\n"
}

/// Returns a list in brackets of any kind, such as the parameters of a method, on one line if it fits.
pub(super) fn list(head: &str, items: &[String], tail: &str) -> String {
    let line = format!("{head}{}{tail}", items.join(", "));
    if columns(&line) <= COLUMNS {
        return line + "\n";
    }
    let indent = head.len() - head.trim_start().len();
    let space = " ".repeat(indent + 2);
    let one = format!("{space}{},", items.join(", "));
    let lines = if columns(&one) <= COLUMNS { vec![one] } else { wrapped(&items.join(", "), COLUMNS - indent - 3) };
    let lines: Vec<String> = lines.iter().map(|line| format!("{space}{}", line.trim_start())).collect();
    let comma = if lines.last().is_some_and(|line| line.ends_with(',')) { "" } else { "," };
    format!("{}\n{}{comma}\n{}{}\n", head.trim_end(), lines.join("\n"), " ".repeat(indent), tail.trim_start())
}

fn columns(text: &str) -> usize {
    text.trim_end_matches('\n').chars().count()
}

/// Returns the text as a literal.
pub(super) fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the key of a property: in quotes, if it is no name.
pub(super) fn key(name: &str) -> String {
    let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_name && !name.starts_with(|first: char| first.is_ascii_digit()) { name.to_owned() } else { literal(name) }
}
