use std::time::Duration;

/// Where the platform is and how long it may take.
#[derive(Clone, Debug)]
pub struct GraphSettings {
    /// Without a slash at its end.
    pub base_url: String,
    /// `v25.0`.
    pub version: String,
    /// The installation's app at the platform; empty where none is configured.
    pub app_id: String,
    pub limits: TimeLimits,
}

#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    pub connect: Duration,
    /// From the first byte sent to the last received.
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
