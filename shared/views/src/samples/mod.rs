//! Sample data of every event, for test deliveries and the documentation: data of real events, which a test records
//! (`UPDATE_SAMPLES=1`). Identifiers, times and the mode are placeholders, which are filled in for each delivery.

use domain::events::event::EventName;
use domain::id::{AppId, OrganizationId, PhoneNumberId};
use domain::port::Random;
use domain::{Failure, Mode, Timestamp};

/// The organization, app and time of a sample.
pub struct SampleOf<'a> {
    pub organization: &'a OrganizationId,
    pub app: &'a AppId,
    pub now: Timestamp,
    pub random: &'a dyn Random,
}

impl SampleOf<'_> {
    /// Returns the data of an event of this name as JSON text.
    pub fn data(&self, kind: EventName) -> Result<String, Failure> {
        let mode = self.app.mode();
        let (infix, is_test) = if mode == Mode::Test { ("test_", "true") } else { ("", "false") };
        let minted = PhoneNumberId::mint(mode, self.now, self.random);
        let filled = recorded(kind)
            .replace("\"<isTest>\"", is_test)
            .replace("<now>", &self.now.to_string())
            .replace("[test_]", infix)
            .replace("<ksuid>", minted.ksuid())
            .replace("<organization>", &self.organization.to_string())
            .replace("<app>", &self.app.to_string());
        let data: serde_json::Value = serde_json::from_str(&filled).map_err(Failure::internal)?;
        Ok(data.to_string())
    }
}

/// Returns the recorded data of an event.
fn recorded(kind: EventName) -> &'static str {
    match kind {
        EventName::MessagesSmsReceived => include_str!("messages.sms.received.json"),
        EventName::MessagesSmsSent => include_str!("messages.sms.sent.json"),
        EventName::MessagesSmsDelivered => include_str!("messages.sms.delivered.json"),
        EventName::MessagesSmsFailed => include_str!("messages.sms.failed.json"),
        EventName::MessagesChatReceived => include_str!("messages.chat.received.json"),
        EventName::MessagesChatSent => include_str!("messages.chat.sent.json"),
        EventName::MessagesChatDelivered => include_str!("messages.chat.delivered.json"),
        EventName::MessagesChatRead => include_str!("messages.chat.read.json"),
        EventName::MessagesChatFailed => include_str!("messages.chat.failed.json"),
        EventName::TemplatesChatCreated => include_str!("templates.chat.created.json"),
        EventName::TemplatesChatUpdated => include_str!("templates.chat.updated.json"),
        EventName::TemplatesChatDeleted => include_str!("templates.chat.deleted.json"),
        EventName::TemplatesChatConnected => include_str!("templates.chat.connected.json"),
        EventName::ContactsChatCreated => include_str!("contacts.chat.created.json"),
        EventName::ContactsChatUpdated => include_str!("contacts.chat.updated.json"),
        EventName::ContactsChatDeleted => include_str!("contacts.chat.deleted.json"),
        EventName::ChatAccountConnected => include_str!("chat.account.connected.json"),
        EventName::ChatAccountDisconnected => include_str!("chat.account.disconnected.json"),
    }
}
