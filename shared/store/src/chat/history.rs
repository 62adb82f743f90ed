//! The history of a number that its business app shares. It comes in large parts, which are stored as they are and
//! imported one after the other, apart from everything else. A number's parts are one partition; its *line* is in the
//! index of due work while parts wait.

use domain::due::DueClass;
use domain::id::ChatPhoneNumberId;
use domain::{Failure, Timestamp};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};

use crate::engine::change::{Change, stale};
use crate::engine::commit::Committed;
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{DUE_AT, NewItem, SORT, VERSION, entity, number as number_value};
use crate::engine::table::Range;
use crate::{OrganizationStore, keys};

/// How many parts are written at once.
const AT_ONCE: usize = 8;

/// Updates of a number's history, as texts that the crate `inbound` reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryPart {
    /// Identifies the content, so that a repeated notification stores nothing twice.
    pub id: String,
    pub updates: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct PartItem {
    updates: Vec<String>,
}

/// The parts of a number that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct HistoryLine {
    /// The number of times at which parts were added.
    pub revision: u64,
}

impl OrganizationStore {
    /// Stores parts of a number's history, and makes its line due at once unless parts wait already.
    pub async fn keep_history(
        &self,
        number: &ChatPhoneNumberId,
        parts: Vec<HistoryPart>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let writes = parts.into_iter().map(|HistoryPart { id, updates }| async move {
            let key = keys::history_part(&self.organization, number, &id);
            let mut change = Change::new(&self.organization);
            change.put(NewItem::new(&key, &PartItem { updates })?);
            self.table.commit(&change).await
        });
        stream::iter(writes).buffer_unordered(AT_ONCE).try_for_each(|_| async { Ok(()) }).await?;

        let line = Update::new(keys::history_line(&self.organization, number))
            .set_value(VERSION, number_value(1))
            .due_if_absent(DueClass::Signups, now)?
            .add("revision", 1);
        self.table.try_update(line).await.map(|_| ())
    }

    /// Returns the line of a number; `None` if no parts wait.
    pub async fn history_line(&self, number: &ChatPhoneNumberId) -> Result<Option<HistoryLine>, Failure> {
        self.table.get(&keys::history_line(&self.organization, number)).await?.map(entity).transpose()
    }

    /// Returns whether parts of one of these numbers wait.
    pub async fn has_waiting_history<'a>(
        &self,
        numbers: impl IntoIterator<Item = &'a ChatPhoneNumberId>,
    ) -> Result<bool, Failure> {
        let keys: Vec<_> = numbers.into_iter().map(|number| keys::history_line(&self.organization, number)).collect();
        Ok(!self.table.get_all(&keys).await?.is_empty())
    }

    /// Returns the first part of a number that waits.
    pub async fn next_history_part(&self, number: &ChatPhoneNumberId) -> Result<Option<HistoryPart>, Failure> {
        let partition = keys::history(&self.organization, number);
        let range = Range { from: Some(keys::HISTORY_PART), limit: Some(1), ..Range::whole(partition) };
        let Some(item) = self.table.query(range).await?.pop() else { return Ok(None) };
        let sort = item.get(SORT).and_then(|sort| sort.as_s().ok()).cloned().unwrap_or_default();
        let id = sort.trim_start_matches(keys::HISTORY_PART).to_owned();
        Ok(Some(HistoryPart { id, updates: entity::<PartItem>(item)?.updates }))
    }

    /// Deletes a part that was imported.
    pub async fn forget_history_part(&self, number: &ChatPhoneNumberId, id: &str) -> Result<(), Failure> {
        let mut change = Change::new(&self.organization);
        change.delete_any(keys::history_part(&self.organization, number, id));
        self.table.commit(&change).await.map(|_| ())
    }

    /// Makes the line due again later, while a job works on it.
    pub async fn hold_history(&self, number: &ChatPhoneNumberId, until: Timestamp) -> Result<(), Failure> {
        let update = Update::new(keys::history_line(&self.organization, number))
            .set_value(DUE_AT, number_value(until.millis()))
            .if_present();
        self.table.try_update(update).await.map(|_| ())
    }

    /// Ends a line whose parts were all imported. Returns `false` if parts were added since it was read.
    pub async fn end_history(&self, number: &ChatPhoneNumberId, seen: HistoryLine) -> Result<bool, Failure> {
        let as_seen = Condition::new("attribute_not_exists(PK) OR #revision = :seenRevision")
            .value(":seenRevision", number_value(seen.revision));
        let mut change = Change::new(&self.organization);
        change.delete(keys::history_line(&self.organization, number), as_seen, stale());
        Ok(!matches!(self.table.commit(&change).await?, Committed::Stale))
    }
}
