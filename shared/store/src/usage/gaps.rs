//! What counters lack after the table was restored: the backup has the counters up to the position of each shard, and the items up
//! to its own time.

use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};

use crate::engine::item::entity;
use crate::{Store, keys};

/// A time whose changes may not be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    pub since: Timestamp,
    pub until: Timestamp,
}

/// All gaps.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Gaps {
    pub(crate) gaps: Vec<Gap>,
}

impl Store {
    /// Returns the times whose changes may not be counted, the earliest first.
    pub async fn usage_gaps(&self) -> Result<Vec<Gap>, Failure> {
        let item = self.table.get(&keys::meter_gaps()).await?;
        Ok(item.map(entity::<Gaps>).transpose()?.unwrap_or_default().gaps)
    }
}
