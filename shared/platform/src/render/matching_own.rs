//! The comparison of components in the platform's own form with those of their template.

use std::collections::BTreeSet;

use domain::Failure;
use serde_json::Value;

use super::expected::{
    ExpectedHeader, expected_buttons, expected_card_body, expected_cards, expected_header_parameter, expected_offer,
};
use super::mismatch::{check_button, expect_count, expect_required, mismatch};

/// Compares the components of a message.
pub(super) fn check(own: &[Value], at: &str, components: &Value, body: &[String]) -> Result<(), Failure> {
    check_parts(own, at, components, Some(body))?;
    check_offer(own, at, components)?;
    check_cards(own, at, components)
}

/// Compares header, body and buttons, of a template or of a card. `body` is `None` if its text is not known.
fn check_parts(own: &[Value], at: &str, components: &Value, body: Option<&[String]>) -> Result<(), Failure> {
    let expected = expected_buttons(components);
    let (mut has_body, mut has_header_parameter, mut indexes) = (false, false, BTreeSet::new());
    for (position, component) in own.iter().enumerate() {
        let at = format!("{at}[{position}]");
        let parameters = parameters(component);
        match kind(component).as_str() {
            "header" => {
                has_header_parameter = !parameters.is_empty();
                check_header(parameters, &format!("{at}.parameters"), components)?;
            }
            "body" => {
                has_body = true;
                check_body(parameters, &format!("{at}.parameters"), body)?;
            }
            "button" => {
                let index = integer(&component["index"]);
                let kind = component["sub_type"].as_str().unwrap_or_default().to_ascii_lowercase();
                check_button(index, &kind, &expected, &format!("{at}.index"), &format!("{at}.sub_type"))?;
                indexes.insert(index);
            }
            _ => {}
        }
    }

    if let Some(body) = body.filter(|body| !has_body && !body.is_empty()) {
        let message = format!("{at} must have a body with {} parameters: {}.", body.len(), body.join(", "));
        return Err(mismatch(at, message));
    }
    let expects_header = matches!(expected_header_parameter(components), Some(Some(_)));
    if expects_header && !has_header_parameter {
        return Err(mismatch(at, format!("{at} must have a header with one parameter, which this template expects.")));
    }
    expect_required(indexes, &expected, at)
}

fn kind(component: &Value) -> String {
    component["type"].as_str().unwrap_or_default().to_ascii_lowercase()
}

fn parameters(component: &Value) -> &[Value] {
    component["parameters"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns a position, which can be a number or a text; -1 if it is neither.
fn integer(value: &Value) -> i64 {
    match value {
        Value::String(text) => text.parse().unwrap_or(-1),
        other => other.as_i64().unwrap_or(-1),
    }
}

fn check_header(given: &[Value], at: &str, components: &Value) -> Result<(), Failure> {
    let Some(expected) = expected_header_parameter(components) else { return Ok(()) };
    let expected = expected.map(|header| match header {
        ExpectedHeader::Text(_) => "text",
        ExpectedHeader::Location => "location",
        ExpectedHeader::Product => "product",
        ExpectedHeader::Gif => "gif",
        ExpectedHeader::Medium(kind) => kind.as_str(),
    });
    match (expected, given) {
        (None, []) => Ok(()),
        (Some(kind), [parameter]) if parameter["type"] == kind => Ok(()),
        // The platform shows a GIF that is too large as a video.
        (Some("gif"), [parameter]) if parameter["type"] == "video" => Ok(()),
        (Some(kind), _) => Err(mismatch(at, format!("{at} must have one parameter of type {kind}."))),
        (None, _) => Err(mismatch(at, format!("{at} must be empty: the header of this template has no parameter."))),
    }
}

fn check_body(given: &[Value], at: &str, expected: Option<&[String]>) -> Result<(), Failure> {
    let Some(expected) = expected else { return Ok(()) };
    if given.len() != expected.len() {
        let message = format!(
            "{at} must have {} entries, the parameters of this template's body. This one has {}.",
            expected.len(),
            given.len()
        );
        return Err(mismatch(at, message));
    }
    for (position, parameter) in given.iter().enumerate() {
        let Some(name) = parameter["parameter_name"].as_str() else { continue };
        if !expected.iter().any(|expected| expected == name) {
            let param = format!("{at}[{position}].parameter_name");
            let message =
                format!("{param} is not expected. The body of this template expects: {}.", expected.join(", "));
            return Err(mismatch(&param, message));
        }
    }
    Ok(())
}

fn check_offer(own: &[Value], at: &str, components: &Value) -> Result<(), Failure> {
    const NAME: &str = "limited_time_offer";
    let given = own.iter().position(|component| kind(component) == NAME);
    match (expected_offer(components), given) {
        (Some(true), None) => {
            let message = format!("{at} must have a {NAME} with its expiration_time_ms, because this offer expires.");
            Err(mismatch(at, message))
        }
        (None, Some(position)) => {
            let at = format!("{at}[{position}]");
            Err(mismatch(&at, format!("{at} is not expected: this template has no offer.")))
        }
        (Some(true), Some(position)) if !parameters(&own[position]).iter().any(has_expiration) => {
            let at = format!("{at}[{position}].parameters");
            Err(mismatch(&at, format!("{at} must have one {NAME} with an integer expiration_time_ms.")))
        }
        _ => Ok(()),
    }
}

fn has_expiration(parameter: &Value) -> bool {
    parameter["limited_time_offer"]["expiration_time_ms"].is_i64()
}

fn check_cards(own: &[Value], at: &str, components: &Value) -> Result<(), Failure> {
    let Some(expected) = expected_cards(components) else { return Ok(()) };
    let given = own.iter().position(|component| kind(component) == "carousel");
    let (position, expected) = match (given, expected) {
        (None, None) => return Ok(()),
        (Some(position), None) => {
            let at = format!("{at}[{position}]");
            return Err(mismatch(&at, format!("{at} is not expected: this template has no cards.")));
        }
        (None, Some(_)) => {
            return Err(mismatch(at, format!("{at} must have a carousel with the cards of this template.")));
        }
        (Some(position), Some(expected)) => (position, expected),
    };

    let at = format!("{at}[{position}].cards");
    let cards = own[position]["cards"].as_array().map(Vec::as_slice).unwrap_or_default();
    expect_count(cards.len(), expected.count(), &at)?;
    for (position, card) in cards.iter().enumerate() {
        let index = usize::try_from(integer(&card["card_index"])).unwrap_or(position);
        let Some(components) = expected.card(index) else { continue };
        let parts = card["components"].as_array().map(Vec::as_slice).unwrap_or_default();
        let body = expected_card_body(components);
        check_parts(parts, &format!("{at}[{position}].components"), components, body.as_deref())?;
    }
    Ok(())
}
