//! Events, and how they reach customers.
//!
//! An event is written in the transaction of the change that it reports. Webhooks subscribe to events; each event
//! becomes one delivery per webhook, with attempts on a schedule. The feed lists the events of an app for receivers
//! that poll, and a recovery retries deliveries that failed during an outage. Addresses of webhooks must be public.

pub mod address;
pub mod delivery;
pub mod event;
pub mod feed;
pub mod recovery;
pub mod webhook;
