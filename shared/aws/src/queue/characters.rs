//! The characters that SQS accepts in messages and their attributes: those of XML 1.0.

use std::borrow::Cow;

/// The characters that JSON may contain unescaped, but SQS rejects.
const REJECTED: [(char, &str); 2] = [('\u{FFFE}', "\\ufffe"), ('\u{FFFF}', "\\uffff")];

/// How many more bytes such a character takes as an escape than in a text.
const MORE_BYTES: usize = 3;

/// Returns JSON of the same value that SQS accepts.
pub fn acceptable(json: &str) -> Cow<'_, str> {
    if !json.contains(REJECTED.map(|(rejected, _)| rejected)) {
        return Cow::Borrowed(json);
    }
    // Such characters occur within strings only, where JSON can write them as escapes.
    let escaped = REJECTED.iter().fold(json.to_owned(), |json, (rejected, escape)| json.replace(*rejected, escape));
    Cow::Owned(escaped)
}

/// Returns how many more bytes a text takes in a message, as JSON within JSON, than by itself.
pub fn growth(text: &str) -> usize {
    let escaped = text.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    escaped + MORE_BYTES * text.matches(REJECTED.map(|(rejected, _)| rejected)).count()
}

/// Returns a text other than JSON in a form that SQS accepts.
pub(super) fn plain(text: &str) -> String {
    let is_accepted = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..);
    text.chars().map(|c| if is_accepted(c) { c } else { '\u{FFFD}' }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_message_has_the_same_value_without_characters_that_sqs_rejects() {
        let value =
            json!({"text": "a\u{FFFE}b\u{FFFF}\u{FFFD}\u{1F600}\u{0}\u{B}", "json": "{\"a\": \"\\u0001\u{FFFE}\"}"});
        let json = value.to_string();
        let sent = acceptable(&json);
        assert_eq!(serde_json::from_str::<Value>(&sent).expect("JSON"), value);
        assert_eq!(plain(&sent), sent, "each character is accepted");
        assert!(matches!(acceptable("{}"), Cow::Borrowed("{}")));
    }

    #[test]
    fn a_text_in_a_message_grows_as_calculated() {
        for text in ["", "a", "{\"a\": \"\\n\"}", "\u{FFFE}\u{FFFF}\u{FFFD}", "\"\u{FFFF}\\"] {
            let json = serde_json::to_string(text).expect("JSON");
            assert_eq!(acceptable(&json).len(), text.len() + growth(text) + 2, "{text}");
        }
    }

    #[test]
    fn attributes_lose_characters_that_they_cannot_hold() {
        assert_eq!(plain("a\u{0}b\u{FFFE}c\n\u{1F600}"), "a\u{FFFD}b\u{FFFD}c\n\u{1F600}");
    }
}
