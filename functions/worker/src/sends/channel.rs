//! What distinguishes the kinds of queued messages.

use domain::id::OrganizationId;
use domain::{Failure, Timestamp};
use outbound::Posted;
use store::{Message, OrganizationStore};

use crate::Worker;

/// A kind of messages: how its number is read, how fast it may send, and how a message is checked and sent.
pub(crate) trait Channel {
    type Message: Message;
    type NumberId;
    type Number;
    /// What the check of a message found for its attempt.
    type Checked;

    async fn number(org: &OrganizationStore, id: &Self::NumberId) -> Result<Option<Self::Number>, Failure>;

    /// Returns why a message can never be sent; `None` if it may be.
    fn lost(number: Option<&Self::Number>, stored: &Self::Message) -> Option<Failure>;

    /// Returns when the line of the number last began anew.
    fn line_reset_at(number: &Self::Number) -> Option<Timestamp>;

    /// Returns how many queued messages may be sent in the current second.
    async fn slots(org: &OrganizationStore, number: &Self::Number, now: Timestamp) -> Result<u32, Failure>;

    /// Checks a message again. The inner error is why it must not be sent any more.
    async fn check_again(
        worker: &Worker,
        org: &OrganizationStore,
        number: &Self::Number,
        stored: &Self::Message,
    ) -> Result<Result<Self::Checked, Failure>, Failure>;

    /// Returns the recipient, as the pauses of recipients name it; `None` if this kind has none.
    fn recipient(message: &Self::Message) -> Option<String>;

    /// Calls the provider once.
    async fn post(
        worker: &Worker,
        organization: &OrganizationId,
        number: &Self::Number,
        checked: Self::Checked,
        message: Self::Message,
    ) -> Posted;
}
