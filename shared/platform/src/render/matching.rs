//! The comparison of a message's parameters with the components of its template, as far as they are stored. The
//! failure names the first parameter that differs.

use std::collections::BTreeSet;

use domain::chat::outgoing::{HeaderParameter, Parameters, ShortParameters, Source};
use domain::id::MediaId;
use domain::media::MediaKind;
use domain::{ErrorCode, Failure};
use serde_json::Value;

use super::expected::{ExpectedButton, ExpectedHeader, expected_body, expected_buttons, expected_header, has_header};
use super::template::button_kind;

/// Returns the kind of an uploaded medium, if it is known.
pub type KindOf<'a> = &'a dyn Fn(&MediaId) -> Option<MediaKind>;

/// Compares parameters with the stored components of their template. Components without the text of a body are
/// incomplete, and not compared.
pub(super) fn check(parameters: &Parameters, at: &str, components: &Value, kind_of: KindOf<'_>) -> Result<(), Failure> {
    let Some(body) = expected_body(components) else { return Ok(()) };
    match parameters {
        Parameters::Short(short) => {
            check_header(short.header.as_ref(), &format!("{at}.header"), components, kind_of)?;
            check_body(short, &format!("{at}.body"), &body)?;
            check_buttons(short, &format!("{at}.buttons"), &expected_buttons(components))
        }
        Parameters::Components(own) => check_own(own, &format!("{at}.components"), components, &body),
    }
}

fn mismatch(param: &str, message: String) -> Failure {
    Failure::of_code(ErrorCode::TemplateParameterMismatch, message).with_param(param)
}

fn check_header(
    given: Option<&HeaderParameter>,
    at: &str,
    components: &Value,
    kind_of: KindOf<'_>,
) -> Result<(), Failure> {
    let Some(expected) = expected_header_parameter(components) else { return Ok(()) };
    let needs =
        |what: &str| Err(mismatch(at, format!("{at} must be {what}, which the header of this template expects.")));
    match (expected, given) {
        (None, None)
        | (Some(ExpectedHeader::Text(_)), Some(HeaderParameter::Text(_)))
        | (Some(ExpectedHeader::Location), Some(HeaderParameter::Location(_))) => Ok(()),
        (None, Some(_)) => {
            Err(mismatch(at, format!("{at} is not expected: the header of this template has no parameter. Omit it.")))
        }
        (Some(ExpectedHeader::Medium(kind)), Some(HeaderParameter::Medium(source))) => match source {
            Source::MediaId(id) if kind_of(id).is_some_and(|given| given != kind) => {
                needs(&format!("a medium of kind {}", kind.as_str()))
            }
            _ => Ok(()),
        },
        (Some(ExpectedHeader::Text(_)), _) => needs("{\"text\": ...}"),
        (Some(ExpectedHeader::Location), _) => needs("{\"location\": ...}"),
        (Some(ExpectedHeader::Medium(kind)), _) => {
            needs(&format!("{{\"mediaId\": ...}} or {{\"url\": ...}} of kind {}", kind.as_str()))
        }
    }
}

/// Returns the parameter that the header expects, `Some(None)` if it expects none; `None` if its format is not known
/// here.
fn expected_header_parameter(components: &Value) -> Option<Option<ExpectedHeader>> {
    match expected_header(components) {
        None if has_header(components) => None,
        Some(ExpectedHeader::Text(variables)) if variables.is_empty() => Some(None),
        expected => Some(expected),
    }
}

fn check_body(short: &ShortParameters, at: &str, expected: &[String]) -> Result<(), Failure> {
    let given: BTreeSet<&str> = short.body.iter().flat_map(|body| body.keys()).map(String::as_str).collect();
    if let Some(missing) = expected.iter().find(|name| !given.contains(name.as_str())) {
        let param = format!("{at}.{missing}");
        let message = format!("{param} is missing. The body of this template expects: {}.", expected.join(", "));
        return Err(mismatch(&param, message));
    }
    let Some(extra) = given.into_iter().find(|name| !expected.iter().any(|expected| expected == name)) else {
        return Ok(());
    };
    let param = format!("{at}.{extra}");
    let message = if expected.is_empty() {
        format!("{param} is not expected: the body of this template has no parameters. Omit {at}.")
    } else {
        format!("{param} is not expected. The body of this template expects: {}.", expected.join(", "))
    };
    Err(mismatch(&param, message))
}

