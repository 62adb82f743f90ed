//! The messaging domain, without input and output: identifiers, errors, time, phone numbers, events, modes and
//! entities. It is independent of HTTP, DynamoDB and AWS.

pub mod address;
pub mod app;
pub mod calling;
pub mod chat;
pub mod credential;
pub mod delivery;
pub mod error;
pub mod event;
pub mod failure;
pub mod id;
pub mod key;
pub mod media;
pub mod mode;
pub mod number;
pub mod open;
pub mod organization;
pub mod phone;
pub mod playground;
pub mod port;
pub mod provider;
pub mod schema;
mod schema_builder;
pub mod sms;
pub mod text;
pub mod time;
pub mod webhook;

pub use error::{ErrorCode, ErrorType};
pub use failure::Failure;
pub use mode::Mode;
pub use open::Open;
pub use phone::E164;
pub use time::Timestamp;
