//! Images, videos, audio files, documents and stickers.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::checks;
use super::reference::{MediaUse, Source};
use crate::Failure;
use crate::chat::ChatMessage;
use crate::media::{FILE_NAME_LENGTH, Media, MediaKind};

/// The longest caption, in characters.
pub const CAPTION_LENGTH: usize = 1024;

/// A medium, with what is shown beside it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Medium {
    pub kind: MediaKind,
    pub source: Source,
    /// Not for audio and stickers.
    pub caption: Option<String>,
    /// For documents only.
    pub file_name: Option<String>,
    /// For audio only.
    pub is_voice_note: Option<bool>,
}

impl Medium {
    /// Validates the fields. The path of the medium is the name of its kind.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let at = self.kind.as_str();
        let captioned = !matches!(self.kind, MediaKind::Audio | MediaKind::Sticker);
        expect_absent(self.caption.is_some() && !captioned, at, "caption", "image, video and document")?;
        expect_absent(self.file_name.is_some() && self.kind != MediaKind::Document, at, "fileName", "document")?;
        expect_absent(self.is_voice_note.is_some() && self.kind != MediaKind::Audio, at, "isVoiceNote", "audio")?;
        let lines = |value: &str, param: &str| checks::lines(value, param, CAPTION_LENGTH);
        checks::optional(self.caption.as_ref(), &format!("{at}.caption"), lines)?;
        let line = |value: &str, param: &str| checks::line(value, param, FILE_NAME_LENGTH);
        checks::optional(self.file_name.as_ref(), &format!("{at}.fileName"), line)
    }

    /// Returns the medium if it is an uploaded one.
    pub fn media_use(&self) -> Option<MediaUse> {
        let kinds: &[MediaKind] = match self.kind {
            MediaKind::Image => &[MediaKind::Image],
            MediaKind::Video => &[MediaKind::Video],
            MediaKind::Audio => &[MediaKind::Audio],
            MediaKind::Document => &[MediaKind::Document],
            MediaKind::Sticker => &[MediaKind::Sticker],
        };
        let named = self.source.media_use(self.kind.as_str(), kinds)?;
        Some(MediaUse { is_voice_note: self.is_voice_note == Some(true), ..named })
    }
}

fn expect_absent(is_wrong: bool, at: &str, field: &str, kinds: &str) -> Result<(), Failure> {
    if !is_wrong {
        return Ok(());
    }
    Err(Failure::invalid(
        format!("{at}.{field}"),
        format!("{at}.{field} is not allowed. Only {kinds} messages have it."),
    ))
}

/// Sets the fields of a message that describe its medium, except the name that the message itself gives it.
pub fn note_medium(message: &mut ChatMessage, media: &Media) {
    message.media_mime_type = Some(media.mime_type.clone());
    message.media_file_size = Some(media.file_size);
    message.media_filename.get_or_insert_with(|| media.file_name.clone());
}
