//! What a message names: its addressee, other messages and media, and what they are called at the platform.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value, json};

use super::checks;
use crate::id::{ChatGroupId, ChatMessageId, Identifier as _, MediaId};
use crate::media::{Media, MediaKind, too_large};
use crate::{E164, Failure};

/// The longest id of the platform, in characters.
const PLATFORM_ID_LENGTH: usize = 512;
/// The longest user id of the platform, in characters.
pub const USER_ID_LENGTH: usize = 255;

/// The addressee of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Addressee {
    Number(E164),
    /// The platform's id of a user who does not share a phone number.
    User(String),
    Group(ChatGroupId),
}

impl Addressee {
    /// Parses the platform's user id in `param`.
    pub fn user(id: &str, param: &str) -> Result<Self, Failure> {
        if is_platform_id(id, USER_ID_LENGTH) {
            return Ok(Addressee::User(id.to_owned()));
        }
        let message = format!("{param} must be the user id that a message or webhook event contains.");
        Err(Failure::invalid(param, message))
    }

    pub fn is_group(&self) -> bool {
        matches!(self, Addressee::Group(_))
    }
}

/// Returns whether a text can be an id of the platform: visible ASCII without `#`, which separates the parts of a
/// table key.
fn is_platform_id(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
}

/// A message that another one names: by our id or by the platform's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageRef {
    Ours(ChatMessageId),
    Platform(String),
}

impl MessageRef {
    /// Parses the reference in `param`.
    pub fn in_param(text: &str, param: &str) -> Result<Self, Failure> {
        if text.starts_with(ChatMessageId::PREFIX) {
            return ChatMessageId::in_param(text, param).map(MessageRef::Ours);
        }
        if is_platform_id(text, PLATFORM_ID_LENGTH) {
            return Ok(MessageRef::Platform(text.to_owned()));
        }
        let message = format!("{param} must be the id of a chat message (msg_wa_...), or the platform's id of it.");
        Err(Failure::invalid(param, message))
    }
}

impl FromStr for MessageRef {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        Self::in_param(text, "messageId")
    }
}

impl fmt::Display for MessageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageRef::Ours(id) => id.fmt(f),
            MessageRef::Platform(id) => f.write_str(id),
        }
    }
}

impl Serialize for MessageRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MessageRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|failure: Failure| de::Error::custom(failure.message()))
    }
}

/// A message that an outgoing one names, and the path of the parameter that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageUse<'a> {
    pub message: &'a MessageRef,
    pub param: &'static str,
}

/// Where the platform gets a medium from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// A medium of the app, which is sent as a presigned URL.
    MediaId(MediaId),
    Url(String),
}

impl Source {
    /// Parses the source of the medium in `at`, which has either `mediaId` or `url`.
    pub fn of(media_id: Option<&str>, url: Option<&str>, at: &str) -> Result<Self, Failure> {
        match (media_id, url) {
            (Some(id), None) => MediaId::in_param(id, &format!("{at}.mediaId")).map(Source::MediaId),
            (None, Some(url)) => {
                checks::url(url, &format!("{at}.url"))?;
                Ok(Source::Url(url.to_owned()))
            }
            _ => Err(Failure::invalid(at, format!("{at} must have exactly one of mediaId and url."))),
        }
    }

    /// Returns the medium of ours, and the path of the parameter in `at` that names it.
    pub(super) fn media_use(&self, at: &str, kinds: &'static [MediaKind]) -> Option<MediaUse> {
        match self {
            Source::MediaId(id) => {
                Some(MediaUse { id: id.clone(), param: format!("{at}.mediaId"), kinds, is_voice_note: false })
            }
            Source::Url(_) => None,
        }
    }
}

/// Returns the kind of a header's URL, by the ending of its path. What has none of the known endings is an image.
pub(super) fn kind_of_url(url: &str) -> MediaKind {
    let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
    if ends(&[".mp4", ".3gp", ".3gpp"]) {
        MediaKind::Video
    } else if ends(&[".pdf", ".txt", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx"]) {
        MediaKind::Document
    } else {
        MediaKind::Image
    }
}

/// A medium of ours that a message names, the path of the parameter that names it, and the kinds that fit there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaUse {
    pub id: MediaId,
    pub param: String,
    pub kinds: &'static [MediaKind],
    pub is_voice_note: bool,
}

