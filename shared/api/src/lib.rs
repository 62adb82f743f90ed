//! The HTTP layer that all functions share: callers, input, responses, errors, idempotency, and the conversion between
//! gateway events and requests.

mod access;
pub mod answer;
pub mod app_ids;
mod app_scope;
pub mod body;
pub mod caller;
pub mod claim;
pub mod cursor;
pub mod deferred;
pub mod error_body;
pub mod feed_query;
mod fields;
pub mod filter_values;
pub mod fitting;
pub mod gateway;
pub mod idempotency;
mod json;
pub mod keys;
pub mod list;
pub mod may_see;
mod message_filters;
pub mod on_demand;
pub mod page;
pub mod path;
pub mod query;
pub mod router;
pub mod routes;
mod similar;
pub mod status;
mod strict;
mod unknown;

pub use answer::{Answer, Rejection};
pub use app_scope::AppScope;
pub use body::{Input, Json};
pub use caller::{Admin, AppCaller, LinkHolder, OrgMember, Origin, SignInHolder, SignedIn, TestApp, Tester};
pub use claim::Claim;
pub use deferred::Deferred;
pub use domain::identity::scope::Scope;
pub use fitting::{Fitting, Objects};
pub use idempotency::Once;
pub use list::{FilteredList, Filters, ListBy, ListOf, ListQuery, Only, SentFilters};
pub use may_see::MaySee;
pub use message_filters::{MessageFilters, OfApp, OfNumber};
pub use page::List;
#[doc(hidden)]
pub use pastey::paste;
pub use path::Path;
pub use query::Query;
pub use router::HttpService;
pub use routes::{Needed, Performed, Routes};
