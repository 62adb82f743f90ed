//! Reports the statuses of messages that the simulated platform has accepted.

use domain::Failure;
use domain::job::StatusReports;
use futures_util::try_join;
use inbound::SimulatedSend;

use crate::Worker;

impl Worker {
    /// Reports the statuses that are due. A message or number that was deleted in the meantime has no more statuses.
    pub(crate) async fn report_statuses(&self, reports: &StatusReports) -> Result<(), Failure> {
        let organization = &reports.organization_id;
        let store = self.inbox.context.store.of(organization);
        let message = store.message_without_related(&reports.message_id);
        let (number, message) = try_join!(store.chat_phone_number(&reports.number_id), message)?;
        let (Some(number), Some(message)) = (number, message) else { return Ok(()) };
        let sent = SimulatedSend {
            organization,
            number: &number,
            platform_id: &reports.platform_id,
            message: message.message(),
            at: reports.at,
        };
        self.inbox.report_statuses(&sent, reports.next).await
    }
}
