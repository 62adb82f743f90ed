//! The installation as a whole: costs, growth, faults, monitoring, erasure and updates.

mod bulk_writes;
mod costs;
mod dependencies;
mod due_work;
mod erasures;
mod essential_monitoring;
mod growth;
mod installation;
mod live_tour;
mod logs;
mod metrics;
mod open_enumerations;
pub(crate) mod outage_simulation;
mod outages;
mod page_sizes;
mod privileges;
mod quotas;
mod restore;
mod round_trips;
mod sdk_connection;
mod storage_faults;
mod sweep;
mod two_versions;
mod two_writers;
