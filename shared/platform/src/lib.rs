//! The chat platform (WhatsApp, through Meta's Graph API): a trait, its implementation over HTTP, and the simulator for
//! test mode, which makes no network calls. Only this crate knows the field names in the platform's requests and
//! responses.

mod app_check;
mod check;
mod dialog;
mod error;
mod graph;
mod http;
mod inspection;
mod management;
mod platforms;
mod port;
mod settings;
mod simulator;
mod templates;
mod tokens;
mod types;
mod upload;
mod vault;
mod wire;

pub use check::{CHECK_BUDGET, CHECKED_PROFILES, Checker, ToCheck};
pub use error::{PlatformError, failure_of_code};
pub use graph::Graph;
pub use inspection::{
    AccountState, AppSubscription, Inspection, NumberState, Subscription, TokenPermission, TokenState,
};
pub use management::{
    BlockChange, Decided, Effect, GroupChange, JoinDecision, JoinRequest, ListPage, Management, Outcomes,
};
pub use platforms::{
    Line, Platforms, SendingLine, failure_with_health, from_environment, not_connected, vault_from_environment,
};
pub use port::Platform;
pub use settings::{GraphSettings, TimeLimits};
pub use simulator::{LONGEST_CODE, SIMULATED_PIN, SIMULATED_TOKEN, Simulator, simulated_message_id};
pub use templates::{CreatedTemplate, TemplateManagement};
pub use types::{
    AccessToken, Account, CreatedGroup, Download, GroupRequest, MediaLocation, NewGroup, Permission, PlatformNumber,
    PlatformTemplate, SourceFile, TemplatePage, TokenApp, TokenInfo,
};
pub use vault::{AppCredentials, ProfileSecret, Vault};
