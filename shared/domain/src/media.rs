//! Media files, with the types and size limits of the platform.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::{AppId, MediaId};
use crate::{ErrorCode, Failure, Open, Timestamp};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// The size limit of uploads through the API. Lambda limits a request to 6 MB, and it contains the file as base64.
pub const MULTIPART_LIMIT: u64 = 4 * MIB;
/// The size limit of media that are received: the platform's own for documents, which are the largest.
pub const RECEIVED_LIMIT: u64 = 100 * MIB;
/// How long an upload URL is valid, and the age at which a pending upload is abandoned.
pub const UPLOAD_WINDOW: Duration = Duration::from_secs(15 * 60);
/// How long a download URL is valid, in seconds.
pub const URL_SECONDS: u64 = 3600;
/// How many uploads of an app may be pending.
pub const PENDING_UPLOADS: u64 = 100;
/// How many files, and bytes, a test app may upload per day.
pub const TEST_UPLOADS_A_DAY: u64 = 10_000;
pub const TEST_BYTES_A_DAY: u64 = 1_000_000_000;
/// The longest file name, in characters.
pub const FILE_NAME_LENGTH: usize = 255;

/// The kind of a file, which determines its size limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MediaKind {
    Image,
    Video,
    Audio,
    Document,
    Sticker,
}

impl MediaKind {
    /// Returns the size limit in bytes.
    pub fn limit(self) -> u64 {
        match self {
            MediaKind::Image => 5 * MIB,
            MediaKind::Sticker => 500 * KIB,
            MediaKind::Video | MediaKind::Audio => 16 * MIB,
            MediaKind::Document => 100 * MIB,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            MediaKind::Image => "image",
            MediaKind::Video => "video",
            MediaKind::Audio => "audio",
            MediaKind::Document => "document",
            MediaKind::Sticker => "sticker",
        }
    }

    /// Returns whether browsers show the file inline. Documents are saved instead.
    pub fn is_inline(self) -> bool {
        self != MediaKind::Document
    }
}

const TYPES: [(&str, MediaKind); 18] = [
    ("image/jpeg", MediaKind::Image),
    ("image/png", MediaKind::Image),
    ("image/webp", MediaKind::Sticker),
    ("video/mp4", MediaKind::Video),
    ("video/3gpp", MediaKind::Video),
    ("audio/aac", MediaKind::Audio),
    ("audio/amr", MediaKind::Audio),
    ("audio/mpeg", MediaKind::Audio),
    ("audio/mp4", MediaKind::Audio),
    ("audio/ogg", MediaKind::Audio),
    ("application/pdf", MediaKind::Document),
    ("text/plain", MediaKind::Document),
    ("application/msword", MediaKind::Document),
    ("application/vnd.ms-excel", MediaKind::Document),
    ("application/vnd.ms-powerpoint", MediaKind::Document),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", MediaKind::Document),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", MediaKind::Document),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", MediaKind::Document),
];

/// One of the accepted MIME types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaType {
    pub mime: &'static str,
    pub kind: MediaKind,
}

impl MediaType {
    /// Parses a MIME type; `None` if it is not accepted. Parameters (`; codecs=opus`) and letter case are ignored.
    pub fn parse(mime: &str) -> Option<Self> {
        let essence = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        TYPES.iter().find(|(known, _)| *known == essence).map(|&(mime, kind)| MediaType { mime, kind })
    }

    /// Returns the type with exactly this name, as the document lists it.
    pub fn named(mime: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == mime).map(|&(mime, kind)| MediaType { mime, kind })
    }

    /// Returns all accepted MIME types.
    pub fn accepted() -> impl Iterator<Item = &'static str> {
        TYPES.iter().map(|(mime, _)| *mime)
    }

    /// Returns a 415 whose message begins with the sentence `what` and lists the accepted types.
    pub fn unsupported(what: &str) -> Failure {
        let accepted: Vec<_> = Self::accepted().collect();
        Failure::unsupported_type(format!("{what} Accepted types: {}.", accepted.join(", "))).with_param("file")
    }
}

