//! The limit on how many invocations post to slow receivers of one organization. Such a post can take 15 seconds, and
//! an invocation ends with its slowest post, so an organization with many slow receivers would otherwise occupy all
//! invocations of the patient queue (docs/adr/0019-fair-queues.md).

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::Failure;
use domain::id::OrganizationId;
use futures_util::future::join_all;
use runtime::Context;
use store::Slot;
use tokio::sync::OnceCell;

/// The function's timeout: no invocation lasts longer.
const LONGEST_INVOCATION: Duration = Duration::from_secs(60);

/// The slots that one invocation holds: at most one per organization, taken for its first post to a slow receiver.
pub(crate) struct Slots<'a> {
    context: &'a Context,
    /// How many invocations may hold a slot of the same organization.
    per_organization: usize,
    taken: Mutex<HashMap<OrganizationId, Arc<OnceCell<Option<Slot>>>>>,
    is_recovering: AtomicBool,
}

impl<'a> Slots<'a> {
    pub(crate) fn new(context: &'a Context, per_organization: usize) -> Self {
        Slots { context, per_organization, taken: Mutex::default(), is_recovering: AtomicBool::new(false) }
    }

    /// Returns whether this invocation may work on a recovery. It works on only one, which limits its memory and its
    /// connections.
    pub(crate) fn may_recover(&self) -> bool {
        !self.is_recovering.swap(true, Ordering::SeqCst)
    }

    /// Takes a slot of the organization, unless this invocation holds one. Returns whether it may post to slow
    /// receivers.
    pub(crate) async fn acquire(&self, organization: &OrganizationId) -> Result<bool, Failure> {
        let slot = {
            let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
            taken.entry(organization.clone()).or_default().clone()
        };
        slot.get_or_try_init(|| self.take(organization)).await.map(Option::is_some)
    }

    async fn take(&self, organization: &OrganizationId) -> Result<Option<Slot>, Failure> {
        let now = self.context.now();
        let (org, until) = (self.context.store.of(organization), now.plus(LONGEST_INVOCATION));
        org.take_slot(self.per_organization, now, until, self.context.random()).await
    }

    /// Frees the slots at the end of the invocation.
    pub(crate) async fn free(self) {
        let context = self.context;
        let taken = self.taken.into_inner().unwrap_or_else(PoisonError::into_inner);
        let freed = taken.iter().map(|(organization, slot)| async move {
            let Some(Some(slot)) = slot.get() else { return };
            if context.store.of(organization).free_slot(slot).await.is_err() {
                tracing::warn!(%organization, "a slot could not be freed; it ends by itself within a minute");
            }
        });
        join_all(freed).await;
    }
}
