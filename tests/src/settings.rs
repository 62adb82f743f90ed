//! The settings of the functions under test: URLs and resource names.

use platform::{GraphSettings, TimeLimits};

use crate::standin::{APP_ID, api_version};

pub const API_URL: &str = "https://0a51a51a.execute-api.us-east-1.amazonaws.com";
/// The id of the configuration of the embedded signup at the platform.
pub const SIGNUP_CONFIGURATION: &str = "500100200300";
pub const DOCS_URL: &str = "https://docs.example.com";
pub const NAMESPACE: &str = "messaging-api";
pub const TABLE: &str = "table";
pub const PLATFORM_SECRET: &str = "platform";
/// The names of the queues that the installation lists as destinations of events. Tests create those that they need.
pub const LISTED_QUEUES: [&str; 3] = ["destination", "destination-2", "destination.fifo"];
pub const PROFILE_SECRETS: &str = "profiles/";

/// The address of the AWS emulator.
pub fn endpoint() -> String {
    std::env::var("TEST_AWS_ENDPOINT")
        .expect("TEST_AWS_ENDPOINT is not set; `make test` starts an AWS emulator and sets it")
}

/// The size of a test: smaller in `make test` than in `make check`, which sets FULL_SIZE and runs the tests that use this.
pub fn of_size<T>(smaller: T, full: T) -> T {
    if std::env::var_os("FULL_SIZE").is_some() { full } else { smaller }
}

/// The platform client's settings for a stand-in at this URL.
pub fn graph_settings(base_url: &str) -> GraphSettings {
    GraphSettings {
        base_url: base_url.to_owned(),
        version: api_version().to_owned(),
        app_id: APP_ID.to_owned(),
        limits: TimeLimits::default(),
    }
}
