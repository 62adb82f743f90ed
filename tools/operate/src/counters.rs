//! Corrects the counters behind the limits.

use std::io::Write;

use domain::Failure;
use store::maintenance::miscounts;

use crate::Reconciliation;

impl<W: Write> Reconciliation<W> {
    pub(crate) async fn correct_counters(&mut self) -> Result<(), Failure> {
        for wrong in miscounts(&self.items)? {
            let what = format!("set {} of {} from {} to {}", wrong.counter, wrong.of, wrong.seen, wrong.counted);
            self.steps.take(&what, self.table.correct(&wrong)).await?;
            wrong.correct_in(&mut self.items);
        }
        Ok(())
    }
}
