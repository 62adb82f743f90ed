//! The chat platform: one trait, the real one over HTTP, and the simulated one of test mode, which nothing leaves. Only this
//! crate speaks the platform's field names of requests and answers.

mod error;
mod graph;
mod http;
mod platforms;
mod port;
mod settings;
mod simulator;
mod types;
mod vault;
mod wire;

pub use error::{PlatformError, failure_of_code};
pub use graph::Graph;
pub use platforms::{Line, Platforms, failure_with_health, from_environment, vault_from_environment};
pub use port::Platform;
pub use settings::{GraphSettings, TimeLimits};
pub use simulator::{LONGEST_CODE, SIMULATED_PIN, SIMULATED_TOKEN, Simulator};
pub use types::{
    AccessToken, Account, Download, GroupRequest, MadeGroup, MediaLocation, NewGroup, PlatformNumber, PlatformTemplate,
    TemplatePage, TokenInfo,
};
pub use vault::{AppCredentials, ProfileSecret, Vault};
