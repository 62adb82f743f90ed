//! JSON in the platform's own format.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// How deep lists and objects may be nested in JSON that is passed on. Many parsers read no more than 100 levels.
const DEEPEST: usize = 64;

/// JSON in the platform's own format, kept as text, so that numbers of any size stay exact.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(Box<RawValue>);

impl Json {
    /// Returns the JSON of a value.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        let text = serde_json::value::to_raw_value(value)?;
        if depth(text.get()) <= DEEPEST {
            Ok(Json(text))
        } else {
            serde_json::value::to_raw_value(text.get()).map(Json)
        }
    }

    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    pub fn as_raw(&self) -> &RawValue {
        &self.0
    }
}

/// Returns how deep lists and objects are nested in valid JSON.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut is_in_text, mut is_escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_in_text = !is_in_text,
            b'{' | b'[' if !is_in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !is_in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl FromStr for Json {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        RawValue::from_string(text.to_owned()).map(Json)
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        // The text of a value is JSON.
        RawValue::from_string(value.to_string()).map_or_else(|_| Json(RawValue::NULL.to_owned()), Json)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_exact_and_deep_nesting_becomes_text() {
        let exact = r#"{"id":123456789012345678901234567890,"price":25.50}"#;
        let json: Json = exact.parse().expect("JSON");
        assert_eq!(Json::of(&json).expect("JSON").as_str(), exact);
        assert!(r#"{"a":"#.parse::<Json>().is_err());

        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let kept = |text: &str| Json::of(&text.parse::<Json>().expect("JSON")).expect("JSON").to_string();
        assert_eq!(kept(&nested(DEEPEST)), nested(DEEPEST));
        assert_eq!(kept(&nested(DEEPEST + 1)), format!("\"{}\"", nested(DEEPEST + 1)));
        assert_eq!(kept(r#""[[[\"[[""#), r#""[[[\"[[""#);
    }
}
