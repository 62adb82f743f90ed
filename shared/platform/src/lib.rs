//! The chat platform (WhatsApp, through Meta's Graph API): a port, its implementation over HTTP, and the simulator for
//! test mode, which makes no network calls. Only this crate knows the field names in the platform's requests and
//! responses.
//!
//! [`Platforms`] is the entry: it selects the implementation by the mode of an object. Each subject of the port has a
//! folder: `connecting`, `numbers`, `sending`, `groups`, `templates`, `media` and `inspection`. In it, `mod.rs` has the
//! trait and its types, `graph.rs` calls the Graph API, `wire.rs` has the platform's responses, and `simulator.rs`
//! simulates them; `sending`, which is read most often, has everything but the simulated side in `mod.rs`. `graph` and
//! `simulator` contain code that the subjects share. [`render`] writes messages in the platform's format, `check` is
//! the platform check, and `vault` keeps the secrets, `pins` those of single numbers. [`fields`] has the webhook fields. `field-names.txt`, beside this
//! folder, lists the platform's field names; `make test` fails if another crate writes one of them.

mod check;
mod connecting;
mod error;
pub mod fields;
mod graph;
mod groups;
mod inspection;
mod lists;
mod media;
mod numbers;
mod outcomes;
mod pins;
mod platforms;
pub mod render;
mod sending;
mod simulator;
mod templates;
mod vault;
mod versions;

pub use check::{CHECK_BUDGET, CHECKED_PROFILES, Checker, ToCheck};
pub use connecting::{Account, Connecting, Permission, TokenApp, TokenInfo};
pub use error::{PlatformError, failure_of_code};
pub use graph::{Graph, GraphSettings, TimeLimits};
pub use groups::{
    CreatedGroup, Decided, Effect, GroupChange, GroupManagement, GroupRequest, JoinDecision, JoinRequest, NewGroup,
};
pub use inspection::{
    AccountState, AppSubscription, Inspection, NumberState, Subscription, TokenPermission, TokenState,
    failure_with_health,
};
pub use lists::ListPage;
pub use media::{Download, MediaLocation, MediaTransfer, SourceFile};
pub use numbers::{BlockChange, NumberManagement, NumberStanding, PlatformNumber};
pub use outcomes::Outcomes;
pub use pins::NumberPins;
pub use platforms::{Line, Platform, Platforms, from_environment, not_connected, vault_from_environment};
pub use sending::{Messaging, SendingLine, simulated_message_id};
pub use simulator::{LONGEST_CODE, SIMULATED_PIN, SIMULATED_TOKEN, Simulator};
pub use templates::{
    CreatedTemplate, HeaderHandle, PlatformTemplate, TemplateManagement, TemplatePage, with_header_handles,
};
pub use vault::{AccessToken, AppCredentials, ProfileSecret, Vault};
