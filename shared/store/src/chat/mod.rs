//! The items of the chat network. An entity with a revision is only written if it still has the revision that was read.

mod claim;
mod contact;
mod disconnection;
mod group;
mod message;
mod number;
mod onboarding;
mod onboarding_link;
mod ownership;
mod profile;
mod sync;
mod template;

use domain::Failure;
use serde::Serialize;

use crate::change::{Change, stale};
use crate::expression::Update;
use crate::item::number;
use crate::keys::Key;

pub use claim::{AccountClaim, NumberClaim};
pub use contact::{ContactName, KnownContact, NewName};
pub use disconnection::{Disconnection, DisconnectionHold, HeldDisconnection};
pub use group::{EarlyGroup, LARGEST_NEWS, RequestedGroup};
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
