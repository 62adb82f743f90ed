//! The chat network. A business profile is an account of the platform, with phone numbers, templates and groups;
//! contacts and messages belong to a number. Each account and number of the platform is claimed by one organization,
//! and the claim routes the platform's reports to it (`claim.rs`). Work of several steps holds a lease and stores the
//! result of each step: signups, disconnections, template syncs. Released accounts and numbers are remembered, and can
//! be taken back (`ownership.rs`).
//!
//! An entity with a revision is only written if it still has the revision that was read. `reads.rs` has the reads that
//! are allowed before a credential is verified. Updates can arrive before the group or message that they are about, and
//! then wait for it.

mod claim;
mod contact;
mod disconnection;
mod group;
mod history;
mod message;
mod number;
mod onboarding;
mod onboarding_link;
mod ownership;
mod profile;
mod reads;
mod sync;
mod template;

use domain::Failure;
use serde::Serialize;

use crate::engine::change::{Change, stale};
use crate::engine::expression::Update;
use crate::engine::item::number;
use crate::keys::Key;

pub use claim::{AccountClaim, NumberClaim};
pub use contact::{ContactName, KnownContact, NewName};
pub use disconnection::{Disconnection, DisconnectionHold, HeldDisconnection};
pub use group::{EarlyGroup, LARGEST_NEWS, RequestedGroup};
pub use history::{HistoryLine, HistoryPart};
pub use message::{ChatRecord, EarlyRevisions, InboundMedia, InboundRecord, NamedMessage, Reported, Revisions};
pub use onboarding::{Onboarding, OnboardingStart};
pub use sync::{SyncOutcome, SyncRun, SyncStart, SyncState};
pub use template::{NameItem, StoredTemplate};

/// Writes the differences between two states of an entity, except the attributes in `but`. Stale if its revision has
/// changed.
fn advance<T: Serialize>(
    change: &mut Change,
    key: Key,
    before: &T,
    after: &T,
    seen_revision: u64,
    but: &[&str],
) -> Result<(), Failure> {
    let update = Update::between(key, before, after, but)?
        .when("#revision = :seenRevision")
        .value(":seenRevision", number(seen_revision));
    change.update(update, stale());
    Ok(())
}