/// Returns the failure for a file that exceeds `limit` bytes. `size` is `None` if the file was not read to its end;
/// `hint` is appended to the message.
pub fn too_large(param: &str, what: &str, limit: u64, size: Option<u64>, hint: &str) -> Failure {
    let size = size.map_or_else(|| "This file has more".to_owned(), |size| format!("This file has {size}"));
    Failure::of_code(ErrorCode::MediaTooLarge, format!("{what} may have at most {limit} bytes. {size}.{hint}"))
        .with_param(param)
}

/// Returns a safe file name: without a path, control characters and characters that change the text direction. A name
/// that is too long is cut at its beginning, so that it keeps its extension. `fallback` is used if nothing is left.
pub fn file_name(sent: &str, fallback: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let cleaned: String = last.chars().filter(|c| !c.is_control() && !is_bidi_control(*c)).collect();
    let cleaned = cleaned.trim();
    let excess = cleaned.chars().count().saturating_sub(FILE_NAME_LENGTH);
    let name: String = cleaned.chars().skip(excess).collect();
    let name = name.trim();
    if name.is_empty() || name == "." || name == ".." { fallback.to_owned() } else { name.to_owned() }
}

/// Returns whether a character changes the text direction, which can make a name look like another one.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The state of a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MediaState {
    /// The bytes are not uploaded or not validated yet. The API treats the medium as not existing.
    Pending,
    Ready,
    /// Deleted by its owner. Bytes may remain if the deletion was interrupted; the sweep removes them.
    Deleted,
}

/// A medium: an uploaded file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Media {
    pub id: MediaId,
    pub app_id: AppId,
    pub state: Open<MediaState>,
    pub file_name: String,
    pub mime_type: String,
    pub media_type: Open<MediaKind>,
    pub file_size: u64,
    /// When the medium expires; of a pending one, when its upload is abandoned.
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
    /// Whether it is uploaded directly to the bucket. Such uploads are counted while they are pending.
    #[serde(default)]
    pub is_direct: bool,
    /// The SHA-256 of the bytes in base64, as the platform announces that of a medium. `None` while the upload is pending,
    /// and in media of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl Media {
    /// Returns whether callers may see the medium: it is ready and does not expire for at least another second, so that
    /// a download URL never outlives it.
    pub fn is_visible(&self, now: Timestamp) -> bool {
        self.state == MediaState::Ready && now.seconds_until(self.expires_at) >= 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_whatever_their_case_and_parameters() {
        assert_eq!(MediaType::parse("Audio/OGG; codecs=opus").map(|t| t.kind), Some(MediaKind::Audio));
        assert_eq!(MediaType::parse("image/webp").map(|t| t.kind), Some(MediaKind::Sticker));
        for mime in ["", "image/gif", "text/html", "audio/3gpp", "application/zip"] {
            assert_eq!(MediaType::parse(mime), None, "{mime}");
        }
    }

    #[test]
    fn names_of_types_are_exact() {
        assert_eq!(MediaType::named("audio/ogg").map(|t| t.kind), Some(MediaKind::Audio));
        for mime in ["", "Audio/OGG", "audio/ogg; codecs=opus", "image/gif"] {
            assert_eq!(MediaType::named(mime), None, "{mime}");
        }
    }

    #[test]
    fn file_names_lose_paths_and_control_characters_only() {
        assert_eq!(file_name("Ünïcode 日本.png", "file"), "Ünïcode 日本.png");
        assert_eq!(file_name("../../etc/passwd", "file"), "passwd");
        assert_eq!(file_name("C:\\temp\\a.pdf", "file"), "a.pdf");
        assert_eq!(file_name("a\r\nb\u{0}.txt", "file"), "ab.txt");
        assert_eq!(file_name("exe\u{202e}gpj.png", "file"), "exegpj.png");
        for nothing in ["", "..", "a/", " ", "\u{1}"] {
            assert_eq!(file_name(nothing, "file"), "file");
        }
        let long = format!("{}.png", "é".repeat(300));
        let kept = file_name(&long, "file");
        assert!(kept.chars().count() == 255 && kept.ends_with(".png"));
        assert_eq!(file_name(&format!("a {}", "b".repeat(254)), "file"), "b".repeat(254));
    }
}
