//! The record of one attempt of a delivery.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::Timestamp;

/// How many bytes of a receiver's response body are kept.
pub const BODY_KEPT: usize = 1024;
/// How many bytes of the names of an attempt's headers are kept.
pub const HEADER_NAMES_KEPT: usize = 512;

/// One attempt of a delivery.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    pub attempted_at: Timestamp,
    pub status_code: Option<u16>,
    /// Why there is no complete response.
    pub error: Option<String>,
    pub duration_ms: u64,
    /// The first KiB of the response body, as far as it is text.
    pub response_body: Option<String>,
    /// The names of the webhook's own headers that were sent, as far as they fit [`HEADER_NAMES_KEPT`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub header_names: Vec<String>,
    /// Whether the event was sent to an SQS queue, with message attributes in place of headers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_queue: bool,
}

impl Attempt {
    /// Remembers the names of the webhook's own headers that were sent.
    #[must_use]
    pub fn with_headers<'a>(mut self, names: impl IntoIterator<Item = &'a String>) -> Self {
        let mut bytes = 0;
        let fits = |name: &&String| {
            bytes += name.len();
            bytes <= HEADER_NAMES_KEPT
        };
        self.header_names = names.into_iter().take_while(fits).cloned().collect();
        self
    }

    /// Returns whether the receiver responded completely and with a 2xx status.
    pub fn has_succeeded(&self) -> bool {
        self.error.is_none() && self.status_code.is_some_and(|status| (200..300).contains(&status))
    }

    /// Returns whether the receiver responded with 410 Gone, which means that it wants no further events.
    pub fn is_gone(&self) -> bool {
        self.status_code == Some(410)
    }
}
