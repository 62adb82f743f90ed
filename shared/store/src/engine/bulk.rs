//! Writes of many objects. Objects are packed into as few transactions as possible, each object whole, so that none is
//! written in part. Each transaction leaves room for one more item, for a record that a later release may add to every
//! change. Nothing here relies on a fixed number of items per object.

use std::collections::HashSet;

use domain::Failure;

use crate::engine::change::Change;
use crate::engine::commit::MOST_WRITES;
use crate::engine::operation::Operation;
use crate::engine::table::Table;
use crate::keys::Key;

/// The highest number of items in a transaction of a bulk write: DynamoDB's limit, less one that is left free.
pub const BULK_WRITES: usize = MOST_WRITES - 1;

/// Packs changes, each of one object, into as few changes as possible. An item that several objects delete is deleted
/// once, because a transaction must not name an item twice.
pub fn packed(objects: impl IntoIterator<Item = Change>) -> Vec<Change> {
    let mut packed: Vec<(Change, HashSet<Key>)> = Vec::new();
    for object in objects {
        let Change { organization, writes, .. } = object;
        let (mut change, mut deleted) = match packed.pop() {
            Some((last, deleted)) if last.writes.len() + writes.len() <= BULK_WRITES => (last, deleted),
            full => {
                packed.extend(full);
                (Change::new(&organization), HashSet::new())
            }
        };
        for write in writes {
            let is_repeated = match &write.operation {
                Operation::Delete(key, condition) if condition.text.is_empty() => !deleted.insert(key.clone()),
                _ => false,
            };
            if !is_repeated {
                change.writes.push(write);
            }
        }
        packed.push((change, deleted));
    }
    packed.into_iter().map(|(change, _)| change).collect()
}

impl Table {
    /// Commits changes, each of one object, several in one transaction. If a condition of one fails, nothing of its transaction is
    /// written: whoever has conditions reads and writes again what is left.
    pub(crate) async fn commit_packed(&self, objects: impl IntoIterator<Item = Change>) -> Result<(), Failure> {
        for change in packed(objects) {
            self.commit(&change).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use domain::id::OrganizationId;

    use super::*;
    use crate::keys;

    /// Deletions of objects with so many items each, of which `shared` are the same for all objects.
    fn objects(count: usize, items: usize, shared: usize) -> Vec<Change> {
        let organization: OrganizationId = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
        let object = |number: usize| {
            let mut change = Change::new(&organization);
            for item in 0..items {
                let owner = if item < shared { 0 } else { number };
                change.delete_any(keys::app_slug(&organization, &format!("{owner}-{item}")));
            }
            change
        };
        (0..count).map(object).collect()
    }

    #[test]
    fn objects_stay_whole_and_transactions_have_room_left() {
        for items in 1..=8 {
            for count in [0, 1, 49, 50, 51, 99, 100, 101, 250] {
                let sizes: Vec<usize> =
                    packed(objects(count, items, 0)).iter().map(|change| change.writes.len()).collect();
                assert_eq!(sizes.iter().sum::<usize>(), count * items);
                assert!(sizes.iter().all(|size| *size < MOST_WRITES && size % items == 0), "{items}: {sizes:?}");
                assert_eq!(sizes.len(), (count * items).div_ceil(BULK_WRITES / items * items), "{items}: {sizes:?}");
            }
        }
    }

    #[test]
    fn an_item_of_several_objects_is_written_once_per_transaction() {
        let changes = packed(objects(80, 2, 1));
        assert_eq!(changes.iter().map(|change| change.writes.len()).collect::<Vec<_>>(), [81]);
    }
}
