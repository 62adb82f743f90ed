//! Sample data of every event, for test deliveries and the documentation. It is built from the types that real events
//! use.

mod messages;

use domain::chat::{ChatBusinessProfile, Contact, Direction, RecipientStatus, Template};
use domain::event::EventName;
use domain::id::{AppId, ChatBusinessProfileId, ChatPhoneNumberId, ContactId, OrganizationId};
use domain::port::Random;
use domain::sms::SmsStatus;
use domain::{E164, Failure, Mode, Timestamp};
use serde::Serialize;
use serde_json::json;

use crate::ChatBusinessProfileView;

/// The organization, app and time of a sample.
pub struct SampleOf<'a> {
    pub organization: &'a OrganizationId,
    pub app: &'a AppId,
    pub now: Timestamp,
    pub random: &'a dyn Random,
}

/// The organization's number in samples.
const OWN_NUMBER: &str = "+12015550100";
/// The customer's number in samples.
const CUSTOMER_NUMBER: &str = "+12015550123";
const CUSTOMER_USER_ID: &str = "US.13491208655302741918";

impl SampleOf<'_> {
    /// Returns the data of an event of this name as JSON text.
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

    fn template(&self, status: &str) -> Result<String, Failure> {
        text(&Template {
            id: "102290129340398".to_owned(),
            chat_business_profile_id: ChatBusinessProfileId::mint(self.mode(), self.now, self.random),
            name: Some("order_update".to_owned()),
            language: Some("en_US".to_owned()),
            category: Some("UTILITY".to_owned()),
            status: status.to_owned(),
            components: Some(json!([{"type": "BODY", "text": "Order {{1}} is on its way."}]).into()),
            parameter_format: Some("POSITIONAL".to_owned()),
            message_send_ttl_seconds: None,
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
            phone_number: Some(number(CUSTOMER_NUMBER)?),
            user_id: Some(CUSTOMER_USER_ID.to_owned()),
            name: Some("Ann".to_owned()),
            username: Some("ann".to_owned()),
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
            releasing_since: None,
            released_at: None,
            connection_at: None,
            templates_synced_at: None,
            simulated_syncs: 0,
            simulated_restriction_until: None,
            health: None,
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
