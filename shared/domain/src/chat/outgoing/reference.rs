//! The references of a message to other messages and to media.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::checks;
use crate::Failure;
use crate::id::{ChatMessageId, Identifier as _, MediaId};
use crate::media::{Media, MediaKind, too_large};

/// The longest id of the platform, in characters.
pub const PLATFORM_ID_LENGTH: usize = 512;

/// Returns whether a text can be an id of the platform: visible ASCII without `#`, which separates the parts of a
/// table key.
pub(super) fn is_platform_id(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
}

/// A message that another one refers to, by this API's id or by the platform's.
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
        let message = format!("{param} must be the id of a chat message (msg_wa_...), or its id at WhatsApp.");
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

/// The source of a medium, from which the platform downloads it.
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

    /// Returns the uploaded medium, and the path of the parameter in `at` that names it.
    pub(super) fn media_use(&self, at: &str, kinds: &'static [MediaKind]) -> Option<MediaUse> {
        match self {
            Source::MediaId(id) => {
                Some(MediaUse { id: id.clone(), param: format!("{at}.mediaId"), kinds, is_voice_note: false })
            }
            Source::Url(_) => None,
        }
    }
}

/// An uploaded medium that a message refers to, the path of the parameter that names it, and the kinds that fit there.
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
