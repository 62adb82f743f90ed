//! The single table. `store.of(&organization)` reads the items of one organization, one method per access pattern; a `Change` collects
//! the writes of one decision, which are committed together. Both know their organization, so a query without a tenant cannot be
//! written.

mod admin_key;
mod app;
mod app_key;
mod change;
mod chat;
mod credential;
mod delivery;
mod due;
mod expression;
mod idempotency;
mod item;
pub mod keys;
pub mod maintenance;
mod media;
mod number;
mod organization;
mod outbox;
mod page;
mod playground;
mod quota;
mod remains;
mod scoped;
mod table;
mod transaction;
mod trouble;
mod webhook;

pub use app::{AppUpdate, SlugTaken};
pub use change::{Change, Committed};
pub use chat::{
    AccountClaim, ContactName, EarlyGroup, InboundMedia, Kept, KnownContact, MessagePage, NewName, NumberClaim,
    Onboarding, OnboardingStart, RequestedGroup, StoredMessage, StoredTemplate, SyncOutcome, SyncRun, SyncStart,
    SyncState,
};
pub use delivery::{IN_QUEUE, ToDeliver};
pub use due::{Due, DueItem, Remains};
pub use idempotency::{AnswerRecord, RecordKey};
pub use number::{AnyNumber, Assignment};
pub use page::{Page, PageOfEachMode, PageRequest};
pub use playground::{PlaygroundUser, SystemNumber};
pub use quota::Quota;
pub use scoped::{OrganizationStore, Reads};
pub use webhook::WebhookUpdate;

use table::Table;

#[derive(Clone)]
pub struct Store {
    table: Table,
}

impl Store {
    pub fn new(client: aws_sdk_dynamodb::Client, table: impl Into<String>) -> Self {
        Store { table: Table::new(client, table.into()) }
    }

    /// Opens the connection during initialisation, where the processor is not throttled. The reserved key holds nothing,
    /// and a failure here will show again, with an answer, at the first request.
    pub async fn warm_up(&self) {
        let _ = self.table.get(&keys::warm_up()).await;
    }
}
