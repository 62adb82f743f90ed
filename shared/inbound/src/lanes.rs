//! The order in which updates are applied: updates of the same object in sequence, so that they do not conflict in the
//! table, and updates of different objects concurrently.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, stream};

/// The number of lanes that are processed concurrently.
const CONCURRENT_LANES: usize = 8;

/// Runs `work` on all updates, and returns its results for those that could not be completed. `lane` names the object
/// of an update.
pub async fn in_lanes<U, L, F>(updates: Vec<U>, lane: impl Fn(&U) -> String, work: impl Fn(U) -> F) -> Vec<L>
where
    F: Future<Output = Option<L>>,
{
    let mut lanes: BTreeMap<String, Vec<U>> = BTreeMap::new();
    for update in updates {
        lanes.entry(lane(&update)).or_default().push(update);
    }
    let work = &work;
    let left = stream::iter(lanes.into_values()).map(|lane| async move {
        let mut left = Vec::new();
        for update in lane {
            left.extend(work(update).await);
        }
        left
    });
    left.buffer_unordered(CONCURRENT_LANES).concat().await
}
