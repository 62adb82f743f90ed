//! Organizations, their apps, and the credentials of their callers. An organization owns everything else. Its admin
//! keys manage it, and sessions are for its people. Its apps have a mode, and send messages with keys of their own. The
//! values of keys and sessions are looked up by their digests: a credential identifies the holder of a value, and is
//! written and deleted together with the key or session.
//!
//! An app counts its keys and webhooks, and each change of them increments its revision. So its deletion, which
//! includes them in one transaction, notices concurrent changes. Remaining references to the app are cleared afterwards
//! (`deleted_app.rs`).

mod admin_key;
pub(crate) mod app;
mod app_key;
mod audit;
mod credential;
pub(crate) mod deleted_app;
mod key_use;
pub(crate) mod member;
mod organization;
pub(crate) mod person;
mod session;

pub use app::{AppToUpdate, AppUpdate, SlugTaken};
pub use audit::{AuditFilter, WantedActor};
pub use deleted_app::{AppToDelete, DeletedApp};
pub use key_use::KeyUses;
pub use organization::SettingsUpdate;
pub use person::Membership;
