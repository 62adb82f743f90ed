//! Changes at the platform in the audit log: each is entered before the call, and completed with its outcome. An entry
//! without an outcome says that a change was begun, and that its outcome is unknown.

use domain::Failure;
use domain::audit::{Entry, Outcome};
use domain::id::OrganizationId;
use store::OrganizationStore;

use crate::ChatContext;

/// A change at the platform that was entered and is under way.
pub(crate) struct UnderWay {
    org: OrganizationStore,
    entry: Entry,
}

/// Enters a change before it is made.
pub(crate) async fn begin(
    chat: &ChatContext,
    organization: &OrganizationId,
    entry: Entry,
) -> Result<UnderWay, Failure> {
    let (org, entry) = (chat.context.store.of(organization), entry.with_outcome(None));
    org.begin_entry(&entry).await?;
    Ok(UnderWay { org, entry })
}

impl UnderWay {
    /// Completes the entry, and returns the result of the change.
    pub(crate) async fn end<T>(self, done: Result<T, Failure>) -> Result<T, Failure> {
        self.end_with(done, |entry, _| entry).await
    }

    /// Completes the entry with what is known after the change, and returns the result of the change.
    pub(crate) async fn end_with<T>(
        self,
        done: Result<T, Failure>,
        describe: impl FnOnce(Entry, &T) -> Entry,
    ) -> Result<T, Failure> {
        let complete = match &done {
            Ok(made) => describe(self.entry.clone().with_outcome(Some(Outcome::Done)), made),
            Err(_) => self.entry.clone().with_outcome(Some(Outcome::Failed)),
        };
        if let Err(failure) = self.org.complete_entry(&self.entry, &complete).await {
            tracing::warn!(entry = %self.entry.id, "an outcome was not entered: {}", failure.message());
        }
        done
    }
}
