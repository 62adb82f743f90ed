//! Clearing the references to a deleted app.

use domain::id::OrganizationId;
use domain::{Failure, Timestamp};

use crate::{Change, DeletedApp, Store};

impl Store {
    /// Clears everything that still refers to a deleted app, then deletes its record. Continues after a failure, so
    /// that as much as possible is cleared; in that case the record stays and the sweep clears the rest.
    pub async fn clear_deleted_app(
        &self,
        organization: &OrganizationId,
        deleted: &DeletedApp,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let mut cleared = Vec::new();
        for number in deleted.numbers.iter().filter_map(|number| number.parse().ok()) {
            let mut change = Change::new(organization);
            change.clear_number_of_deleted_app(&number, &deleted.id, now)?;
            cleared.push(self.commit(&change).await);
        }
        if let Some(number) = &deleted.shared_number {
            for app in &deleted.shared_with {
                let mut change = Change::new(organization);
                change.clear_app_of_deleted_number(app, number);
                cleared.push(self.commit(&change).await);
            }
        }
        let mut webhooks = Change::new(organization);
        webhooks.delete_webhook_leftovers(&deleted.webhooks);
        cleared.push(self.commit(&webhooks).await);
        cleared.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut record = Change::new(organization);
        record.forget_deleted_app(&deleted.id);
        self.commit(&record).await.map(|_| ())
    }
}
