//! The runtime of every function: environment variables, the handlers' shared context, log, metrics, and the loop that
//! serves invocations.

mod context;
mod environment;
mod events;
pub mod logging;
mod metrics;
mod once_per_hour;
mod organization_limits;
mod proven;
mod rates;
mod serve;

pub use context::{Context, Installation};
pub use environment::Environment;
pub use events::{event, event_at};
pub use metrics::{Metric, Metrics, Monitoring};
pub use once_per_hour::OncePerHour;
pub use organization_limits::KnownLimits;
pub use proven::Proven;
pub use rates::{Admission, Rates, Standing};
pub use serve::{invoked, serve_events, start};
