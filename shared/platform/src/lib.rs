//! The chat platform (WhatsApp, through Meta's Graph API): a trait, its implementation over HTTP, and the simulator for
//! test mode, which makes no network calls. Only this crate knows the field names in the platform's requests and
//! responses.

mod error;
mod graph;
mod http;
mod management;
mod platforms;
mod port;
mod settings;
mod simulator;
mod tokens;
mod types;
mod upload;
mod vault;
mod wire;

pub use error::{PlatformError, failure_of_code};
pub use graph::Graph;
pub use management::{
    BlockChange, Decided, Effect, GroupChange, JoinDecision, JoinRequest, ListPage, Management, Outcomes,
};
pub use platforms::{Line, Platforms, SendingLine, failure_with_health, from_environment, vault_from_environment};
pub use port::Platform;
pub use settings::{GraphSettings, TimeLimits};
pub use simulator::{LONGEST_CODE, SIMULATED_PIN, SIMULATED_TOKEN, Simulator, simulated_message_id};
pub use types::{
    AccessToken, Account, CreatedGroup, Download, GroupRequest, MediaLocation, NewGroup, PlatformNumber,
    PlatformTemplate, SourceFile, TemplatePage, TokenInfo,
};
pub use vault::{AppCredentials, ProfileSecret, Vault};
