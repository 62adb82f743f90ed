//! Test mode: simulated numbers, users and messages.
//!
//! A recipient or a text decides what the simulated providers do with a message; a simulation is a chain of notifications like
//! those of the platform; and a test key can ask for any error on demand.

pub mod on_demand;
pub mod playground;
pub mod simulated_recipient;
pub mod simulated_review;
pub mod simulation;
