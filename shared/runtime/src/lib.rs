//! The runtime of every function: environment variables, the handlers' shared context, log, metrics, and the loop that
//! serves invocations.

mod context;
mod environment;
mod events;
pub mod logging;
mod metrics;
mod proven;
mod serve;

pub use context::{Context, Installation};
pub use environment::Environment;
pub use events::{event, event_at};
pub use metrics::{Metric, Metrics, Monitoring};
pub use proven::Proven;
pub use serve::{invoked, serve_events, start};
