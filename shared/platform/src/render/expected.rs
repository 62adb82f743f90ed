//! The parameters that a template expects, derived from its stored components. Types occur in either letter case.

use domain::media::MediaKind;
use serde_json::Value;

/// The parameter that a template's header expects.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExpectedHeader {
    /// The variables of the text, none or one.
    Text(Vec<String>),
    Medium(MediaKind),
    Location,
}

/// A button of a template: the platform's name of the kind in a message, and whether it must have a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ExpectedButton {
    pub(super) kind: &'static str,
    pub(super) is_required: bool,
}

/// Returns the parameter of the header; `None` if there is no header, or if its format is unknown.
pub(super) fn expected_header(components: &Value) -> Option<ExpectedHeader> {
    let header = component(components, "HEADER")?;
    match upper(&header["format"]).as_str() {
        "TEXT" => Some(ExpectedHeader::Text(variables(header["text"].as_str()?))),
        "IMAGE" => Some(ExpectedHeader::Medium(MediaKind::Image)),
        "VIDEO" | "GIF" => Some(ExpectedHeader::Medium(MediaKind::Video)),
        "DOCUMENT" => Some(ExpectedHeader::Medium(MediaKind::Document)),
        "LOCATION" => Some(ExpectedHeader::Location),
        _ => None,
    }
}

/// Returns whether the template has a header.
pub(super) fn has_header(components: &Value) -> bool {
    component(components, "HEADER").is_some()
}

/// Returns the variables of the body; `None` if the text of the body is not known.
pub(super) fn expected_body(components: &Value) -> Option<Vec<String>> {
    component(components, "BODY")?["text"].as_str().map(variables)
}

/// Returns the buttons in their order.
pub(super) fn expected_buttons(components: &Value) -> Vec<Option<ExpectedButton>> {
    let buttons = component(components, "BUTTONS").and_then(|buttons| buttons["buttons"].as_array());
    buttons.into_iter().flatten().map(expected_button).collect()
}

/// Returns the parameter of a button; `None` if its kind is unknown.
fn expected_button(button: &Value) -> Option<ExpectedButton> {
    let has_variable = button["url"].as_str().is_some_and(|url| !variables(url).is_empty());
    let (kind, is_required) = match upper(&button["type"]).as_str() {
        "QUICK_REPLY" => ("quick_reply", false),
        "URL" => ("url", has_variable),
        "OTP" => ("url", true),
        "COPY_CODE" => ("copy_code", true),
        "FLOW" => ("flow", false),
        "CATALOG" => ("catalog", false),
        "MPM" => ("mpm", true),
        "PHONE_NUMBER" => ("phone", false),
        "VOICE_CALL" => ("voice_call", false),
        _ => return None,
    };
    Some(ExpectedButton { kind, is_required })
}

fn component<'a>(components: &'a Value, kind: &str) -> Option<&'a Value> {
    components.as_array()?.iter().find(|component| upper(&component["type"]) == kind)
}

fn upper(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_ascii_uppercase()
}

/// Returns the names in `{{name}}`, each once, in the order of their first use.
fn variables(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split("{{").skip(1) {
        let Some((name, _)) = part.split_once("}}") else { continue };
        let name = name.trim().to_owned();
        if !name.is_empty() && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}
