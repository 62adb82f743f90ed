//! The attempt to send a chat message.

use domain::Failure;
use domain::chat::ChatPhoneNumber;
use domain::id::OrganizationId;
use inbound::{Inbox, SimulatedSend};
use platform::{PlatformError, SendingLine, simulated_message_id};
use serde_json::{Map, Value};
use store::StoredMessage;

use crate::attempt::{Outbound, Posted, Ready};

/// A chat message whose attempt is on record.
pub struct ReadyChat<'a> {
    pub organization: &'a OrganizationId,
    pub number: &'a ChatPhoneNumber,
    pub line: &'a SendingLine,
    pub message: StoredMessage,
    /// The message in the platform's format.
    pub body: Map<String, Value>,
}

impl Ready for ReadyChat<'_> {
    type Message = StoredMessage;

    fn organization(&self) -> &OrganizationId {
        self.organization
    }

    fn message(&self) -> &StoredMessage {
        &self.message
    }

    async fn post(&mut self, outbound: &Outbound) -> Posted {
        let data = callback_data(self.organization, &self.message);
        self.body.insert("biz_opaque_callback_data".to_owned(), Value::String(data.clone()));
        let body = Value::Object(std::mem::take(&mut self.body));
        let (number, line) = (self.number, self.line);
        let sent = line.send(&number.provider_phone_number_id, &body).await;
        if self.message.message().id.mode().is_test() && is_taken(&sent) {
            outbound.report_simulated(self.simulate_statuses(outbound, &data)).await;
        }
        match sent {
            Ok(id) => Posted::Accepted(id),
            Err(error) if error.is_outcome_unknown() => {
                tracing::warn!(message = %self.message.message().id, "the outcome of an attempt is unknown: {error}");
                Posted::Unknown
            }
            Err(error) => Posted::Refused(line.failure(error, &number.provider_phone_number_id).await),
        }
    }
}

impl ReadyChat<'_> {
    /// Reports the statuses of a message that the simulated platform has taken.
    async fn simulate_statuses(&self, outbound: &Outbound, data: &str) -> Result<(), Failure> {
        let sent = SimulatedSend {
            organization: self.organization,
            number: self.number,
            platform_id: &simulated_message_id(data),
            message: self.message.message(),
            at: outbound.context.now(),
        };
        let inbox = Inbox { context: outbound.context.clone(), queue: outbound.queue.clone() };
        for status in &sent.statuses_at_once()? {
            // Boxed: it is rare, and much larger than everything else that sending does.
            Box::pin(inbox.apply(status)).await?;
        }
        match sent.statuses_later() {
            Some(later) => outbound.queue.send_later(&[later]).await,
            None => Ok(()),
        }
    }
}

/// Returns whether the simulated platform has taken a message: also if only its response is lost.
fn is_taken(sent: &Result<String, PlatformError>) -> bool {
    matches!(sent, Ok(_) | Err(PlatformError::Unreachable { was_sent: true, .. }))
}

/// Returns what the platform repeats in every status of the message.
fn callback_data(organization: &OrganizationId, message: &StoredMessage) -> String {
    format!("{organization}:{}", message.message().id)
}
