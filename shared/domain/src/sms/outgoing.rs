//! An SMS message to send, as the queue keeps it.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::{SmsMessage, SmsType};
use crate::E164;
use crate::id::MediaId;
use crate::media::Media;
use crate::sms::parts::parts;
use crate::{ErrorCode, Failure};

/// The largest image of an MMS, in bytes, and the largest file of another type.
pub const LARGEST_IMAGE: u64 = 2 * 1024 * 1024;
pub const LARGEST_FILE: u64 = 600 * 1024;
/// The types that an MMS may have: those of the [carrier's list] that can be uploaded. Images, and other files.
///
/// [carrier's list]: https://docs.aws.amazon.com/sms-voice/latest/userguide/mms-limitations-character.html
const IMAGES: [&str; 2] = ["image/jpeg", "image/png"];
const FILES: [&str; 7] =
    ["audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg", "video/mp4", "video/3gpp", "application/pdf"];

/// A validated message: with a text, a medium, or both.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutgoingSms {
    pub to: E164,
    pub text: Option<String>,
    pub media_id: Option<MediaId>,
    pub client_reference: Option<String>,
}

impl OutgoingSms {
    /// Writes the content to a message.
    pub fn fill(&self, message: &mut SmsMessage) {
        if self.media_id.is_some() {
            message.kind = SmsType::Mms.into();
        }
        message.text.clone_from(&self.text);
        message.media_id.clone_from(&self.media_id);
        message.client_reference.clone_from(&self.client_reference);
        message.parts = Some(self.parts());
    }

    /// Returns in how many parts the message is sent. An MMS is one part, however long its text is.
    pub fn parts(&self) -> u32 {
        match &self.text {
            Some(text) if self.media_id.is_none() => parts(text),
            _ => 1,
        }
    }
}

/// Validates a medium for an MMS: its type, and the size that the carrier accepts of this type.
pub fn check_medium(media: &Media, param: &str) -> Result<(), Failure> {
    let mime = media.mime_type.as_str();
    let most = match mime {
        _ if IMAGES.contains(&mime) => LARGEST_IMAGE,
        _ if FILES.contains(&mime) => LARGEST_FILE,
        _ => {
            let all = [&IMAGES[..], &FILES[..]].concat().join(", ");
            let message = format!("{param} is of the type {mime}. The carrier accepts {all}.");
            return Err(Failure::of_code(ErrorCode::UnsupportedMessageType, message).with_param(param));
        }
    };
    if media.file_size > most {
        let message =
            format!("{param} has {} bytes. The carrier accepts at most {most} bytes of {mime}.", media.file_size);
        return Err(Failure::of_code(ErrorCode::MediaTooLarge, message).with_param(param));
    }
    Ok(())
}

/// Validates the caller's own reference, as that of a chat message.
pub fn client_reference(reference: String) -> Result<String, Failure> {
    crate::chat::outgoing::client_reference(reference)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::media::MediaType;

    /// MMS file types, size and character limits (AWS End User Messaging SMS User Guide).
    const OF_THE_CARRIER: &str = "image/gif image/jpeg image/png image/tiff audio/3gpp video/3gpp audio/3gpp2 video/3gpp2 \
        audio/amr audio/mp4 video/mp4 audio/mpeg audio/ogg video/quicktime video/webm text/calendar text/vcard text/x-vcard \
        application/pdf";

    #[test]
    fn mms_types_are_accepted_by_uploads_and_by_the_carrier() {
        let of_the_carrier: BTreeSet<&str> = OF_THE_CARRIER.split_whitespace().collect();
        let both: BTreeSet<&str> = MediaType::accepted().filter(|mime| of_the_carrier.contains(mime)).collect();
        let ours: BTreeSet<&str> = IMAGES.iter().chain(&FILES).copied().collect();
        assert_eq!(ours, both);
    }
}