fn check_buttons(short: &ShortParameters, at: &str, expected: &[Option<ExpectedButton>]) -> Result<(), Failure> {
    let given = short.buttons.as_deref().unwrap_or_default();
    for (position, button) in given.iter().enumerate() {
        let at = format!("{at}[{position}]");
        let (kind, field) = (button_kind(&button.value), button.value.field());
        check_button(button.index, kind, expected, &format!("{at}.index"), &format!("{at}.{field}"))?;
    }
    expect_required(given.iter().map(|button| button.index).collect(), expected, at)
}

/// Validates that the template has a button of this kind at this index.
fn check_button(
    index: i64,
    kind: &str,
    expected: &[Option<ExpectedButton>],
    index_param: &str,
    kind_param: &str,
) -> Result<(), Failure> {
    let Some(button) = usize::try_from(index).ok().and_then(|index| expected.get(index)) else {
        let message =
            format!("{index_param} is not expected: this template has {} buttons, counted from 0.", expected.len());
        return Err(mismatch(index_param, message));
    };
    match button {
        Some(button) if button.kind != kind => {
            let message =
                format!("{kind_param} is not expected: button {index} of this template is of kind {}.", button.kind);
            Err(mismatch(kind_param, message))
        }
        Some(button) if kind == "url" && !button.is_required => Err(mismatch(
            kind_param,
            format!("{kind_param} is not expected: the URL of button {index} has no variable."),
        )),
        _ => Ok(()),
    }
}

fn expect_required(given: BTreeSet<i64>, expected: &[Option<ExpectedButton>], at: &str) -> Result<(), Failure> {
    for (index, button) in (0_i64..).zip(expected) {
        if let Some(button) = button.as_ref().filter(|button| button.is_required && !given.contains(&index)) {
            let message =
                format!("{at} must have a parameter for button {index} of this template, of kind {}.", button.kind);
            return Err(mismatch(at, message));
        }
    }
    Ok(())
}

/// Compares components in the platform's own form.
fn check_own(own: &[Value], at: &str, components: &Value, body: &[String]) -> Result<(), Failure> {
    let expected = expected_buttons(components);
    let (mut has_body, mut has_header_parameter, mut indexes) = (false, false, BTreeSet::new());
    for (position, component) in own.iter().enumerate() {
        let at = format!("{at}[{position}]");
        let parameters = component["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        match component["type"].as_str().unwrap_or_default().to_ascii_lowercase().as_str() {
            "header" => {
                has_header_parameter = !parameters.is_empty();
                check_own_header(parameters, &format!("{at}.parameters"), components)?;
            }
            "body" => {
                has_body = true;
                check_own_body(parameters, &format!("{at}.parameters"), body)?;
            }
            "button" => {
                let index = match &component["index"] {
                    Value::String(text) => text.parse().unwrap_or(-1),
                    other => other.as_i64().unwrap_or(-1),
                };
                let kind = component["sub_type"].as_str().unwrap_or_default().to_ascii_lowercase();
                check_button(index, &kind, &expected, &format!("{at}.index"), &format!("{at}.sub_type"))?;
                indexes.insert(index);
            }
            _ => {}
        }
    }

    if !has_body && !body.is_empty() {
        let message = format!("{at} must have a body with {} parameters: {}.", body.len(), body.join(", "));
        return Err(mismatch(at, message));
    }
    let expects_header = matches!(expected_header_parameter(components), Some(Some(_)));
    if expects_header && !has_header_parameter {
        return Err(mismatch(at, format!("{at} must have a header with one parameter, which this template expects.")));
    }
    expect_required(indexes, &expected, at)
}

fn check_own_header(given: &[Value], at: &str, components: &Value) -> Result<(), Failure> {
    let Some(expected) = expected_header_parameter(components) else { return Ok(()) };
    let expected = expected.map(|header| match header {
        ExpectedHeader::Text(_) => "text",
        ExpectedHeader::Location => "location",
        ExpectedHeader::Medium(kind) => kind.as_str(),
    });
    match (expected, given) {
        (None, []) => Ok(()),
        (Some(kind), [parameter]) if parameter["type"] == kind => Ok(()),
        (Some(kind), _) => Err(mismatch(at, format!("{at} must have one parameter of type {kind}."))),
        (None, _) => Err(mismatch(at, format!("{at} must be empty: the header of this template has no parameter."))),
    }
}

fn check_own_body(given: &[Value], at: &str, expected: &[String]) -> Result<(), Failure> {
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
