//! The comparison of a template that was sent with one that the platform lists.

use serde_json::Value;

use super::Category;

/// Fields that the platform does not return as they were sent.
const NOT_RETURNED: [&str; 2] = ["example", "zero_tap_terms_accepted"];

/// Returns whether the listed components are those that were sent: every field that was sent has the same value, apart from
/// examples, letter case and the order of components. The platform adds fields of its own. It turns the button of an
/// authentication template into one of another type, so that button is not compared.
pub fn is_same_content(sent: &[Value], listed: &Value, category: Category) -> bool {
    let Some(listed) = listed.as_array() else { return false };
    has_components(listed, sent, category == Category::Authentication)
}

fn has_components(listed: &[Value], sent: &[Value], is_code: bool) -> bool {
    let kind = |component: &Value| component["type"].as_str().unwrap_or_default().to_ascii_uppercase();
    let is_listed = |component: &Value| {
        let kind_sent = kind(component);
        let found = listed.iter().find(|other| kind(other) == kind_sent);
        let is_rewritten = is_code && kind_sent == "BUTTONS";
        found.is_some_and(|found| is_rewritten || contains(found, component))
    };
    sent.len() == listed.len() && sent.iter().all(is_listed)
}

fn contains(listed: &Value, sent: &Value) -> bool {
    match (listed, sent) {
        (Value::Object(listed), Value::Object(sent)) => sent
            .iter()
            .filter(|(name, _)| !NOT_RETURNED.contains(&name.as_str()))
            .all(|(name, value)| match listed.get(name) {
                Some(found) => is_same_field(name, found, value),
                // What is off can be left out.
                None => *value == Value::Bool(false),
            }),
        (Value::Array(listed), Value::Array(sent)) => {
            listed.len() == sent.len() && listed.iter().zip(sent).all(|(listed, sent)| contains(listed, sent))
        }
        _ => listed == sent,
    }
}

fn is_same_field(name: &str, listed: &Value, sent: &Value) -> bool {
    let is_enumeration = ["type", "format", "otp_type", "flow_action"].contains(&name);
    if let (true, Some(listed), Some(sent)) = (name == "components", listed.as_array(), sent.as_array()) {
        return has_components(listed, sent, false);
    }
    match (listed.as_str(), sent.as_str()) {
        (Some(listed), Some(sent)) if is_enumeration => listed.eq_ignore_ascii_case(sent),
        // The platform returns an id as a text or as a number, and a phone number with or without its plus.
        (Some(listed), Some(sent)) if name == "phone_number" => {
            listed.trim_start_matches('+') == sent.trim_start_matches('+')
        }
        _ => contains(listed, sent) || as_text(listed) == as_text(sent) && as_text(sent).is_some(),
    }
}

/// Returns an id as text.
fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
