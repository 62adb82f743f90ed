//! The body of `POST /v1/sms`.

use std::time::Duration;

use api::Input;
use domain::chat::outgoing::CLIENT_REFERENCE_LENGTH;
use domain::id::{Identifier as _, MediaId, PhoneNumberId};
use domain::present::present;
use domain::schema::{Line, SmsText};
use domain::sms::TEXT_LENGTH;
use domain::sms::outgoing::{OutgoingSms, client_reference};
use domain::{E164, Failure, text};
use runtime::Context;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::messages::queued_for;

/// The number that sends a message, as the caller names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SmsSender {
    Id(PhoneNumberId),
    Number(E164),
}

/// The validated body of the operation.
#[derive(Clone, Debug)]
pub(crate) struct SendingSms {
    pub(super) from: SmsSender,
    pub(super) message: OutgoingSms,
    /// How long the message may wait in the queue; `None` to send it at once.
    pub(super) queued_for: Option<Duration>,
}

/// The SMS or MMS message to send.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SendSms {
    /// The sender: a phone number that is assigned to the app, in E.164 format or by its id.
    #[schema(pattern = r"^(\+[1-9][0-9]{6,14}|ph_(?:test_)?[a-zA-Z0-9]{27})$", example = "+12015550123")]
    from: String,
    /// The recipient.
    #[schema(value_type = E164)]
    to: String,
    /// The text. Required unless `mediaId` is set.
    #[schema(value_type = Option<SmsText>)]
    text: Option<String>,
    /// A medium of the app, which makes the message an MMS: a JPEG or PNG image of at most 2 MB, or another file of at most
    /// 600 KB.
    #[schema(value_type = Option<MediaId>)]
    media_id: Option<String>,
    /// Your own reference. It is stored, returned, contained in events, and a filter of message lists. It need not be
    /// unique.
    #[schema(inline, value_type = Option<Line<{ CLIENT_REFERENCE_LENGTH }>>)]
    client_reference: Option<String>,
    /// Whether to store the message and send it later, at a rate that the carrier accepts. The response is 202.
    #[schema(default = false)]
    queue: Option<bool>,
    /// How long the message may wait in the queue, in seconds; 24 hours by default. After that, it is `EXPIRED` and is
    /// not sent. Only with `queue`.
    #[schema(minimum = 30, maximum = 86400)]
    valid_for_seconds: Option<i64>,
}

impl Input for SendSms {
    const REQUIRED: &'static [&'static str] = &["from", "to"];
    type Checked = SendingSms;

    fn check(self, _context: &Context) -> Result<SendingSms, Failure> {
        let from = sender(&self.from)?;
        let to = E164::in_field(&self.to, "to")?;
        let body = self.text.as_deref().map(|body| text::message_text(body, "text", TEXT_LENGTH)).transpose()?;
        let media_id = self.media_id.as_deref().map(|id| MediaId::in_param(id, "mediaId")).transpose()?;
        if body.is_none() && media_id.is_none() {
            return Err(Failure::missing_with("text", "text is required, because there is no mediaId."));
        }
        let client_reference = self.client_reference.map(client_reference).transpose()?;
        let queued_for = queued_for(self.queue, self.valid_for_seconds)?;
        Ok(SendingSms { from, message: OutgoingSms { to, text: body, media_id, client_reference }, queued_for })
    }
}

/// Parses the sender: the id of a phone number, or its number.
fn sender(from: &str) -> Result<SmsSender, Failure> {
    if from.starts_with(PhoneNumberId::PREFIX) {
        return PhoneNumberId::in_param(from, "from").map(SmsSender::Id);
    }
    E164::in_field(from, "from").map(SmsSender::Number)
}
