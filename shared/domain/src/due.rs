//! Due work: work that waits for a point in time. The table's index `due` is partitioned by class of work and shard, so
//! that an invocation of its own can work off each shard.

use serde::{Deserialize, Serialize};

/// A class of due work. The sweep function works off all of them; `process_due` in
/// functions/delivery/src/sweep/items.rs does the work. A new class also needs its alarms in the template, which a test
/// compares with this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DueClass {
    /// Events that the dispatch function missed.
    Events,
    /// Retries of deliveries, attempts whose message was lost, and stalled recoveries.
    Deliveries,
    /// Expired media, abandoned uploads, and the media of inbound messages.
    Media,
    /// Abandoned signups, disconnections that stopped, and histories to import.
    Signups,
    /// Unfinished deletions: deleted apps that other objects still refer to, and erasures.
    Apps,
    /// Queued messages whose turn has come or whose time is up, and attempts to send without an outcome.
    Sends,
    /// Phone numbers to unlink from the carrier.
    Numbers,
    /// Live business profiles to check, once a day.
    Profiles,
}

impl DueClass {
    pub const ALL: [DueClass; 8] = [
        DueClass::Events,
        DueClass::Deliveries,
        DueClass::Media,
        DueClass::Signups,
        DueClass::Apps,
        DueClass::Sends,
        DueClass::Numbers,
        DueClass::Profiles,
    ];

    /// Returns the name in the index, in queue messages and in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            DueClass::Events => "events",
            DueClass::Deliveries => "deliveries",
            DueClass::Media => "media",
            DueClass::Signups => "signups",
            DueClass::Apps => "apps",
            DueClass::Sends => "sends",
            DueClass::Numbers => "numbers",
            DueClass::Profiles => "profiles",
        }
    }

    /// Returns the number of shards. Each carries 1,000 write units per second, and an item takes one to enter the
    /// index and one to leave it. The number may grow, but never shrink: items in removed shards would never be read.
    pub const fn shards(self) -> u32 {
        match self {
            DueClass::Events | DueClass::Deliveries | DueClass::Sends => 16,
            DueClass::Media => 8,
            DueClass::Signups | DueClass::Apps | DueClass::Numbers | DueClass::Profiles => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_one_name_everywhere() {
        for class in DueClass::ALL {
            assert_eq!(serde_json::to_value(class).expect("a value"), class.as_str());
            assert!(class.shards() > 0);
        }
    }
}
