//! The order in which updates are applied: updates of one thing one after the other, so that they do not meet in the table, and
//! those of different things side by side.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, stream};

const SIDE_BY_SIDE: usize = 8;

/// Works on all updates and returns what `work` returned for those that are left. `lane` names the thing that an update is of.
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
    left.buffer_unordered(SIDE_BY_SIDE).concat().await
}
