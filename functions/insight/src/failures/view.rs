use domain::id::{AppId, ksuid_time};
use domain::message::MessageId;
use domain::message::ending::Ending;
use domain::message::reason::MessageProvider;
use domain::schema::ShortText;
use domain::{Open, Timestamp};
use serde::Serialize;
use serde_with::skip_serializing_none;
use store::FailedMessage;
use utoipa::ToSchema;

use super::Shown;
use super::filters::Channel;

/// A message that reached nobody.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageFailure)]
pub(crate) struct FailureView {
    #[schema(value_type = ShortText)]
    message_id: MessageId,
    channel: Channel,
    /// The id of the number that it was sent from, of either kind.
    #[schema(value_type = ShortText)]
    phone_number_id: String,
    /// The app that has sent it. Omitted if it was not sent through this API.
    app_id: Option<AppId>,
    #[schema(value_type = Ending)]
    ending: Open<Ending>,
    /// The recipient: a phone number, a WhatsApp user id, or the id of a group.
    to: Option<String>,
    /// The `clientReference` of the request that sent the message.
    client_reference: Option<String>,
    /// The error code. Not every failure has one.
    error_code: Option<String>,
    /// What happened.
    error_message: Option<String>,
    provider: Option<MessageProvider>,
    /// When the message failed, or since when its outcome is unknown.
    failed_at: Timestamp,
    /// When the message was stored.
    created_at: Timestamp,
}

impl FailureView {
    pub(super) fn of(failed: &FailedMessage, shown: Option<&Shown>) -> Self {
        let channel = match failed.message_id {
            MessageId::Chat(_) => Channel::Chat,
            MessageId::Sms(_) => Channel::Sms,
        };
        FailureView {
            message_id: failed.message_id.clone(),
            channel,
            phone_number_id: failed.number.clone(),
            app_id: failed.app_id.clone(),
            ending: failed.ending.clone(),
            to: shown.and_then(|shown| shown.to.clone()),
            client_reference: shown.and_then(|shown| shown.client_reference.clone()),
            error_code: failed.code.clone(),
            error_message: shown.and_then(|shown| shown.message.clone()),
            provider: shown.and_then(|shown| shown.provider.clone()),
            failed_at: failed.at,
            // Its id begins with the time at which it was stored.
            created_at: ksuid_time(failed.message_id.ksuid()).unwrap_or(failed.at),
        }
    }

    /// Returns the place in the list.
    pub(super) fn place(&self) -> &str {
        self.message_id.ksuid()
    }
}
