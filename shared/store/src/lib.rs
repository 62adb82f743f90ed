//! The single DynamoDB table. `store.of(&organization)` reads the items of one organization, with one method per access
//! pattern. A [`Change`] collects the writes of one decision, which [`Store::commit`] commits together. Both belong to
//! an organization, so neither can cross tenants. Only a few methods of [`Store`] itself can: they look up credentials,
//! claims on platform accounts and the carrier's numbers, and operator requests, and read the index of due work.

mod admin_key;
mod app;
mod app_key;
mod budget;
mod bulk;
mod carrier_number;
mod change;
mod chat;
mod commit;
mod counter;
mod counting;
mod credential;
mod deleted_app;
mod delivery;
mod delivery_log;
mod delivery_walk;
mod destination;
mod doubt;
mod due;
mod dynamodb_error;
mod erasure;
mod expression;
mod feed;
mod health;
mod idempotency;
mod item;
pub mod keys;
pub mod maintenance;
mod media;
mod message;
mod number;
mod operation;
mod organization;
mod organization_webhook;
mod outbox;
mod pace;
mod page;
mod playground;
mod quota;
mod recount;
mod recovery;
mod response_record;
mod scoped;
mod session;
mod settle;
mod simulated_contact;
mod simulated_group;
mod simulated_profile;
mod simulated_template;
mod simulation;
mod slot;
mod sms;
mod store;
mod table;
mod test_quota;
mod transaction;
mod webhook;

pub use app::{AppToUpdate, AppUpdate, SlugTaken};
pub use budget::Budget;
pub use bulk::{BULK_WRITES, packed};
pub use carrier_number::{CarrierClaim, CarrierLease, ClaimToRelease};
pub use change::Change;
pub use chat::{
    AccountClaim, ChatRecord, ContactName, Disconnection, DisconnectionHold, EarlyGroup, EarlyRevisions,
    HeldDisconnection, InboundMedia, InboundRecord, KnownContact, LARGEST_NEWS, NameItem, NamedMessage, NewName,
    NumberClaim, Onboarding, OnboardingStart, Reported, RequestedGroup, Revisions, StoredTemplate, SyncOutcome,
    SyncRun, SyncStart, SyncState,
};
pub use commit::Committed;
pub use deleted_app::{AppToDelete, DeletedApp};
pub use delivery::{IN_QUEUE, ToDeliver};
pub use delivery_log::DeliveryFilter;
pub use delivery_walk::DeliveryWalk;
pub use due::{Due, DueItem, DuePage, UnknownDue};
pub use erasure::{ERASURE_QUEUED_AGAIN_AFTER, GroupMessage, MessageToErase};
pub use feed::EVENTS_PER_APPEND;
pub use message::{
    Kept, MessageFilter, MessageKind, MessageKindId, QUEUED_AGAIN_AFTER, QueuedContent, Stored, UNRESOLVED_AFTER,
    WaitingPage,
};
pub use number::{AnyNumber, Assignment};
pub use organization::SettingsUpdate;
pub use pace::{Turn, Waiting};
pub use page::{Page, PageRequest};
pub use playground::{NewSystemNumber, PlaygroundNumber};
pub use quota::{DailySends, DailyUploads, Quota, SendQuota};
pub use recovery::ToRecover;
pub use response_record::{RecordKey, ResponseRecord, SealedResponse};
pub use scoped::{OrganizationStore, Reads};
pub use simulated_contact::SimulatedContact;
pub use simulated_template::SimulatedTemplate;
pub use simulation::RunningSimulations;
pub use slot::Slot;
pub use sms::{Carried, SmsRecord};
pub use store::Store;
pub use webhook::WebhookUpdate;

/// A stored chat message.
pub type StoredChat = Stored<ChatRecord>;
/// A stored SMS message.
pub type StoredSms = Stored<SmsRecord>;
