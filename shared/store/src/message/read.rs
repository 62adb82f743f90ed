//! Reading one message.

use domain::{Failure, Timestamp};

use super::kind::{MessageKind, MessageKindId, Related};
use super::stored::{MainItem, Stored};
use crate::engine::item::{Item, SORT, ends_at, entity};
use crate::engine::table::Range;
use crate::{OrganizationStore, Reads, keys};

impl Reads {
    /// Returns a message without its related records. It can be shown, but must not be changed.
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

    /// Returns those of the messages that exist, without their related records, in no particular order.
    pub async fn messages_by_id<I: MessageKindId>(&self, ids: &[I]) -> Result<Vec<Stored<I::Kind>>, Failure> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<_> = ids.iter().map(|id| keys::message(I::Kind::CLASS, &self.organization, id)).collect();
        Stored::from_main_items(self.table.get_all(&keys).await?)
    }
}

impl<M: MessageKind> Stored<M> {
    /// Reads a message from its items, or from its main item alone. `None` without the main item.
    pub(crate) fn from_items(items: Vec<Item>) -> Result<Option<Self>, Failure> {
        let mut related = Related::new();
        let mut main = None;
        for item in items {
            let sort = item.get(SORT).and_then(|key| key.as_s().ok()).cloned().unwrap_or_default();
            if sort == M::CLASS.as_str() {
                main = Some(entity::<MainItem<M::Attributes>>(item)?);
            } else {
                related.insert(sort, item);
            }
        }
        let Some(MainItem { attributes, kept, ttl, metered: _ }) = main else { return Ok(None) };
        Ok(Some(Stored {
            queued: related.remove(keys::SEND_PART).map(entity).transpose()?,
            record: M::from_parts(attributes, related)?,
            kept,
            ends_at: ttl.map(ends_at),
        }))
    }

    /// Reads messages from their main items alone.
    pub(crate) fn from_main_items(items: Vec<Item>) -> Result<Vec<Self>, Failure> {
        items.into_iter().filter_map(|item| Stored::from_items(vec![item]).transpose()).collect()
    }

    /// Returns whether the message has ended. It is hidden from then on, and the table removes it later.
    pub fn has_ended(&self, now: Timestamp) -> bool {
        self.ends_at.is_some_and(|at| at <= now)
    }
}
