//! Reading one message.

use domain::{Failure, Timestamp};

use super::kind::{MessageKind as _, MessageKindId};
use super::stored::Stored;
use crate::table::Range;
use crate::{OrganizationStore, Reads, keys};

impl Reads {
    /// Returns a message without its related records: to show it, and not to change it.
    pub async fn message_without_related<I: MessageKindId>(&self, id: &I) -> Result<Option<Stored<I::Kind>>, Failure> {
        let item = self.table.get(&keys::message(I::Kind::CLASS, &self.organization, id)).await?;
        Stored::from_items(item.into_iter().collect())
    }

    /// Returns a message without its related records, unless it has ended.
    pub async fn unended_message<I: MessageKindId>(
        &self,
        id: &I,
        now: Timestamp,
    ) -> Result<Option<Stored<I::Kind>>, Failure> {
        Ok(self.message_without_related(id).await?.filter(|message| !message.has_ended(now)))
    }
}

impl OrganizationStore {
    /// Returns a message with its related records, in one query.
    pub async fn message<I: MessageKindId>(&self, id: &I) -> Result<Option<Stored<I::Kind>>, Failure> {
        Stored::from_items(
            self.table.query(Range::whole(keys::message_items(I::Kind::CLASS, &self.organization, id))).await?,
        )
    }
}
