//! The medium of a received message, and the part of the message's item that concerns it.

use std::time::Duration;

use domain::Timestamp;
use domain::id::MediaId;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::record::{ChatRecord, Reported};

/// How long the job that fetches the bytes may take before the sweep schedules another one.
const MEDIA_JOB: Duration = Duration::from_secs(15 * 60);

/// The state of an inbound medium's bytes: the platform has them under `id`, the bucket until `expires_at`. A medium
/// from a simulated user is an upload of an app, whose own item holds the expiry of the bytes.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboundMedia {
    pub id: String,
    /// `None` until the bytes are in the bucket.
    pub expires_at: Option<Timestamp>,
    /// When the last failed attempt to fetch the bytes was made.
    pub asked_at: Option<Timestamp>,
    /// Whether the bytes were removed at the end of their retention.
    #[serde(default)]
    pub is_removed: bool,
    /// Why the bytes cannot be fetched.
    pub failure: Option<String>,
    /// Whether the bytes are those of the upload `id`. The message has none of its own then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_upload: bool,
}

impl InboundMedia {
    /// Returns the id of the upload, if the user has sent one.
    pub fn upload(&self) -> Option<MediaId> {
        self.id.parse().ok().filter(|_| self.is_upload)
    }

    /// Returns whether the message has bytes of its own in the bucket, or may have.
    pub fn has_own_bytes(&self) -> bool {
        !self.is_removed && !self.is_upload
    }
}

/// The part of a message's main item that concerns its medium.
#[derive(Clone, Debug, Deserialize)]
pub struct InboundRecord {
    #[serde(flatten)]
    pub reported: Reported,
    #[serde(default)]
    pub revision: u64,
}

impl ChatRecord {
    /// Returns whether the bytes of its medium are still to be fetched.
    pub fn is_waiting_for_media(&self) -> bool {
        let media = self.reported.inbound_media.as_ref();
        media.is_some_and(|media| media.expires_at.is_none() && media.failure.is_none() && !media.is_upload)
    }

    /// Returns when the sweep must act on the medium: before the bytes are fetched, when the job for them is overdue;
    /// afterwards, when their retention ends.
    pub(super) fn media_due_at(&self) -> Option<Timestamp> {
        let media = self.reported.inbound_media.as_ref()?;
        if !media.has_own_bytes() {
            return None;
        }
        let asked_at = media.asked_at.unwrap_or(self.message().created_at);
        media.expires_at.or(self.is_waiting_for_media().then(|| asked_at.plus(MEDIA_JOB)))
    }
}
