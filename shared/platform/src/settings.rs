//! Settings of the platform's client.

use std::time::Duration;

/// The platform's address, API version and app, and the time limits of calls.
#[derive(Clone, Debug)]
pub struct GraphSettings {
    /// The base URL, without a trailing slash.
    pub base_url: String,
    /// The version of the Graph API: a `v` and a number with one decimal.
    pub version: String,
    /// The id of the installation's app at the platform; empty if none is configured.
    pub app_id: String,
    pub limits: TimeLimits,
}

/// The time limits of calls to the platform.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    /// The limit for resolving the name, connecting, and the TLS handshake together.
    pub connect: Duration,
    /// The limit for a whole call including its retry.
    pub call: Duration,
    pub health: Duration,
    pub download: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        TimeLimits {
            connect: Duration::from_secs(3),
            call: Duration::from_secs(8),
            health: Duration::from_secs(3),
            download: Duration::from_secs(300),
        }
    }
}
