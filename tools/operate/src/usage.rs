//! What the counters of usage lack after a restore.

use std::io::Write;

use domain::Failure;

use crate::reconciliation::Reconciliation;

impl<W: Write> Reconciliation<W> {
    /// Records the time whose changes may not be counted, so that usage says it.
    pub(crate) async fn note_usage_gap(&mut self) -> Result<(), Failure> {
        let Some(gap) = self.table.usage_gap(self.now).await? else {
            self.steps.say("   Nothing was counted yet.");
            return Ok(());
        };
        let what = format!("record that changes from {} to {} may not be counted", gap.since, gap.until);
        self.steps.take(&what, self.table.note_usage_gap(gap)).await?;
        Ok(())
    }
}
