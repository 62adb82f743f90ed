//! What the validation of a credential leaves for the rest of the request.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use domain::identity::holder::Credential;
use http::HeaderMap;
use http::request::Parts;
use runtime::{Context, Metric};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::rates::Standings;

/// How long a response waits until the use of its key is recorded.
const RECORDING_LIMIT: Duration = Duration::from_millis(20);

/// What is known of a request's credential once it is validated. The extractors of the request share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings(Arc<Found>);

#[derive(Debug, Default)]
struct Found {
    identity: OnceLock<String>,
    standings: OnceLock<Standings>,
    recording: Mutex<Option<JoinHandle<()>>>,
}

impl Findings {
    /// Returns those of a request.
    pub(crate) fn of(parts: &mut Parts) -> Self {
        parts.extensions.get_or_insert_default::<Findings>().clone()
    }

    /// Returns the hash of the key's first value, if it is another one now. Records of requests belong to it, so that a retry
    /// after a rotation is one.
    pub(crate) fn identity(&self) -> Option<&str> {
        self.0.identity.get().map(String::as_str)
    }

    pub(crate) fn identified(&self, credential: &Credential) {
        if let Some(first) = &credential.identity {
            self.0.identity.get_or_init(|| first.clone());
        }
    }

    pub(super) fn admitted(&self, standings: Standings) {
        self.0.standings.get_or_init(|| standings);
    }

    /// Adds the headers of a response.
    pub(crate) fn tell(&self, headers: &mut HeaderMap) {
        if let Some(standings) = self.0.standings.get() {
            standings.tell(headers);
        }
    }

    /// Begins to record that a key was used, beside the operation, unless this process has done so in this hour.
    pub(crate) fn record_use(&self, context: &Context, credential: &Credential) {
        let hour = context.now().hour();
        if !credential.holder.key_id().is_some_and(|key| context.key_uses.begin(key, hour)) {
            return;
        }
        let (context, credential) = (context.clone(), credential.clone());
        let recording = tokio::spawn(async move {
            let organization = context.store.of(&credential.organization_id);
            if let Err(failure) = organization.record_key_use(&credential.holder, hour).await {
                tracing::info!("the use of a key was not recorded: {}", failure.message());
                context.publish(Metric::UnrecordedKeyUses, 1);
            }
        });
        *self.0.recording.lock().unwrap_or_else(PoisonError::into_inner) = Some(recording);
    }

    /// Waits a moment until the use of the key is recorded. If that takes longer, it is recorded after the response.
    pub(crate) async fn recorded(&self) {
        let recording = self.0.recording.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(recording) = recording {
            let _ = timeout(RECORDING_LIMIT, recording).await;
        }
    }
}
