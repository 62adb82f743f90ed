//! The resources that more than one crate returns, as they appear in responses and events, and sample data of every
//! event.

mod app_reference;
mod chat_business_profile;
mod chat_phone_number;
mod event_body;
mod group;
mod samples;

pub use app_reference::{AppReference, app_references};
pub use chat_business_profile::ChatBusinessProfileView;
pub use chat_phone_number::ChatPhoneNumberView;
pub use event_body::EventBody;
pub use group::GroupView;
pub use samples::SampleOf;
