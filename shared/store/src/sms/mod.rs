//! SMS messages: the main item, and an item of the content while a message waits in the queue.

mod stored;

use domain::Failure;
use domain::id::SmsMessageId;

use crate::change::Change;
use crate::table::Range;
use crate::{OrganizationStore, keys};

pub use stored::{Carried, StoredSms};

impl OrganizationStore {
    /// Returns a message without its related records: to show its outcome, and not to change it.
    pub async fn sms_message_without_parts(&self, id: &SmsMessageId) -> Result<Option<StoredSms>, Failure> {
        let item = self.table.get(&keys::sms_message(&self.organization, id)).await?;
        StoredSms::from_items(item.into_iter().collect())
    }

    /// Returns a message with its related records, in one query.
    pub async fn sms_message(&self, id: &SmsMessageId) -> Result<Option<StoredSms>, Failure> {
        StoredSms::from_items(self.table.query(Range::whole(keys::sms_parts(&self.organization, id))).await?)
    }
}

impl Change {
    /// Creates a message with its list items.
    pub fn create_sms_message(&mut self, stored: &StoredSms) -> Result<(), Failure> {
        self.create_record(stored)
    }

    /// Writes the differences between two states of a message. Stale if its revision has changed.
    pub fn update_sms_message(&mut self, before: &StoredSms, after: &StoredSms) -> Result<(), Failure> {
        self.update_record(before, after)
    }
}
