//! The components of a template in the platform's own form, and media objects in other objects of the platform.

use domain::Failure;
use domain::chat::outgoing::{MediaUse, Source};
use domain::id::{Identifier as _, MediaId};
use domain::media::MediaKind;
use serde_json::{Map, Value, json};

use super::resolved::Rendering;

/// The largest object of the platform that a caller may send, in bytes of JSON.
pub const LARGEST_OBJECT: usize = 64 * 1024;

/// The highest number of uploaded media that components may name: one for each card of a carousel.
pub const MOST_MEDIA: usize = 10;

/// Validates components: objects with a type, whose media are links or uploaded media.
pub(super) fn check(components: &[Value], at: &str) -> Result<(), Failure> {
    check_size(&json!(components), at)?;
    for (index, component) in components.iter().enumerate() {
        let at = format!("{at}[{index}]");
        if !component.is_object() {
            return Err(Failure::invalid(&at, format!("{at} must be an object.")));
        }
        if !component["type"].is_string() {
            let param = format!("{at}.type");
            return Err(Failure::invalid(&param, format!("{param} must be a string, such as \"body\".")));
        }
    }
    if let Some(named) = media_uses(components, at).get(MOST_MEDIA) {
        let message = format!("{} is one too many: a message may name at most {MOST_MEDIA} media.", named.param);
        return Err(Failure::invalid(&named.param, message));
    }
    for found in found_media_in(components, at) {
        let (medium, param) = (found.medium, &found.param);
        if medium.contains_key("id") {
            return Err(platform_id_refused(&format!("{param}.id"), "Use mediaId or link."));
        }
        if let Some((field, _)) = medium.iter().find(|(_, value)| value.is_object() || value.is_array()) {
            let param = format!("{param}.{field}");
            return Err(Failure::invalid(
                &param,
                "A media object must not contain objects and arrays. Remove this field.",
            ));
        }
        match (medium.get("mediaId"), medium.get("link")) {
            (Some(Value::String(id)), None) => MediaId::in_param(id, &format!("{param}.mediaId")).map(|_| ())?,
            (None, Some(Value::String(_))) => {}
            _ => {
                return Err(Failure::invalid(
                    param,
                    format!("{param} must have exactly one of mediaId and link, a string."),
                ));
            }
        }
    }
    Ok(())
}

/// Validates that no media object names a medium by the platform's id or by this API's.
pub(super) fn expect_links_only(object: &Value, at: &str) -> Result<(), Failure> {
    for found in found_media(object, at) {
        for field in ["id", "mediaId"] {
            if found.medium.contains_key(field) {
                return Err(platform_id_refused(&format!("{}.{field}", found.param), "Use link."));
            }
        }
    }
    Ok(())
}

fn platform_id_refused(param: &str, instead: &str) -> Failure {
    Failure::invalid(
        param,
        format!("{param} is not allowed: WhatsApp's own media ids belong to one phone number. {instead}"),
    )
}

/// Validates the size of an object of the platform.
pub(super) fn check_size(object: &Value, at: &str) -> Result<(), Failure> {
    let bytes = object.to_string().len();
    if bytes <= LARGEST_OBJECT {
        return Ok(());
    }
    Err(Failure::invalid(at, format!("{at} may have at most {LARGEST_OBJECT} bytes of JSON. This one has {bytes}.")))
}

/// Returns the uploaded media that components name.
pub(super) fn media_uses(components: &[Value], at: &str) -> Vec<MediaUse> {
    let named = |found: Found<'_>| {
        let id = found.medium.get("mediaId")?.as_str()?.parse().ok()?;
        Some(MediaUse { id, param: format!("{}.mediaId", found.param), kinds: found.kinds, is_voice_note: false })
    };
    found_media_in(components, at).into_iter().filter_map(named).collect()
}

/// Returns components for the platform, with a link instead of each uploaded medium.
pub(super) fn rendered(components: &[Value], rendering: Rendering<'_>) -> Result<Vec<Value>, Failure> {
    components.iter().map(|component| rendered_value(component, rendering)).collect()
}

fn rendered_value(value: &Value, rendering: Rendering<'_>) -> Result<Value, Failure> {
    match value {
        Value::Array(entries) => {
            entries.iter().map(|entry| rendered_value(entry, rendering)).collect::<Result<_, _>>().map(Value::Array)
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let medium = value.as_object().filter(|_| kinds(name).is_some());
                let value = match medium {
                    Some(medium) => rendered_medium(medium, rendering)?,
                    None if is_callers_own(name) => value.clone(),
                    None => rendered_value(value, rendering)?,
                };
                Ok((name.clone(), value))
            };
            fields.iter().map(field).collect::<Result<_, _>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

fn rendered_medium(medium: &Map<String, Value>, rendering: Rendering<'_>) -> Result<Value, Failure> {
    let id = medium.get("mediaId").and_then(Value::as_str).and_then(|id| id.parse().ok());
    let Some(id) = id else { return Ok(json!(medium)) };
    let mut rendered = medium.clone();
    rendered.remove("mediaId");
    rendered.extend(rendering.medium(&Source::MediaId(id))?);
    Ok(Value::Object(rendered))
}

/// A media object in an object of the platform, its path, and the kinds of media that fit.
struct Found<'a> {
    medium: &'a Map<String, Value>,
    param: String,
    kinds: &'static [MediaKind],
}

fn found_media_in<'a>(values: &'a [Value], at: &str) -> Vec<Found<'a>> {
    values.iter().enumerate().flat_map(|(index, value)| found_media(value, &format!("{at}[{index}]"))).collect()
}

fn found_media<'a>(value: &'a Value, at: &str) -> Vec<Found<'a>> {
    match value {
        Value::Array(entries) => found_media_in(entries, at),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &'a Value)| {
                let param = format!("{at}.{name}");
                let inner = if is_callers_own(name) { Vec::new() } else { found_media(value, &param) };
                let medium = kinds(name).zip(value.as_object());
                let medium = medium.map(|(kinds, medium)| Found { medium, param, kinds });
                medium.into_iter().chain(inner)
            };
            fields.iter().flat_map(field).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the kinds of media that fit into the field of this name; `None` if it is no media object.
fn kinds(field: &str) -> Option<&'static [MediaKind]> {
    match field {
        "image" => Some(&[MediaKind::Image]),
        // The platform's GIFs are MP4 files.
        "video" | "gif" => Some(&[MediaKind::Video]),
        "audio" => Some(&[MediaKind::Audio]),
        "document" => Some(&[MediaKind::Document]),
        "sticker" => Some(&[MediaKind::Sticker]),
        _ => None,
    }
}

/// Returns whether a field holds data of the caller, which can have any form.
fn is_callers_own(field: &str) -> bool {
    matches!(field, "flow_action_payload" | "flow_action_data")
}
