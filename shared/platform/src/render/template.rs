//! Templates in the platform's format. Parameters in the short form are written as components; components that a caller
//! has written are validated, and completed with the links of media.

use std::collections::BTreeMap;

use domain::Failure;
use domain::chat::outgoing::{
    ButtonParameter, ButtonValue, Content, ContentKind, HeaderParameter, Parameters, ShortParameters, Template,
};
use serde_json::{Value, json};

use super::expected::{ExpectedHeader, expected_header};
use super::resolved::Rendering;
use super::{components, location_object};

/// Makes the content of a template message, with parameters in either form.
pub fn template_content(template: Template) -> Result<Content, Failure> {
    let content = Content::template(template)?;
    if let ContentKind::Template(Template { parameters: Parameters::Components(all), .. }) = content.kind() {
        components::check(all, "template.components")?;
    }
    Ok(content)
}

pub(super) fn object(template: &Template, rendering: Rendering<'_>) -> Result<Value, Failure> {
    let components = match &template.parameters {
        Parameters::Short(short) => short_components(short, rendering)?,
        Parameters::Components(all) => components::rendered(all, rendering)?,
    };
    let mut object = json!({"name": template.name, "language": {"code": template.language}});
    if !components.is_empty() {
        object["components"] = Value::Array(components);
    }
    Ok(object)
}

/// Returns the components of parameters in the short form.
fn short_components(short: &ShortParameters, rendering: Rendering<'_>) -> Result<Vec<Value>, Failure> {
    let header = short.header.as_ref().map(|header| header_component(header, rendering)).transpose()?;
    let body = short.body.as_ref().map(body_component);
    let buttons = short.buttons.iter().flatten().map(button_component);
    Ok(header.into_iter().chain(body).chain(buttons).collect())
}

fn header_component(header: &HeaderParameter, rendering: Rendering<'_>) -> Result<Value, Failure> {
    let known = rendering.resolved.template.as_ref().and_then(expected_header);
    let parameter = match header {
        HeaderParameter::Text(text) => {
            let mut parameter = json!({"type": "text", "text": text});
            if let Some(ExpectedHeader::Text(variables)) = &known
                && let Some(name) = variables.first().filter(|name| !ShortParameters::is_position(name))
            {
                parameter["parameter_name"] = json!(name);
            }
            parameter
        }
        HeaderParameter::Location(location) => json!({"type": "location", "location": location_object(location)}),
        HeaderParameter::Medium(source) => {
            let kind = match known {
                Some(ExpectedHeader::Medium(kind)) => kind,
                _ => rendering.kind(source)?,
            };
            json!({"type": kind.as_str(), kind.as_str(): rendering.medium(source)?})
        }
    };
    Ok(json!({"type": "header", "parameters": [parameter]}))
}

fn body_component(values: &BTreeMap<String, String>) -> Value {
    let mut sorted: Vec<_> = values.iter().collect();
    sorted.sort_by_key(|(name, _)| name.parse::<usize>().unwrap_or(0));
    let parameter = |(name, text): (&String, &String)| {
        if ShortParameters::is_position(name) {
            json!({"type": "text", "text": text})
        } else {
            json!({"type": "text", "parameter_name": name, "text": text})
        }
    };
    json!({"type": "body", "parameters": sorted.into_iter().map(parameter).collect::<Vec<_>>()})
}

fn button_component(button: &ButtonParameter) -> Value {
    let kind = button_kind(&button.value);
    let parameters = [button_parameter(&button.value)];
    json!({"type": "button", "sub_type": kind, "index": button.index.to_string(), "parameters": parameters})
}

/// Returns the platform's name of the kind of button that has such a value.
pub(super) fn button_kind(value: &ButtonValue) -> &'static str {
    match value {
        ButtonValue::Payload(_) => "quick_reply",
        ButtonValue::UrlSuffix(_) => "url",
        ButtonValue::CouponCode(_) => "copy_code",
        ButtonValue::FlowToken(_) => "flow",
    }
}

fn button_parameter(value: &ButtonValue) -> Value {
    match value {
        ButtonValue::Payload(payload) => json!({"type": "payload", "payload": payload}),
        ButtonValue::UrlSuffix(suffix) => json!({"type": "text", "text": suffix}),
        ButtonValue::CouponCode(code) => json!({"type": "coupon_code", "coupon_code": code}),
        ButtonValue::FlowToken(token) => json!({"type": "action", "action": {"flow_token": token}}),
    }
}