impl MediaUse {
    /// Returns the failure for a medium that does not exist, has expired or belongs to another app.
    pub fn not_found(&self) -> Failure {
        Failure::not_found(&self.param, "media")
    }

    /// Validates that the medium fits the parameter that names it.
    pub fn check(&self, media: &Media) -> Result<(), Failure> {
        let param = &self.param;
        let Some(kind) = media.media_type.known().filter(|kind| self.kinds.contains(kind)) else {
            let allowed: Vec<_> = self.kinds.iter().map(|kind| kind.as_str()).collect();
            let message =
                format!("{param} must be a medium of kind {}. This one is {}.", allowed.join(" or "), media.mime_type);
            return Err(Failure::invalid(param, message));
        };
        if media.file_size > kind.limit() {
            let what = format!("A medium of kind {}", kind.as_str());
            return Err(too_large(param, &what, kind.limit(), Some(media.file_size), ""));
        }
        if self.is_voice_note && media.mime_type != "audio/ogg" {
            let message = format!(
                "{param} must be audio/ogg with the Opus codec, because isVoiceNote is true. This one is {}.",
                media.mime_type
            );
            return Err(Failure::invalid(param, message));
        }
        Ok(())
    }
}

/// A medium of ours as the platform gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentMedium {
    /// A presigned URL.
    pub link: String,
    pub kind: MediaKind,
}

/// What the objects that a message names are called at the platform. A message can be sent once all of them are known.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    pub media: BTreeMap<MediaId, SentMedium>,
    /// The platform's ids of messages that are named by our ids.
    pub messages: BTreeMap<ChatMessageId, String>,
    /// Our ids of messages that are named by the platform's ids, where we hold them. Only the log needs them.
    pub held: BTreeMap<String, ChatMessageId>,
    /// The platform's id of the group.
    pub group: Option<String>,
    /// The stored components of the template, if it is known.
    pub template: Option<Value>,
}

/// Writes the references of a message: for the platform, or for the log, which keeps no presigned URLs.
#[derive(Clone, Copy)]
pub(super) struct Rendering<'a> {
    pub(super) resolved: &'a Resolved,
    pub(super) is_log: bool,
}

impl<'a> Rendering<'a> {
    /// Returns the media object of a source.
    pub(super) fn medium(self, source: &Source) -> Result<Map<String, Value>, Failure> {
        let (name, value) = match source {
            Source::Url(url) => ("link", url.clone()),
            Source::MediaId(id) if self.is_log => ("mediaId", id.to_string()),
            Source::MediaId(id) => ("link", self.sent(id)?.link.clone()),
        };
        Ok(Map::from_iter([(name.to_owned(), json!(value))]))
    }

    /// Returns the kind of a header's medium.
    pub(super) fn kind(self, source: &Source) -> Result<MediaKind, Failure> {
        match source {
            Source::Url(url) => Ok(kind_of_url(url)),
            Source::MediaId(id) => Ok(self.sent(id)?.kind),
        }
    }

    fn sent(self, id: &MediaId) -> Result<&'a SentMedium, Failure> {
        self.resolved.media.get(id).ok_or_else(|| unresolved("medium"))
    }

    /// Returns the id of a message: the platform's for the platform, ours for the log where we hold the message.
    pub(super) fn message(self, message: &MessageRef) -> Result<String, Failure> {
        match message {
            MessageRef::Ours(id) if self.is_log => Ok(id.to_string()),
            MessageRef::Ours(id) => self.resolved.messages.get(id).cloned().ok_or_else(|| unresolved("message")),
            MessageRef::Platform(id) => {
                let held = self.resolved.held.get(id).filter(|_| self.is_log);
                Ok(held.map_or_else(|| id.clone(), ToString::to_string))
            }
        }
    }
}

/// Reports an object that the caller has not looked up before building the body.
pub(super) fn unresolved(what: &str) -> Failure {
    Failure::internal(format!("a {what} of the message was not resolved"))
}
