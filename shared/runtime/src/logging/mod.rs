//! The log: JSON lines on stdout. What somebody sent has no way into it: levels below INFO are not compiled in (Cargo.toml), of
//! what dependencies say only the place is told, and a panic tells its place and a literal at most.

mod about;
mod lines;

use std::io::{Write, stdout};
use std::panic::{PanicHookInfo, set_hook};

use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

pub use about::{about, known_app, known_caller, request};

/// The crates that are trusted to say in words what happened.
pub const WORKSPACE_CRATES: [&str; 18] = [
    "api",
    "apps",
    "aws",
    "chat",
    "delivery",
    "domain",
    "inbound",
    "media",
    "notifications",
    "operator",
    "organization",
    "platform",
    "playground",
    "reference",
    "runtime",
    "store",
    "views",
    "worker",
];

/// Once in a process, before anything is done.
pub fn start() {
    tracing_subscriber::registry().with(layer(stdout())).init();
    set_hook(Box::new(log_panic));
}

/// What `start` writes to stdout, written to `output`.
pub fn layer<S>(output: impl Write + Send + 'static) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    lines::Lines::new(output).with_filter(filter_fn(is_logged))
}

/// Text that is made at run time may hold what somebody sent; a literal cannot.
pub fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string);
    let said = panic.payload().downcast_ref::<&'static str>().copied().unwrap_or("at this place");
    tracing::error!(place, "panic: {said}");
}

fn is_workspace_crate(metadata: &Metadata<'_>) -> bool {
    metadata.target().split("::").next().is_some_and(|name| WORKSPACE_CRATES.contains(&name))
}

fn is_logged(metadata: &Metadata<'_>) -> bool {
    is_workspace_crate(metadata) || (metadata.is_event() && *metadata.level() == Level::ERROR)
}
