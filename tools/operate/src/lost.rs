//! Lists keys, apps, webhooks and members that were created since the restore point and are lost.

use std::io::Write;

use domain::Failure;
use serde::Deserialize;

use crate::Reconciliation;

#[derive(Deserialize)]
struct Named {
    id: String,
}

impl<W: Write> Reconciliation<W> {
    pub(crate) async fn list_lost(&mut self) -> Result<(), Failure> {
        let Some(old) = &self.old else { return Ok(()) };
        let mut lost = Vec::new();
        for organization in self.items.organizations()? {
            let known = old.access_of(&organization).await?;
            for key in known.keys().filter(|key| !self.items.contains(key)) {
                if let Some(Named { id }) = known.get(key)? {
                    lost.push(format!("{id} of {organization}"));
                }
            }
        }
        self.steps.list("Keys, apps, webhooks and members made since, which are lost", lost);
        Ok(())
    }
}
