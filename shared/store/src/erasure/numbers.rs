//! The numbers whose messages an erasure searches: the organization's present and former ones. The messages of a
//! deleted number stay until their retention ends, and only its id leads to them.

use domain::Failure;
use domain::id::{Identifier as _, OrganizationId};
use domain::identity::app::App;
use domain::identity::organization::LONGEST_MESSAGE_RETENTION_DAYS;
use domain::number::NumberId;
use domain::{Mode, Timestamp};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};

use crate::engine::change::Change;
use crate::engine::item::{NewItem, entities};
use crate::engine::table::Range;
use crate::{OrganizationStore, Store, keys};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FormerNumbers {
    numbers: Vec<String>,
}

#[derive(Deserialize)]
struct Numbered {
    id: String,
}

impl OrganizationStore {
    /// Returns the ids of all numbers of the organization, in both modes and of both kinds, with those that were deleted, in
    /// ascending order.
    pub async fn present_and_former_numbers(&self) -> Result<Vec<NumberId>, Failure> {
        let partitions = Mode::ALL.into_iter().flat_map(|mode| {
            [keys::phone_numbers(&self.organization, mode), keys::chat_phone_numbers(&self.organization, mode)]
        });
        let former = Range::whole(keys::former_numbers(&self.organization));
        let reads = partitions.map(Range::whole).chain([former]).map(|range| self.table.query(range));
        let mut found = try_join_all(reads).await?;
        let former: Vec<FormerNumbers> = entities(found.pop().unwrap_or_default())?;
        let former = former.iter().flat_map(|former| &former.numbers);
        // Only the ids are read, so that a damaged item of one number does not keep the messages of the others.
        let present: Vec<Numbered> = entities(found.into_iter().flatten().collect())?;
        let present = present.iter().map(|number| &number.id);
        let mut ids: Vec<NumberId> = former.chain(present).filter_map(|id| id.parse().ok()).collect();
        ids.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        ids.dedup();
        Ok(ids)
    }
}

impl Store {
    /// Remembers the numbers of a test app before it is deleted with them: the transaction that deletes an app has no
    /// room for another item. It does no harm if the app is not deleted after all.
    pub async fn remember_numbers_of_app(
        &self,
        organization: &OrganizationId,
        app: &App,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let chat = app.simulated_chat_number.iter().map(|own| own.id.to_string());
        let numbers: Vec<String> = app.system_number_ids.iter().map(ToString::to_string).chain(chat).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let mut change = Change::new(organization);
        change.remember_former_numbers(app.id.as_str(), numbers, now)?;
        self.commit(&change).await.map(|_| ())
    }
}

impl Change {
    /// Remembers the ids of numbers that the change deletes, under the id of the number or app that is deleted, for as long as
    /// their messages may be kept.
    pub(crate) fn remember_former_numbers(
        &mut self,
        deleted: &str,
        numbers: Vec<String>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        if !numbers.is_empty() {
            let item = NewItem::new(&keys::former_numbers_of(&self.organization, deleted), &FormerNumbers { numbers })?;
            self.put(item.expiring(now.plus_days(LONGEST_MESSAGE_RETENTION_DAYS)));
        }
        Ok(())
    }
}
