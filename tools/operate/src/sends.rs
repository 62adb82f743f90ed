//! Keeps requests to send that were made since the restore point from sending a second message when they are repeated.

use std::io::Write;

use domain::Failure;

use crate::Reconciliation;

impl<W: Write> Reconciliation<W> {
    /// Copies the records of the Idempotency-Keys under which messages were stored since the restore point. The messages are
    /// lost, so a repeated request gets 410 and sends nothing.
    pub(crate) async fn keep_send_records(&mut self) -> Result<(), Failure> {
        let Some(previous) = &self.previous else {
            self.steps.say("   There is no previous table: a send from after the restore point is sent again if its request is repeated.");
            return Ok(());
        };
        let records = self.table.lost_send_records(previous, self.now).await?;
        if records.is_empty() {
            self.steps.say("   No request stored a message since.");
            return Ok(());
        }
        let what = format!("keep the Idempotency-Keys of {} messages that were stored since", records.len());
        self.steps.take(&what, self.table.keep_send_records(records)).await.map(|_| ())
    }
}
