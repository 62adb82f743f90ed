//! Webhooks, their deliveries, queues of customers, and the feed.

mod deliveries;
mod delivery_details;
mod delivery_log;
mod destinations;
mod event_ends;
mod event_samples;
mod feed;
mod hostile_receivers;
mod patient_lane;
mod recoveries;
mod webhooks;
