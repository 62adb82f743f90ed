//! The messages of the sweep's queue.

use serde::{Deserialize, Serialize};

use super::Queued;
use crate::Timestamp;
use crate::due::DueClass;

/// One round of due work: a class and a shard of the due index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SweepJob {
    pub v: u8,
    pub class: DueClass,
    pub shard: u32,
    /// When the next run of the schedule sends a message for the same class and shard. From then on, this one does
    /// nothing, so however many rounds a run takes, runs do not add up.
    pub until: Timestamp,
    /// The number of rounds of this run that came before this one.
    pub round: u32,
    /// The cursor at which the previous round stopped reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl Queued for SweepJob {
    fn group(&self) -> Option<String> {
        Some(self.class.as_str().to_owned())
    }
}
