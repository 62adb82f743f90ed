//! Repairs the text of a notification before it is parsed.

use std::borrow::Cow;

/// Returns the notification as valid Unicode: bytes that are not UTF-8 and escapes of lone surrogates, which no text
/// can hold, become the replacement character.
pub(crate) fn repaired(body: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(body);
    let lone = lone_surrogates(&text);
    if lone.is_empty() {
        return text;
    }
    let mut repaired = text.into_owned().into_bytes();
    for at in lone {
        repaired[at..at + 4].copy_from_slice(b"fffd");
    }
    Cow::Owned(String::from_utf8_lossy(&repaired).into_owned())
}

/// Returns the positions of the four digits of each escape `\uXXXX` that is half a surrogate pair.
fn lone_surrogates(json: &str) -> Vec<usize> {
    let bytes = json.as_bytes();
    let escape = |at: usize| {
        let is_escape = bytes.get(at..at + 2) == Some(br"\u");
        is_escape.then(|| json.get(at + 2..at + 6).and_then(|digits| u16::from_str_radix(digits, 16).ok())).flatten()
    };
    let mut lone = Vec::new();
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        let is_low = |code: u16| (0xdc00..0xe000).contains(&code);
        at += match escape(at) {
            Some(0xd800..0xdc00) if escape(at + 6).is_some_and(is_low) => 12,
            Some(0xd800..0xe000) => {
                lone.push(at + 2);
                6
            }
            // The character after a backslash can be a backslash itself, or have several bytes.
            _ => 1 + json[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    lone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_and_bytes_that_are_not_text_are_replaced() {
        for (sent, wanted) in [
            (r#"{"a":"plain \"text\" \\ud800"}"#, None),
            (r#""\ud83d\ude00 \u00fc""#, None),
            (r#""\ud83d""#, Some(r#""\ufffd""#)),
            (r#""\ude00\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#)),
            (r#""\uD83D\\uDE00""#, Some(r#""\ufffd\\uDE00""#)),
            (r#""\ud83d\ud83d\ude00\""#, Some(r#""\ufffd\ud83d\ude00\""#)),
            (r#""\ü""#, None),
        ] {
            assert_eq!(repaired(sent.as_bytes()), wanted.unwrap_or(sent), "{sent}");
        }
        assert_eq!(repaired(b"\"\xff\""), "\"\u{fffd}\"");
    }
}
