//! The telephony carrier (AWS End User Messaging SMS): a trait, its implementation with the AWS SDK, and the simulator for
//! test mode, which makes no network calls. Only this crate and `inbound` know the
//! carrier's field names.

mod carriers;
mod client;
mod control;
mod error;
mod port;
mod receipt;
mod recipient;
mod settings;
mod simulator;

pub use carriers::Carriers;
pub use client::AwsCarrier;
pub use control::{CALL_LIMIT, CarrierNumber, CarrierNumbers};
pub use error::CarrierError;
pub use port::{Carrier, Sms};
pub use recipient::SimulatedRecipient;
pub use settings::CarrierSettings;
pub use simulator::{Simulator, simulated_receipts};
