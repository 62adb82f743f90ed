//! The HTTP layer that all functions share: callers, input, responses, errors, idempotency, and the conversion between
//! gateway events and requests.

pub mod answer;
pub mod app_ids;
pub mod body;
pub mod caller;
pub mod claim;
pub mod cursor;
pub mod deferred;
pub mod error_body;
pub mod gateway;
pub mod idempotency;
mod json;
pub mod list;
pub mod path;
pub mod router;
pub mod routes;
mod unknown;

pub use answer::{Answer, Rejection};
pub use body::{Input, Json};
pub use caller::{Admin, AppCaller, OrgMember, TestApp};
pub use claim::Claim;
pub use deferred::Deferred;
pub use idempotency::Once;
pub use list::{FilteredList, List, ListQuery};
#[doc(hidden)]
pub use pastey::paste;
pub use path::Path;
pub use router::HttpService;
pub use routes::Routes;
