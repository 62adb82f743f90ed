//! Interactive messages in the platform's format.

use domain::Failure;
use domain::chat::outgoing::{Action, Button, Flow, FlowName, Header, Interactive};
use serde_json::{Value, json};

use super::resolved::Rendering;

/// The version of the platform's parameters of flows.
const FLOW_VERSION: &str = "3";

pub(super) fn object(interactive: &Interactive, rendering: Rendering<'_>) -> Result<Value, Failure> {
    let (kind, action) = action_object(&interactive.action);
    let mut object = json!({"type": kind, "body": {"text": interactive.body}, "action": action});
    if let Some(header) = &interactive.header {
        object["header"] = header_object(header, rendering)?;
    }
    if let Some(footer) = &interactive.footer {
        object["footer"] = json!({"text": footer});
    }
    Ok(object)
}

fn header_object(header: &Header, rendering: Rendering<'_>) -> Result<Value, Failure> {
    match header {
        Header::Text(text) => Ok(json!({"type": "text", "text": text})),
        Header::Medium(source) => {
            let kind = rendering.kind(source)?.as_str();
            Ok(json!({"type": kind, kind: rendering.medium(source)?}))
        }
    }
}

/// Returns the platform's name of the action's kind, and its object.
fn action_object(action: &Action) -> (&'static str, Value) {
    match action {
        Action::Buttons(buttons) => {
            let reply = |button: &Button| json!({"type": "reply", "reply": {"id": button.id, "title": button.title}});
            ("button", json!({"buttons": buttons.iter().map(reply).collect::<Vec<_>>()}))
        }
        // The platform's sections and rows have the same field names.
        Action::List(list) => ("list", json!({"button": list.button_text, "sections": list.sections})),
        Action::CtaUrl(link) => {
            let parameters = json!({"display_text": link.display_text, "url": link.url});
            ("cta_url", json!({"name": "cta_url", "parameters": parameters}))
        }
        Action::LocationRequest => ("location_request_message", json!({"name": "send_location"})),
        Action::Flow(flow) => ("flow", json!({"name": "flow", "parameters": flow_parameters(flow)})),
    }
}

fn flow_parameters(flow: &Flow) -> Value {
    let mut parameters = json!({"flow_message_version": FLOW_VERSION, "flow_cta": flow.cta});
    match &flow.flow {
        FlowName::FlowId(id) => parameters["flow_id"] = json!(id),
        FlowName::FlowName(name) => parameters["flow_name"] = json!(name),
    }
    let optional = [
        ("flow_token", flow.token.as_ref().map(|token| json!(token))),
        ("mode", flow.mode.map(|mode| json!(mode))),
        ("flow_action", flow.action.map(|action| json!(action))),
        ("flow_action_payload", flow.screen.as_ref().map(|screen| json!({"screen": screen}))),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            parameters[name] = value;
        }
    }
    if let Some(data) = &flow.data {
        parameters["flow_action_payload"]["data"] = json!(data);
    }
    parameters
}
