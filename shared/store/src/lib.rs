//! The single DynamoDB table. `store.of(&organization)` reads the items of one organization, with one method per access
//! pattern. A [`Change`] collects the writes of one decision, which [`Store::commit`] commits together. Both belong to
//! an organization, so neither can cross tenants. Only a few methods of [`Store`] itself can: they look up credentials,
//! claims on platform accounts and the carrier's numbers, and operator requests, and read the index of due work.
//!
//! `engine` reads and writes the table, `keys` builds and parses its keys, and each of the other folders is a subject.
//! Its `mod.rs` describes the subject.

mod attention;
mod chat;
mod engine;
mod erasure;
mod events;
mod identity;
pub mod keys;
mod limits;
pub mod maintenance;
mod media;
mod message;
mod number;
mod sms;
mod store;
mod testing;
mod usage;

pub use chat::{
    AccountClaim, ChatRecord, ContactName, Disconnection, DisconnectionHold, EarlyGroup, EarlyRevisions,
    HeldDisconnection, HistoryLine, HistoryPart, InboundMedia, InboundRecord, KnownContact, LARGEST_NEWS, NameItem,
    NamedMessage, NewName, NumberClaim, Onboarding, OnboardingStart, Reported, RequestedGroup, Revisions,
    StoredTemplate, SyncOutcome, SyncRun, SyncStart, SyncState,
};
pub use engine::{
    BULK_WRITES, Budget, Change, Committed, Due, DueItem, DuePage, Page, PageRequest, RESPONSE_KEPT, RecordKey,
    ResponseRecord, SealedResponse, UnknownDue, failure_from_text, failure_to_text, packed,
};
pub use erasure::{ERASURE_QUEUED_AGAIN_AFTER, GroupMessage, MessageToErase};
pub use events::{
    DeliveryFilter, DeliveryWalk, EVENTS_PER_APPEND, IN_QUEUE, Slot, ToDeliver, ToRecover, WebhookUpdate,
};
pub use identity::{
    AppToDelete, AppToUpdate, AppUpdate, AuditFilter, DeletedApp, KeyUses, Membership, SettingsUpdate, SlugTaken,
    WantedActor,
};
pub use limits::{DailySends, DailyUploads, LIMITED_ORGANIZATIONS, Leased, OrganizationLimits, Quota, SendQuota};
pub use message::{
    Facts, FailedMessage, FailureFilter, Kept, MessageFilter, MessageKind, MessageKindId, QUEUED_AGAIN_AFTER,
    QueuedContent, Stored, Turn, UNRESOLVED_AFTER, Waiting, WaitingPage,
};
pub use number::{AnyNumber, Assignment};
pub use sms::{Carried, CarrierClaim, CarrierLease, ClaimToRelease, SmsRecord};
pub use store::{OrganizationStore, Reads, Store};
pub use testing::{NewSystemNumber, PlaygroundNumber, RunningSimulations, SimulatedContact, SimulatedTemplate};
pub use usage::{Batch, CountOutcome, Counted, Gap, ItemChange, MeterPosition, UsageCounter, UsageSpan, durations};

/// A stored chat message.
pub type StoredChat = Stored<ChatRecord>;
/// A stored SMS message.
pub type StoredSms = Stored<SmsRecord>;
