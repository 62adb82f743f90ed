//! The example files of headers with a medium, those of cards included, which the platform's reviewers see. A caller names a
//! medium; the platform gets the handle of its upload in the same place.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::Fields;
use crate::Failure;
use crate::id::{Identifier as _, MediaId};
use crate::media::{Media, MediaKind};

/// The size limit of an example document, in bytes. The platform accepts documents of 100 MB. An example is held in
/// memory and uploaded while the caller waits, so its limit is that of a video.
pub const SAMPLE_DOCUMENT_LIMIT: u64 = 16 * 1024 * 1024;
/// The size limit of the example of a GIF, which is an MP4 file, in bytes. The platform shows a larger one as a video.
pub const SAMPLE_GIF_LIMIT: u64 = 3584 * 1024;
/// The size limit of all examples of a template together, in bytes. They are held in memory at the same time.
pub const SAMPLES_LIMIT: u64 = 16 * 1024 * 1024;

/// The formats of headers with a medium.
const FORMATS: [Format; 4] = [
    Format { name: "IMAGE", types: &["image/jpeg", "image/png"], shown: "a JPEG or PNG image", kind: MediaKind::Image },
    Format { name: "VIDEO", types: &["video/mp4"], shown: "an MP4 video", kind: MediaKind::Video },
    Format { name: "GIF", types: &["video/mp4"], shown: "an MP4 video", kind: MediaKind::Video },
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
        match (self.name, self.kind) {
            ("GIF", _) => SAMPLE_GIF_LIMIT,
            (_, MediaKind::Document) => SAMPLE_DOCUMENT_LIMIT,
            (_, kind) => kind.limit(),
        }
    }
}

/// The example file of a header.
pub struct HeaderSample {
    pub media: MediaId,
    /// The path of the field that names the medium.
    pub param: String,
    /// The place of the header in the list of components, as a JSON pointer.
    pub pointer: String,
    format: &'static Format,
}

/// An example file with its medium.
pub struct FoundSample {
    pub header: HeaderSample,
    pub media: Media,
}

impl HeaderSample {
    /// Returns the examples of valid components, in their order. There are none if no header has a medium.
    pub fn all(components: &[Value]) -> Vec<Self> {
        let mut found = Vec::new();
        collect(components, "components", "", &mut found);
        found
    }

    fn of(component: &Value, at: &str, pointer: &str) -> Option<Self> {
        let is_header = component["type"] == "HEADER";
        let format = FORMATS.iter().find(|format| is_header && component["format"] == format.name)?;
        let media = component["example"]["mediaId"].as_str()?.parse().ok()?;
        Some(HeaderSample { media, param: format!("{at}.example.mediaId"), pointer: pointer.to_owned(), format })
    }

    /// Fails if the medium is not of a type and size that the platform accepts in this header.
    fn expect_fits(&self, media: &Media) -> Result<(), Failure> {
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

impl FoundSample {
    /// Fails if one of the examples does not fit its header, or if all of them together are too large. A medium that several
    /// headers name counts once.
    pub fn expect_fit(samples: &[FoundSample]) -> Result<(), Failure> {
        let mut sizes: BTreeMap<&MediaId, u64> = BTreeMap::new();
        for FoundSample { header, media } in samples {
            header.expect_fits(media)?;
            sizes.insert(&media.id, media.file_size);
            let total: u64 = sizes.values().sum();
            if total > SAMPLES_LIMIT {
                let param = &header.param;
                let message = format!(
                    "{param} makes the examples of this template too large: all together may have at most {SAMPLES_LIMIT} \
                     bytes, and these have {total}. Use smaller files, or one file for several cards."
                );
                return Err(Failure::invalid(param, message));
            }
        }
        Ok(())
    }
}

/// Collects the examples of components, and of the cards in them.
fn collect(components: &[Value], at: &str, pointer: &str, found: &mut Vec<HeaderSample>) {
    for (index, component) in components.iter().enumerate() {
        let (at, pointer) = (format!("{at}[{index}]"), format!("{pointer}/{index}"));
        found.extend(HeaderSample::of(component, &at, &pointer));
        let cards = component["cards"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (index, card) in cards.iter().enumerate() {
            let inner = card["components"].as_array().map(Vec::as_slice).unwrap_or_default();
            let (at, pointer) =
                (format!("{at}.cards[{index}].components"), format!("{pointer}/cards/{index}/components"));
            collect(inner, &at, &pointer, found);
        }
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
