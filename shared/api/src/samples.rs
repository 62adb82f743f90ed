//! A sample of each event's data: what a test delivery carries, and what the documentation shows. Made of the very types
//! that real events are made of.

use domain::chat::{
    ChatBusinessProfile, ChatMessage, ChatMessageType, Contact, Direction, Recipient, RecipientStatus, Template,
};
use domain::event::EventName;
use domain::id::{
    AppId, ChatBusinessProfileId, ChatMessageId, ChatPhoneNumberId, ContactId, OrganizationId, SmsMessageId,
};
use domain::port::Random;
use domain::sms::{SmsMessage, SmsStatus};
use domain::{E164, Failure, Mode, Timestamp};
use serde::Serialize;
use serde_json::json;
use store::StoredMessage;

use crate::views::ChatBusinessProfileView;

/// Whose sample it is, and when it was made.
pub struct SampleOf<'a> {
    pub organization: &'a OrganizationId,
    pub app: &'a AppId,
    pub now: Timestamp,
    pub random: &'a dyn Random,
}

const OURS: &str = "+12015550100";
const THEIRS: &str = "+12015550123";

impl SampleOf<'_> {
    /// The data of an event of this name, as JSON text.
    pub fn data(&self, kind: EventName) -> Result<String, Failure> {
        use EventName::{
            ChatAccountConnected, ChatAccountDisconnected, ContactsChatCreated, ContactsChatDeleted,
            ContactsChatUpdated, MessagesChatDelivered, MessagesChatFailed, MessagesChatRead, MessagesChatReceived,
            MessagesChatSent, MessagesSmsDelivered, MessagesSmsFailed, MessagesSmsReceived, MessagesSmsSent,
            TemplatesChatConnected, TemplatesChatCreated, TemplatesChatDeleted, TemplatesChatUpdated,
        };
        match kind {
            MessagesSmsReceived => self.sms(Direction::Inbound, SmsStatus::Received),
            MessagesSmsSent => self.sms(Direction::Outbound, SmsStatus::Sent),
            MessagesSmsDelivered => self.sms(Direction::Outbound, SmsStatus::Delivered),
            MessagesSmsFailed => self.sms(Direction::Outbound, SmsStatus::Failed),
            MessagesChatReceived => self.received(),
            MessagesChatSent => self.outbound(RecipientStatus::Sent),
            MessagesChatDelivered => self.outbound(RecipientStatus::Delivered),
            MessagesChatRead => self.outbound(RecipientStatus::Read),
            MessagesChatFailed => self.outbound(RecipientStatus::Failed),
            TemplatesChatCreated => self.template("PENDING"),
            TemplatesChatUpdated => self.template("PAUSED"),
            TemplatesChatDeleted | TemplatesChatConnected => self.template("APPROVED"),
            ContactsChatCreated | ContactsChatUpdated | ContactsChatDeleted => self.contact(),
            ChatAccountConnected | ChatAccountDisconnected => self.profile(),
        }
    }

    fn mode(&self) -> Mode {
        self.app.mode()
    }

    fn sms(&self, direction: Direction, status: SmsStatus) -> Result<String, Failure> {
        let (from, to) = match direction {
            Direction::Inbound => (THEIRS, OURS),
            Direction::Outbound => (OURS, THEIRS),
        };
        text(&SmsMessage {
            id: SmsMessageId::mint(self.mode(), self.now, self.random),
            app_id: self.app.clone(),
            from: number(from)?,
            to: number(to)?,
            text: "Is my parcel on its way?".to_owned(),
            direction,
            status: status.into(),
            created_at: self.now,
        })
    }

    fn chat_message(&self, direction: Direction) -> Result<ChatMessage, Failure> {
        let id = ChatMessageId::mint(self.mode(), self.now, self.random);
        let own = ChatPhoneNumberId::mint(self.mode(), self.now, self.random);
        let mut message = ChatMessage::blank(id, (&own, &number(OURS)?), direction, ChatMessageType::Text, self.now);
        message.text_body = Some("Is my parcel on its way?".to_owned());
        message.sent_at = Some(self.now);
        Ok(message)
    }

    fn received(&self) -> Result<String, Failure> {
        let mut message = self.chat_message(Direction::Inbound)?;
        message.from_phone_number = Some(number(THEIRS)?);
        message.contact_name = Some("Ann".to_owned());
        text(&StoredMessage::new(message).details())
    }

    fn outbound(&self, status: RecipientStatus) -> Result<String, Failure> {
        let mut message = self.chat_message(Direction::Outbound)?;
        message.to_phone_number = Some(number(THEIRS)?);
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
        let mut stored = StoredMessage::new(message);
        stored.tracked.recipients.push(recipient);
        text(&stored.details())
    }

    fn template(&self, status: &str) -> Result<String, Failure> {
        text(&Template {
            id: "102290129340398".to_owned(),
            chat_business_profile_id: ChatBusinessProfileId::mint(self.mode(), self.now, self.random),
            name: "order_update".to_owned(),
            language: "en_US".to_owned(),
            category: "UTILITY".to_owned(),
            status: status.to_owned(),
            components: json!([{"type": "BODY", "text": "Order {{1}} is on its way."}]),
            parameter_format: Some("POSITIONAL".to_owned()),
            quality_score: Some("GREEN".to_owned()),
            rejected_reason: None,
            created_at: self.now,
            updated_at: self.now,
        })
    }

    fn contact(&self) -> Result<String, Failure> {
        text(&Contact {
            id: ContactId::mint(self.now, self.random),
            chat_phone_number_id: ChatPhoneNumberId::mint(self.mode(), self.now, self.random),
            phone_number: Some(number(THEIRS)?),
            user_id: None,
            name: Some("Ann".to_owned()),
            created_at: self.now,
            updated_at: self.now,
        })
    }

    fn profile(&self) -> Result<String, Failure> {
        let profile = ChatBusinessProfile {
            id: ChatBusinessProfileId::mint(self.mode(), self.now, self.random),
            mode: self.mode(),
            provider_waba_id: "102290129340398".to_owned(),
            provider_business_id: Some("506914307656634".to_owned()),
            business_name: "Acme".to_owned(),
            token_expires_at: None,
            is_coexistence: false,
            onboarding_completed_at: Some(self.now),
            review_decision: None,
            review_decided_at: None,
            disconnected_at: None,
            templates_synced_at: None,
            simulated_syncs: 0,
            revision: 1,
            created_at: self.now,
            updated_at: self.now,
        };
        text(&ChatBusinessProfileView::new(self.organization, profile, Vec::new()))
    }
}

fn number(text: &str) -> Result<E164, Failure> {
    text.parse().map_err(Failure::internal)
}

fn text(data: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(data).map_err(Failure::internal)
}
