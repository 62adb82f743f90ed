//! The objects of media and pins, as they are sent to this API.

use domain::Failure;
use domain::chat::outgoing::medium::CAPTION_LENGTH;
use domain::chat::outgoing::{Content, Medium, MessageRef, Pin, PinAction, Source};
use domain::id::MediaId;
use domain::media::{FILE_NAME_LENGTH, MediaKind};
use domain::present::present;
use domain::schema::{HttpsUrl, Line, Lines, MessageReference};
use serde::Deserialize;
use utoipa::ToSchema;

/// A medium: either `mediaId` or `url`.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendMedia)]
pub(super) struct MediaObject {
    /// A medium of the app. WhatsApp downloads it from a presigned URL, which is valid for an hour.
    #[schema(value_type = Option<MediaId>)]
    media_id: Option<String>,
    /// A public URL from which WhatsApp downloads the file.
    #[schema(value_type = Option<HttpsUrl>)]
    url: Option<String>,
    /// Not for audio and stickers.
    #[schema(inline, value_type = Option<Lines<{ CAPTION_LENGTH }>>)]
    caption: Option<String>,
    /// For documents only.
    #[schema(inline, value_type = Option<Line<{ FILE_NAME_LENGTH }>>)]
    file_name: Option<String>,
    /// For audio only: shows the file as a voice message. The file must be OGG with the Opus codec.
    is_voice_note: Option<bool>,
}

impl MediaObject {
    pub(super) fn content(self, kind: MediaKind) -> Result<Content, Failure> {
        let source = Source::of(self.media_id.as_deref(), self.url.as_deref(), kind.as_str())?;
        let MediaObject { caption, file_name, is_voice_note, .. } = self;
        Content::medium(Medium { kind, source, caption, file_name, is_voice_note })
    }
}

/// Pins a message of a group, or unpins it.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendPin)]
pub(super) struct PinObject {
    /// A message of the group: its id in this API (`msg_wa_...`) or at WhatsApp.
    #[schema(value_type = MessageReference)]
    message_id: String,
    action: PinAction,
    /// How long the message stays pinned, in days. Not for `unpin`.
    #[schema(minimum = 1, maximum = 30)]
    expiration_days: Option<i64>,
}

impl PinObject {
    pub(super) fn content(self) -> Result<Content, Failure> {
        let message_id = MessageRef::in_param(&self.message_id, "pin.messageId")?;
        Content::pin(Pin { message_id, action: self.action, expiration_days: self.expiration_days })
    }
}
