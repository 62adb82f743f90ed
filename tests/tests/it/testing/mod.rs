//! Test mode: simulated users, platform and carrier, and errors on demand.

mod bounds;
mod docs;
mod errors_on_demand;
mod playground;
mod simulated_inbound;
mod simulated_sms;
mod simulations;
