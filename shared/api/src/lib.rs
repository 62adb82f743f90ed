//! The API on the wire, once for all functions: who calls, what they send, how answers and failures look, and how a
//! Lambda event becomes a request.

pub mod answer;
pub mod app_ids;
pub mod body;
pub mod caller;
pub mod claim;
pub mod config;
pub mod context;
pub mod cursor;
pub mod error_body;
pub mod events;
pub mod gateway;
pub mod idempotency;
pub mod invocation;
mod json;
pub mod list;
pub mod logging;
pub mod metrics;
pub mod operations;
pub mod path;
pub mod router;
pub mod samples;
mod unknown;
pub mod views;

pub use answer::{Answer, Rejection};
pub use body::{Input, Json};
pub use caller::{Admin, AppCaller, OrgMember, TestApp};
pub use claim::Claim;
pub use config::Environment;
pub use context::Context;
pub use idempotency::Once;
pub use list::{FilteredList, List, ListQuery};
pub use metrics::Metric;
pub use path::Path;
pub use router::Api;
