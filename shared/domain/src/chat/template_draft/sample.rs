//! The example file of a header with a medium, which the platform's reviewers see. A caller names a medium; the platform gets
//! the handle of its upload in the same place.

use serde_json::Value;

use super::fields::Fields;
use crate::Failure;
use crate::id::{Identifier as _, MediaId};
use crate::media::{Media, MediaKind};

/// The size limit of an example document, in bytes. The platform accepts documents of 100 MB. An example is held in
/// memory and uploaded while the caller waits, so its limit is that of a video.
pub const SAMPLE_DOCUMENT_LIMIT: u64 = 16 * 1024 * 1024;

/// The formats of headers with a medium.
const FORMATS: [Format; 3] = [
    Format { name: "IMAGE", types: &["image/jpeg", "image/png"], shown: "a JPEG or PNG image", kind: MediaKind::Image },
    Format { name: "VIDEO", types: &["video/mp4"], shown: "an MP4 video", kind: MediaKind::Video },
    Format { name: "DOCUMENT", types: &["application/pdf"], shown: "a PDF document", kind: MediaKind::Document },
];

struct Format {
    name: &'static str,
    /// The MIME types that the platform accepts.
    types: &'static [&'static str],
    shown: &'static str,
    kind: MediaKind,
}

impl Format {
    /// Returns the size limit in bytes.
    fn limit(&self) -> u64 {
        match self.kind {
            MediaKind::Document => SAMPLE_DOCUMENT_LIMIT,
            kind => kind.limit(),
        }
    }
}

/// The example file of a header.
pub struct HeaderSample {
    pub media: MediaId,
    /// The path of the field that names the medium.
    pub param: String,
    format: &'static Format,
}

impl HeaderSample {
    /// Returns the example of valid components. `None` if no header has a medium.
    pub fn of(components: &[Value]) -> Option<Self> {
        let index = components.iter().position(|component| component["type"] == "HEADER")?;
        let header = &components[index];
        let format = FORMATS.iter().find(|format| header["format"] == format.name)?;
        let media = header["example"]["mediaId"].as_str()?.parse().ok()?;
        Some(HeaderSample { media, param: format!("components[{index}].example.mediaId"), format })
    }

    /// Fails if the medium is not of a type and size that the platform accepts in this header.
    pub fn expect_fits(&self, media: &Media) -> Result<(), Failure> {
        let HeaderSample { param, format, .. } = self;
        if !format.types.contains(&media.mime_type.as_str()) {
            let message = format!(
                "{param} must be {} in a header of format {}. This media is {}.",
                format.shown, format.name, media.mime_type
            );
            return Err(Failure::invalid(param, message));
        }
        if media.file_size > format.limit() {
            let message = format!(
                "{param} may have at most {} bytes in a header of format {}. This file has {}.",
                format.limit(),
                format.name,
                media.file_size
            );
            return Err(Failure::invalid(param, message));
        }
        Ok(())
    }
}

/// Validates a header with a medium.
pub(super) fn check_header(header: &Fields<'_>) -> Result<(), Failure> {
    header.expect_only(&["type", "format", "example"])?;
    let param = format!("{}.mediaId", header.param("example"));
    let missing = || {
        let message = format!("{param} is required: the id of a medium, uploaded as media, for WhatsApp's review.");
        Failure::invalid(&param, message)
    };
    let example = header.object("example")?.ok_or_else(missing)?;
    example.expect_only(&["mediaId"])?;
    MediaId::in_param(example.text("mediaId")?.ok_or_else(missing)?, &param).map(|_| ())
}
