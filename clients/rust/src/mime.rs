//! The types of files by the ending of their names.

use std::path::Path;

use crate::Error;

pub(crate) const EXTENSIONS: &[&str] = &[
    "jpg", "jpeg", "png", "webp", "mp4", "3gp", "aac", "amr", "mp3", "m4a", "ogg", "pdf", "txt", "doc", "xls", "ppt",
    "docx", "xlsx", "pptx",
];

/// Returns the type that the ending of a name says, if it is an accepted one.
pub(crate) fn of(name: &Path) -> Option<&'static str> {
    let ending = name.extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "webp" => "image/webp",
        "mp4" => "video/mp4",
        "3gp" => "video/3gpp",
        "aac" => "audio/aac",
        "amr" => "audio/amr",
        "mp3" => "audio/mpeg",
        "m4a" => "audio/mp4",
        "ogg" => "audio/ogg",
        "pdf" => "application/pdf",
        "txt" => "text/plain",
        "doc" => "application/msword",
        "xls" => "application/vnd.ms-excel",
        "ppt" => "application/vnd.ms-powerpoint",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        _ => return None,
    })
}

/// Like [`of`], for an upload, which needs a type.
pub(crate) fn of_upload(name: &str) -> Result<&'static str, Error> {
    of(Path::new(name)).ok_or_else(|| Error::usage(format!("The type of {name} is not known. Set mime_type.")))
}

#[cfg(test)]
mod tests {
    use super::{EXTENSIONS, of};

    #[test]
    fn each_ending_has_a_type() {
        for ending in EXTENSIONS {
            assert!(of(format!("a.{}", ending.to_uppercase()).as_ref()).is_some(), "{ending}");
        }
        assert!(of("a.exe".as_ref()).is_none() && of("pdf".as_ref()).is_none());
    }
}
