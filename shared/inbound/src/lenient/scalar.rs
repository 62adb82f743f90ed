//! The values of fields: texts, numbers and times in the forms in which the platform writes them, and elements of lists.

use domain::Timestamp;
use domain::identity::credential::hex;
use ring::digest::{SHA256, digest};
use serde_json::value::RawValue;

/// The longest id in bytes. A longer one is replaced by its hash, because it becomes part of a key of the table.
const LONGEST_ID: usize = 512;

/// Times from this value on are in milliseconds: in seconds, they would be after the year 5000.
const FIRST_MILLIS: i64 = 100_000_000_000;

/// Returns the first byte of a value, which names its type: `n` for `null`.
pub(super) fn first_byte(raw: &RawValue) -> u8 {
    raw.get().as_bytes().first().copied().unwrap_or(b'n')
}

pub(super) fn elements(raw: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(raw.get()).ok()
}

pub(super) fn list_elements(raw: &RawValue) -> Option<Vec<&RawValue>> {
    let elements = match first_byte(raw) {
        b'[' => elements(raw)?,
        b'{' => vec![raw],
        _ => return None,
    };
    Some(elements.into_iter().filter(|element| first_byte(element) != b'n').collect())
}

/// Returns a text, or the characters of a number or truth value; `None` for a list or object.
pub(crate) fn text(raw: &RawValue) -> Option<String> {
    match first_byte(raw) {
        b'"' => serde_json::from_str(raw.get()).ok(),
        b'{' | b'[' => None,
        _ => Some(raw.get().to_owned()),
    }
}

pub(super) fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    let fraction = || text.parse::<f64>().ok().filter(|number| number.abs() < 9e15).map(|number| number as i64);
    text.parse().ok().or_else(fraction)
}

pub(super) fn time(text: &str) -> Option<Timestamp> {
    let of_number = |number: i64| {
        let millis = if number >= FIRST_MILLIS { number } else { number.saturating_mul(1000) };
        Timestamp::from_millis(millis)
    };
    number(text).map(of_number).or_else(|| Timestamp::parse(text.trim()))
}

pub(crate) fn bounded_id(id: String) -> String {
    if id.len() <= LONGEST_ID { id } else { format!("sha256:{}", hex(digest(&SHA256, id.as_bytes()).as_ref())) }
}
