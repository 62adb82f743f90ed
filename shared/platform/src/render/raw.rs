//! The escape hatch: a type and its object as the platform documents them.

use domain::Failure;
use domain::chat::outgoing::{Content, Parameters, Raw, Template, check_template_language, check_template_name};
use serde_json::{Map, Value};

use super::components;
use super::resolved::Rendering;

/// The path of a template's object.
pub(super) const TEMPLATE_PATH: &str = "raw.template";
const TYPE_LENGTH: usize = 64;
/// The fields of a message beside its type's object. The service sets them itself.
const ENVELOPE: [&str; 10] = [
    "messaging_product",
    "recipient_type",
    "to",
    "recipient",
    "type",
    "context",
    "status",
    "message_id",
    "biz_opaque_callback_data",
    "recipient_identity_key_hash",
];

/// Makes the content of a raw message. Validates the fields of `raw`: exactly `type`, and the object of that name.
pub fn raw_content(fields: Map<String, Value>) -> Result<Content, Failure> {
    const AT: &str = "raw";
    let Some(Value::String(kind)) = fields.get("type").cloned() else {
        return Err(Failure::invalid("raw.type", "raw.type must be a string: WhatsApp's name of the type."));
    };
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let is_type = (1..=TYPE_LENGTH).contains(&kind.len()) && kind.bytes().all(is_name);
    if !is_type || ENVELOPE.contains(&kind.as_str()) {
        return Err(Failure::invalid("raw.type", "raw.type must be a message type of WhatsApp, such as text."));
    }

    if let Some(other) = fields.keys().find(|name| *name != "type" && **name != kind) {
        let why = if ENVELOPE.contains(&other.as_str()) {
            "the service sets it. Use the fields of this operation, such as to and replyTo"
        } else {
            "raw must have exactly type and the object of that name"
        };
        // The name of an arbitrary field can be hostile, so the message does not repeat it.
        return Err(Failure::invalid(format!("{AT}.{other}"), format!("This field of raw is not allowed: {why}.")));
    }

    let param = format!("{AT}.{kind}");
    let Some(object) = fields.get(&kind).filter(|object| object.is_object() || object.is_array()).cloned() else {
        return Err(Failure::invalid(
            &param,
            format!("{param} is required: the object of the type, as WhatsApp documents it."),
        ));
    };
    let fields = Value::Object(fields);
    components::check_size(&fields, AT)?;
    match kind.as_str() {
        "template" => check_template(&object)?,
        _ => components::expect_links_only(&fields, AT)?,
    }
    Ok(Content::raw(Raw { kind, object }))
}

fn check_template(object: &Value) -> Result<(), Failure> {
    let text = |value: &Value, param: &str| {
        let text = value.as_str().map(str::to_owned);
        text.ok_or_else(|| Failure::invalid(param, format!("{param} is required, and must be a string.")))
    };
    let (name, language) = (format!("{TEMPLATE_PATH}.name"), format!("{TEMPLATE_PATH}.language.code"));
    check_template_name(&text(&object["name"], &name)?, &name)?;
    check_template_language(&text(&object["language"]["code"], &language)?, &language)?;

    let mut others = object.clone();
    others.as_object_mut().map(|fields| fields.remove("components"));
    components::expect_links_only(&others, TEMPLATE_PATH)?;
    let param = format!("{TEMPLATE_PATH}.components");
    match object.get("components") {
        None => Ok(()),
        Some(Value::Array(all)) => components::check(all, &param),
        Some(_) => Err(Failure::invalid(&param, format!("{param} must be an array."))),
    }
}

/// Returns the template of a raw message of that type.
pub(super) fn template(raw: &Raw) -> Option<Template> {
    let Raw { kind, object } = raw;
    (kind == "template").then(|| Template {
        name: object["name"].as_str().unwrap_or_default().to_owned(),
        language: object["language"]["code"].as_str().unwrap_or_default().to_owned(),
        parameters: Parameters::Components(object["components"].as_array().cloned().unwrap_or_default()),
    })
}

pub(super) fn object(raw: &Raw, rendering: Rendering<'_>) -> Result<Value, Failure> {
    let mut object = raw.object.clone();
    if let Some(Template { parameters: Parameters::Components(all), .. }) = template(raw)
        && !all.is_empty()
    {
        object["components"] = Value::Array(components::rendered(&all, rendering)?);
    }
    Ok(object)
}
