//! The platform's names of the objects that a message names.

use std::collections::BTreeMap;

use domain::Failure;
use domain::chat::outgoing::{MessageRef, Source};
use domain::id::{ChatMessageId, MediaId};
use domain::media::MediaKind;
use serde_json::{Map, Value, json};

/// The platform's names of the objects that a message names. A message can be sent once all of them are known.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    pub media: BTreeMap<MediaId, SentMedium>,
    /// The platform's ids of messages that are named by this API's ids.
    pub messages: BTreeMap<ChatMessageId, String>,
    /// This API's ids of stored messages that are named by the platform's ids. Only the log needs them.
    pub held: BTreeMap<String, ChatMessageId>,
    /// The platform's id of the group.
    pub group: Option<String>,
    /// The stored components of the template, if it is known.
    pub template: Option<Value>,
}

/// An uploaded medium, as it is sent to the platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentMedium {
    /// A presigned URL.
    pub link: String,
    pub kind: MediaKind,
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

    /// Returns the id of a message: the platform's for the platform, and for the log this API's, if the message is
    /// stored.
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

/// Reports an object that the caller has not looked up before rendering the message.
pub(super) fn unresolved(what: &str) -> Failure {
    Failure::internal(format!("a {what} of the message was not resolved"))
}

/// Returns the kind of a header's URL, by the ending of its path. A URL without a known ending counts as an image.
fn kind_of_url(url: &str) -> MediaKind {
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
