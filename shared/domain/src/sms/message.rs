//! The SMS message as the API shows it, and its changes by an attempt to send it.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::id::{AppId, MediaId, PhoneNumberId, SmsMessageId};
use crate::message::reason::{MessageProvider, Reason};
use crate::message::{Direction, EXPIRED, Outcome};
use crate::{E164, Failure, Open, Timestamp};

/// The type of an SMS message: with a medium it is an MMS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = SmsMessageType)]
pub enum SmsType {
    Sms,
    Mms,
}

/// The state of an SMS message: `RECEIVED` for an inbound message; `QUEUED` while an outbound message waits, here or at
/// the carrier, or if its outcome is unknown; `SENT` once the carrier has sent it; `DELIVERED` to the recipient;
/// `FAILED` if it was not sent or not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = SmsMessageStatus)]
pub enum SmsStatus {
    /// The message was received.
    #[serde(alias = "received")]
    Received,
    /// The message waits, here or at the carrier, or its outcome is unknown.
    #[serde(alias = "queued")]
    Queued,
    /// The carrier has sent the message.
    #[serde(alias = "sent")]
    Sent,
    #[serde(alias = "delivered")]
    Delivered,
    /// The message was not sent, or not delivered.
    #[serde(alias = "failed")]
    Failed,
}

/// The price that the carrier charges for a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SmsMessagePrice)]
pub struct Price {
    /// The amount, as a decimal number.
    #[schema(example = "0.00849")]
    pub amount: String,
    /// The ISO 4217 code of the currency.
    #[schema(example = "USD")]
    pub currency: String,
}

/// An SMS or MMS message.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SmsMessage {
    pub id: SmsMessageId,
    /// The app that sent the message. For a received message, the app of its number; omitted if the number is assigned
    /// to several apps.
    pub app_id: Option<AppId>,
    pub phone_number_id: PhoneNumberId,
    pub direction: Direction,
    #[serde(rename = "type")]
    #[schema(value_type = SmsType)]
    pub kind: Open<SmsType>,
    pub from: E164,
    pub to: E164,
    /// Omitted for an MMS without text, and for session tokens.
    pub text: Option<String>,
    /// The medium of an MMS. Omitted for session tokens.
    pub media_id: Option<MediaId>,
    /// The `clientReference` of the request that sent the message.
    pub client_reference: Option<String>,
    /// Whether the carrier accepted the message. Omitted for received messages.
    #[schema(value_type = Option<Outcome>)]
    pub outcome: Option<Open<Outcome>>,
    #[schema(value_type = SmsStatus)]
    pub status: Open<SmsStatus>,
    /// When the message was stored. Omitted for received messages.
    pub queued_at: Option<Timestamp>,
    pub sent_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    pub received_at: Option<Timestamp>,
    /// The error code for the failure of the message. Not every failure has one.
    pub error_code: Option<String>,
    /// A description of the failure.
    pub error_message: Option<String>,
    pub provider: Option<MessageProvider>,
    /// The number of parts in which the carrier sends the text. It is computed when the message is stored, and raised
    /// if the carrier's receipts report more.
    pub parts: Option<u32>,
    /// The price that the carrier charges, according to its receipts.
    pub price: Option<Price>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// When the carrier accepted the message, according to its response or a receipt. Not part of responses.
    #[serde(skip)]
    #[schema(ignore)]
    pub taken_at: Option<Timestamp>,
}

impl SmsMessage {
    /// Returns a message without content. A received one was received now.
    pub fn blank(
        id: SmsMessageId,
        number: &PhoneNumberId,
        direction: Direction,
        from: E164,
        to: E164,
        now: Timestamp,
    ) -> Self {
        let is_received = direction == Direction::Inbound;
        SmsMessage {
            id,
            app_id: None,
            phone_number_id: number.clone(),
            direction,
            kind: SmsType::Sms.into(),
            from,
            to,
            text: None,
            media_id: None,
            client_reference: None,
            outcome: None,
            status: if is_received { SmsStatus::Received } else { SmsStatus::Queued }.into(),
            queued_at: (!is_received).then_some(now),
            sent_at: None,
            delivered_at: None,
            failed_at: None,
            received_at: is_received.then_some(now),
            error_code: None,
            error_message: None,
            provider: None,
            parts: None,
            price: None,
            created_at: now,
            updated_at: now,
            taken_at: None,
        }
    }

    /// Returns the number of the other side.
    pub fn contact(&self) -> &E164 {
        match self.direction {
            Direction::Inbound => &self.from,
            Direction::Outbound => &self.to,
        }
    }

    /// Returns the outcome; `None` if the message was not sent here.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome.as_ref().and_then(Open::known)
    }

    /// Records that the carrier accepted the message, as its response or a receipt shows.
    pub fn accept(&mut self, now: Timestamp) {
        self.taken_at.get_or_insert(now);
        self.set_outcome(Outcome::Accepted, now);
    }

    /// Sets the outcome to `UNKNOWN` if it is still `PENDING`.
    pub fn mark_unknown(&mut self, now: Timestamp) {
        if self.outcome() == Some(Outcome::Pending) {
            self.set_outcome(Outcome::Unknown, now);
        }
    }

    /// Records that the message was refused, unless a receipt has shown the opposite.
    pub fn refuse(&mut self, failure: &Failure, now: Timestamp) {
        if self.taken_at.is_none() {
            self.fail(Reason::of(failure), now);
            self.set_outcome(Outcome::Refused, now);
        }
    }

    /// Records that the message could not be sent in time.
    pub fn expire(&mut self, now: Timestamp) {
        self.fail(Reason { message: EXPIRED.to_owned(), ..Reason::default() }, now);
        self.set_outcome(Outcome::Expired, now);
    }

    fn fail(&mut self, reason: Reason, now: Timestamp) {
        self.status = SmsStatus::Failed.into();
        self.failed_at.get_or_insert(now);
        self.show(Some(reason));
    }

    /// Returns why the message failed, if it shows a reason.
    pub(super) fn reason(&self) -> Option<Reason> {
        Reason::shown(self.error_code.as_ref(), self.error_message.as_ref(), self.provider.as_ref())
    }

    /// Shows why the message failed, or nothing.
    pub(super) fn show(&mut self, reason: Option<Reason>) {
        let (code, message, provider) =
            reason.map_or((None, None, None), |reason| (reason.code, Some(reason.message), reason.provider));
        (self.error_code, self.error_message, self.provider) = (code, message, provider);
    }

    fn set_outcome(&mut self, outcome: Outcome, now: Timestamp) {
        if self.outcome() != Some(outcome) {
            self.outcome = Some(outcome.into());
            self.updated_at = now;
        }
    }
}
