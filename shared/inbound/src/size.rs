//! The size of an update. The platform's notifications have up to 3 MB, but an item of the table holds 400 KB and a
//! call to the queue 256 KiB. So a larger update is cut when its notification is split, and all later code can rely on
//! its size (docs/adr/0024-large-updates.md).

use aws::queue::growth;
use serde_json::value::RawValue;

/// The highest weight of an update. Some updates are stored twice in one item: as fields, and as they were sent.
pub const LARGEST_BODY: usize = 176 * 1024;
/// The highest weight of the contact that a notification adds to a message.
pub(crate) const LARGEST_CONTACT: usize = 16 * 1024;

/// The depth to which lists and objects are cut. Deeper values are left out.
const DEEPEST: usize = 32;

/// Returns the JSON with its longest parts cut so that its weight is at most `most`; `None` if it weighs no more. The
/// small fields of an object stay whole. Texts keep their beginning, lists their first elements.
pub(crate) fn cut(raw: &RawValue, most: usize) -> Option<Box<RawValue>> {
    if weight(raw.get()) <= most {
        return None;
    }
    let json = cut_to(raw, most, 0).unwrap_or_else(|| "null".to_owned());
    RawValue::from_string(json).ok()
}

/// Returns the number of bytes of some JSON as a text in a message of the queue, where some characters are escapes.
pub(crate) fn weight(json: &str) -> usize {
    json.len() + growth(json)
}

/// Returns `None` if nothing of the value fits.
fn cut_to(raw: &RawValue, most: usize, depth: usize) -> Option<String> {
    if weight(raw.get()) <= most {
        return Some(raw.get().to_owned());
    }
    match raw.get().as_bytes().first() {
        Some(b'"') => cut_text(raw, most),
        Some(b'[') if depth < DEEPEST => cut_list(raw, most, depth),
        Some(b'{') if depth < DEEPEST => cut_object(raw, most, depth),
        _ => None,
    }
}

fn cut_text(raw: &RawValue, most: usize) -> Option<String> {
    let text: String = serde_json::from_str(raw.get()).ok()?;
    let mut left = most.checked_sub(weight(r#""""#))?;
    let weight_of = |c: char| match c {
        '"' | '\\' => 4,
        '\u{FFFE}' | '\u{FFFF}' => 6,
        c if c.is_control() => 7,
        c => c.len_utf8(),
    };
    let fits = |c: &char| {
        let rest = left.checked_sub(weight_of(*c));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    serde_json::to_string(&text.chars().take_while(fits).collect::<String>()).ok()
}

fn cut_list(raw: &RawValue, most: usize, depth: usize) -> Option<String> {
    let elements: Vec<&RawValue> = serde_json::from_str(raw.get()).ok()?;
    let mut left = most.checked_sub(2)?;
    let mut kept = Vec::new();
    for element in elements {
        let Some(element) = cut_to(element, left.saturating_sub(1), depth + 1) else { break };
        left = left.saturating_sub(weight(&element) + 1);
        kept.push(element);
    }
    Some(format!("[{}]", kept.join(",")))
}

/// Cuts an object. Each field keeps its size up to an equal share of the space that the smaller fields leave.
fn cut_object(raw: &RawValue, most: usize, depth: usize) -> Option<String> {
    let fields = crate::lenient::fields(raw)?;
    let mut by_weight: Vec<(usize, String, &RawValue)> = Vec::new();
    for (at, (name, value)) in fields.into_iter().enumerate() {
        by_weight.push((at, format!("{}:", serde_json::to_string(&name).ok()?), value));
    }
    by_weight.sort_by_key(|(_, name, value)| weight(name) + weight(value.get()));

    let mut left = most.checked_sub(2)?;
    let mut kept = Vec::new();
    let count = by_weight.len();
    for (done, (at, name, value)) in by_weight.into_iter().enumerate() {
        let share = left / (count - done);
        let room = share.checked_sub(weight(&name) + 1);
        let Some(value) = room.and_then(|room| cut_to(value, room, depth + 1)) else { continue };
        left -= weight(&name) + weight(&value) + 1;
        kept.push((at, name + &value));
    }

    kept.sort_by_key(|(at, _)| *at);
    let kept: Vec<String> = kept.into_iter().map(|(_, field)| field).collect();
    Some(format!("{{{}}}", kept.join(",")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_longest_parts_are_cut_and_the_others_stay_whole() {
        let long = "ä\"\\\n😀".repeat(20_000);
        let sent = json!({
            "id": "wamid.1", "from": 16_505_551_234_u64, "text": {"body": long, "lang": "de"},
            "items": (0..50_000).collect::<Vec<_>>(), "note": "y".repeat(3000), "number": 1,
        });
        let raw = RawValue::from_string(sent.to_string()).expect("JSON");
        for most in [1_000, 10_000, 100_000] {
            let cut = cut(&raw, most).expect("cut");
            assert!(weight(cut.get()) <= most && weight(cut.get()) > most * 8 / 10, "{}", weight(cut.get()));
            let cut: Value = serde_json::from_str(cut.get()).expect("JSON");
            for name in ["id", "from", "number"] {
                assert_eq!(cut[name], sent[name], "{name}");
            }
            assert_eq!(cut["text"]["lang"], "de");
            assert!(cut["text"]["body"].as_str().is_some_and(|body| long.starts_with(body) && body.len() > 50));
            assert!(cut["items"].as_array().is_some_and(|items| !items.is_empty() && items.len() < 50_000));
            assert_eq!(cut["note"] == sent["note"], most > 9_000);
        }
        assert!(cut(&raw, 10_000_000).is_none());
    }

    #[test]
    fn deep_and_odd_values_are_cut_too() {
        let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        for json in [nested, "1".repeat(5_000), format!("{{\"{}\":1}}", "k".repeat(5_000))] {
            let raw = RawValue::from_string(json).expect("JSON");
            assert!(cut(&raw, 100).is_some_and(|cut| cut.get().len() <= 100));
        }
    }
}
