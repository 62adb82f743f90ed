//! How a message ended that did not reach anybody.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// After how long a message with an unknown outcome counts as failed. Until then, a status mostly resolves it.
pub const UNKNOWN_SHOWN_AFTER: Duration = Duration::from_secs(600);

/// How a message ended that did not reach anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = MessageEnding)]
pub enum Ending {
    /// It was not sent: the provider rejected it, or could not be reached.
    Refused,
    /// The provider accepted it, and could not deliver it.
    Failed,
    /// Its time in the queue ran out, and it was not sent.
    Expired,
    /// It was sent, but the provider's response is not known.
    Unknown,
}
