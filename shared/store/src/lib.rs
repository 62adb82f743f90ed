//! The single DynamoDB table. `store.of(&organization)` reads the items of one organization, with one method per access
//! pattern. A [`Change`] collects the writes of one decision, which [`Store::commit`] commits together. Both belong to
//! an organization, so no query can cross tenants.

mod admin_key;
mod app;
mod app_key;
mod change;
mod chat;
mod commit;
mod credential;
mod deleted_app;
mod delivery;
mod due;
mod dynamodb_error;
mod expression;
mod health;
mod idempotency;
mod item;
pub mod keys;
pub mod maintenance;
mod media;
mod number;
mod operation;
mod organization;
mod organization_webhook;
mod outbox;
mod page;
mod playground;
mod quota;
mod response_record;
mod scoped;
mod settle;
mod store;
mod table;
mod transaction;
mod webhook;

pub use app::{AppUpdate, DeletedApp, SlugTaken};
pub use change::Change;
pub use chat::{
    AccountClaim, ContactName, EarlyGroup, InboundMedia, Kept, KnownContact, MessagePage, NewName, NumberClaim,
    Onboarding, OnboardingStart, RequestedGroup, StoredMessage, StoredTemplate, SyncOutcome, SyncRun, SyncStart,
    SyncState,
};
pub use commit::Committed;
pub use delivery::{IN_QUEUE, ToDeliver};
pub use due::{Due, DueItem};
pub use number::{AnyNumber, Assignment};
pub use page::{Page, PageOfEachMode, PageRequest};
pub use playground::{PlaygroundUser, SystemNumber};
pub use quota::Quota;
pub use response_record::{RecordKey, ResponseRecord};
pub use scoped::{OrganizationStore, Reads};
pub use store::Store;
pub use webhook::WebhookUpdate;
