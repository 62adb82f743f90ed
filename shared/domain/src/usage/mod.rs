//! Usage: how many messages and deliveries there were in each hour and day, by group, and what they cost.

pub mod group;
pub mod period;
pub mod rate_card;
pub mod tally;

pub use group::{Dimension, Group, UsageKind};
pub use period::Period;
pub use rate_card::{CountryPrice, RateCard};
pub use tally::{Decimal, Tally};
