//! Requests, and the objects that they name.

use domain::Failure;
use domain::chat::outgoing::{Addressee, MessageRef, Outgoing};
use domain::id::{Identifier as _, MediaId};
use domain::media::MediaKind;
use platform::render::{self, Resolved, SentMedium};
use sending::messages::{SendChatMessage, Sending};
use serde_json::{Map, Value, json};

pub(crate) const MESSAGE: &str = "msg_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
pub(crate) const PLATFORM_MESSAGE: &str = "wamid.HBgLMTY0NjcwNDM1OTUVAgASGBQzQTdB";

/// Reads a request; `from` and `to` are added where they are missing.
pub(crate) fn read(request: &Value) -> Result<Sending, Failure> {
    let mut fields = request.as_object().unwrap().clone();
    fields.entry("from").or_insert(json!("+12015550123"));
    if !["to", "toUserId", "groupId"].iter().any(|name| fields.contains_key(*name)) {
        fields.insert("to".to_owned(), json!("+12015550199"));
    }
    serde_json::from_value::<SendChatMessage>(Value::Object(fields)).unwrap().checked()
}

/// Reads a request, which must be accepted.
#[track_caller]
pub(crate) fn accepted(request: &Value) -> Outgoing {
    match read(request) {
        Ok(sending) => sending.message,
        Err(failure) => panic!("{request} was rejected: {:?} {}", failure.param(), failure.message()),
    }
}

/// Returns an id of a medium that contains its kind.
pub(crate) fn medium(kind: &str) -> String {
    format!("media_{kind:0<27}")
}

/// Resolves all objects that a message names.
pub(crate) fn resolved(message: &Outgoing) -> Resolved {
    let mut resolved = Resolved::default();
    for named in render::media(message.content()) {
        let link = format!("https://bucket.example.com/{}", named.id);
        resolved.media.insert(named.id.clone(), SentMedium { link, kind: kind_of(&named.id).unwrap() });
    }
    for named in message.messages() {
        if let MessageRef::Ours(id) = named.message {
            resolved.messages.insert(id.clone(), format!("wamid.of.{id}"));
        }
    }
    if let Addressee::Group(group) = message.to() {
        resolved.group = Some(format!("group.of.{group}"));
    }
    resolved
}

pub(crate) fn kind_of(id: &MediaId) -> Option<MediaKind> {
    let kinds = [MediaKind::Image, MediaKind::Video, MediaKind::Audio, MediaKind::Document, MediaKind::Sticker];
    kinds.into_iter().find(|kind| id.as_str().starts_with(&format!("media_{}", kind.as_str())))
}

/// Returns the body for the platform.
pub(crate) fn body(message: &Outgoing) -> Map<String, Value> {
    render::body(message, &resolved(message)).unwrap()
}
