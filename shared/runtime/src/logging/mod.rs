//! The log: JSON lines on stdout. It contains no data from requests or notifications, except for the platform's values
//! of enumerations that this version does not know: levels below INFO are compiled out (Cargo.toml), only the location
//! of a dependency's log event is logged, and only the location and a literal message of a panic.

mod lines;
mod spans;

use std::io::{Write, stdout};
use std::panic::{PanicHookInfo, set_hook};

use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

pub use spans::{about, continued, known_app, known_caller, known_object, known_origin, request, traced};

/// The crates whose log messages are written; their code keeps to the rule above.
pub const WORKSPACE_CRATES: [&str; 27] = [
    "accounts",
    "api",
    "apps",
    "aws",
    "carrier",
    "chat",
    "delivery",
    "domain",
    "inbound",
    "insight",
    "issuer",
    "media",
    "meter",
    "notifications",
    "operator",
    "organization",
    "outbound",
    "people",
    "platform",
    "playground",
    "reference",
    "runtime",
    "sending",
    "store",
    "views",
    "web",
    "worker",
];

/// Starts logging and installs the panic hook. Call it once per process, before anything else.
pub fn start() {
    tracing_subscriber::registry().with(layer(stdout())).init();
    set_hook(Box::new(log_panic));
}

/// Returns the layer that writes the log lines to `output`; [`start`] uses stdout.
pub fn layer<S>(output: impl Write + Send + 'static) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    lines::Lines::new(output).with_filter(filter_fn(is_logged))
}

/// Logs a panic with its location. A literal message is logged too; one formatted at run time could contain data from a
/// request.
pub fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string);
    let message = panic.payload().downcast_ref::<&'static str>().copied().unwrap_or("at this place");
    tracing::error!(place, "panic: {message}");
}

fn is_workspace_crate(metadata: &Metadata<'_>) -> bool {
    metadata.target().split("::").next().is_some_and(|name| WORKSPACE_CRATES.contains(&name))
}

fn is_logged(metadata: &Metadata<'_>) -> bool {
    is_workspace_crate(metadata) || (metadata.is_event() && *metadata.level() == Level::ERROR)
}
