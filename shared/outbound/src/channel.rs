//! What distinguishes the kinds of messages that are sent: chat and SMS.

use domain::event::EventName;
use domain::id::{AppId, OrganizationId};
use domain::{Failure, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::{MessageKind, OrganizationStore, Stored};

use crate::attempt::{Outbound, Posted};

/// What sending needs of a kind of messages: how its number is read and how fast it sends, and how a message is checked and
/// sent.
pub trait Channel: Sized + Send {
    type Record: MessageKind;
    type NumberId: Send + Sync;
    type Number: Send + Sync;
    /// What the attempt needs beside the message.
    type Ready: Send;
    /// The event that reports that a message was not sent, or failed.
    const FAILED: EventName;

    /// Returns the whole message, as responses and events show it.
    fn shown(message: &Stored<Self::Record>) -> impl Serialize + Send + use<Self>;

    fn number_id(message: &Self::Record) -> &Self::NumberId;
    fn number(
        org: &OrganizationStore,
        id: &Self::NumberId,
    ) -> impl Future<Output = Result<Option<Self::Number>, Failure>> + Send;

    /// Returns why a queued message can never be sent, whatever happens until its turn: its number is gone, or is no
    /// longer its app's. The number alone tells, so this is known before the message takes a slot of it.
    fn lost(number: Option<&Self::Number>, message: &Stored<Self::Record>) -> Option<Failure>;

    /// Returns when the line of the number last began anew.
    fn line_reset_at(number: &Self::Number) -> Option<Timestamp>;

    /// Returns how many queued messages may be sent in the current second.
    fn slots(
        org: &OrganizationStore,
        number: &Self::Number,
        now: Timestamp,
    ) -> impl Future<Output = Result<u32, Failure>> + Send;

    /// Checks a queued message again, right before it is sent. The inner error is why it must not be sent any more.
    fn check_again(
        outbound: &Outbound,
        org: &OrganizationStore,
        number: &Self::Number,
        message: &Stored<Self::Record>,
    ) -> impl Future<Output = Result<Result<Self::Ready, Failure>, Failure>> + Send;

    /// Returns the recipient, as the pauses of recipients name it; `None` if this kind has none.
    fn recipient(message: &Self::Record) -> Option<String>;

    /// Calls the provider once.
    fn post(
        outbound: &Outbound,
        organization: &OrganizationId,
        message: &Stored<Self::Record>,
        ready: Self::Ready,
    ) -> impl Future<Output = Posted> + Send;
}

/// The id of a message of a channel.
pub type IdOf<C> = <<C as Channel>::Record as MessageKind>::Id;

/// Returns what a queued message will send, and the app that sends it.
pub(crate) fn queued<T: DeserializeOwned, M: MessageKind>(message: &Stored<M>) -> Result<(T, &AppId), Failure> {
    let content = message.queued.as_ref().ok_or_else(|| Failure::internal("a queued message has no content"))?;
    let outgoing = serde_json::from_str(&content.content).map_err(Failure::internal)?;
    let app = message.app().ok_or_else(|| Failure::internal("a queued message has no app"))?;
    Ok((outgoing, app))
}
