//! The messaging domain, without input and output: identifiers, errors, time, phone numbers, events, modes and
//! entities. It is independent of HTTP, DynamoDB and AWS.

pub mod attention;
pub mod audit;
pub mod calling;
pub mod chat;
pub mod deletion;
pub mod due;
pub mod erasure;
pub mod error;
pub mod events;
pub mod id;
pub mod identity;
pub mod job;
pub mod json;
pub mod media;
pub mod message;
pub mod mode;
pub mod number;
pub mod open;
pub mod page;
pub mod port;
pub mod present;
pub mod schema;
pub mod sms;
pub mod testing;
pub mod text;
pub mod time;
pub mod usage;

pub use error::failure::Failure;
pub use error::{ErrorCode, ErrorKind, ErrorType};
pub use json::Json;
pub use mode::Mode;
pub use number::phone::E164;
pub use open::Open;
pub use time::Timestamp;
