//! Samples of SMS and chat messages.

use domain::chat::{ChatMessage, ChatMessageType, Direction, Outcome, Recipient, RecipientStatus};
use domain::id::{ChatMessageId, ChatPhoneNumberId, PhoneNumberId, SmsMessageId};
use domain::organization::MessageRetention;
use domain::sms::{SmsMessage, SmsStatus};
use domain::{ErrorCode, Failure};
use store::StoredMessage;

use super::{CUSTOMER_NUMBER, CUSTOMER_USER_ID, OWN_NUMBER, SampleOf, number, text};

impl SampleOf<'_> {
    pub(super) fn sms(&self, direction: Direction, status: SmsStatus) -> Result<String, Failure> {
        let (from, to) = match direction {
            Direction::Inbound => (CUSTOMER_NUMBER, OWN_NUMBER),
            Direction::Outbound => (OWN_NUMBER, CUSTOMER_NUMBER),
        };
        let id = SmsMessageId::mint(self.mode(), self.now, self.random);
        let number_id = PhoneNumberId::mint(self.mode(), self.now, self.random);
        let mut message = SmsMessage::blank(id, &number_id, direction, (number(from)?, number(to)?), self.now);
        message.app_id = Some(self.app.clone());
        message.text = Some("Is my parcel on its way?".to_owned());
        message.parts = Some(1);
        message.status = status.into();
        if direction == Direction::Outbound {
            message.outcome = Some(Outcome::Accepted.into());
            message.queued_at = Some(self.now);
            message.sent_at = (status != SmsStatus::Failed).then_some(self.now);
            message.delivered_at = (status == SmsStatus::Delivered).then_some(self.now);
        }
        if status == SmsStatus::Failed {
            let code = ErrorCode::MessageUndeliverable;
            message.failed_at = Some(self.now);
            message.error_code = Some(code.as_str().to_owned());
            message.error_message = Some(code.entry().description.to_owned());
        }
        text(&message)
    }

    fn chat_message(&self, direction: Direction) -> Result<ChatMessage, Failure> {
        let id = ChatMessageId::mint(self.mode(), self.now, self.random);
        let number_id = ChatPhoneNumberId::mint(self.mode(), self.now, self.random);
        let mut message =
            ChatMessage::blank(id, (&number_id, &number(OWN_NUMBER)?), direction, ChatMessageType::Text, self.now);
        message.text_body = Some("Is my parcel on its way?".to_owned());
        message.sent_at = Some(self.now);
        Ok(message)
    }

    pub(super) fn received(&self) -> Result<String, Failure> {
        let mut message = self.chat_message(Direction::Inbound)?;
        message.from_phone_number = Some(number(CUSTOMER_NUMBER)?);
        message.from_user_id = Some(CUSTOMER_USER_ID.to_owned());
        message.contact_name = Some("Ann".to_owned());
        text(&StoredMessage::new(message, MessageRetention::default()).details())
    }

    pub(super) fn outbound(&self, status: RecipientStatus) -> Result<String, Failure> {
        let mut message = self.chat_message(Direction::Outbound)?;
        message.to_phone_number = Some(number(CUSTOMER_NUMBER)?);
        message.to_user_id = Some(CUSTOMER_USER_ID.to_owned());
        let at =
            |reached: RecipientStatus| (status >= reached && status != RecipientStatus::Failed).then_some(self.now);
        let failed = status == RecipientStatus::Failed;
        message.delivered_at = at(RecipientStatus::Delivered);
        message.read_at = at(RecipientStatus::Read);
        message.failed_at = failed.then_some(self.now);
        message.error_code = failed.then(|| "131026".to_owned());
        message.error_title = failed.then(|| "Message undeliverable".to_owned());
        let recipient = Recipient {
            id: format!("{}_recipient", message.id),
            phone_number: message.to_phone_number.clone(),
            user_id: message.to_user_id.clone(),
            status: status.into(),
            queued_at: None,
            sent_at: message.sent_at,
            delivered_at: message.delivered_at,
            read_at: message.read_at,
            failed_at: message.failed_at,
            error_code: message.error_code.clone(),
            error_message: None,
            created_at: self.now,
            updated_at: self.now,
        };
        let mut stored = StoredMessage::new(message, MessageRetention::default());
        stored.tracked.recipients.push(recipient);
        text(&stored.details())
    }
}
