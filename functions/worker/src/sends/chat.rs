//! Queued chat messages.

use std::time::Duration;

use domain::chat::ChatPhoneNumber;
use domain::id::{ChatPhoneNumberId, OrganizationId};
use domain::number::NumberId;
use domain::pace::messages_per_second;
use domain::{Failure, Timestamp};
use futures_util::future::try_join;
use outbound::{Posted, Ready as _, ReadyChat, Sendable, lost_chat_number};
use store::{OrganizationStore, StoredMessage};

use super::channel::Channel;
use crate::Worker;

/// The seconds in which received messages are counted, to estimate how many the number receives in the current one.
const RECEIVED_SECONDS: u32 = 2;

pub(crate) struct ChatChannel;

impl Channel for ChatChannel {
    type Message = StoredMessage;
    type NumberId = ChatPhoneNumberId;
    type Number = ChatPhoneNumber;
    type Checked = Sendable;

    async fn number(org: &OrganizationStore, id: &ChatPhoneNumberId) -> Result<Option<ChatPhoneNumber>, Failure> {
        org.chat_phone_number(id).await
    }

    fn lost(number: Option<&ChatPhoneNumber>, stored: &StoredMessage) -> Option<Failure> {
        lost_chat_number(number, stored)
    }

    fn line_reset_at(number: &ChatPhoneNumber) -> Option<Timestamp> {
        number.line_reset_at
    }

    /// Returns what the platform accepts from the number, less what the number receives.
    async fn slots(org: &OrganizationStore, number: &ChatPhoneNumber, now: Timestamp) -> Result<u32, Failure> {
        let (id, since) = (NumberId::from(number.id.clone()), Duration::from_secs(RECEIVED_SECONDS.into()));
        let received = org.received_since(&id, now.minus(since));
        let (profile, received) = try_join(org.chat_business_profile(&number.business_profile.id), received).await?;
        let is_coexistence = profile.is_some_and(|profile| profile.is_coexistence);
        let most = messages_per_second(number.throughput_tier.as_deref(), is_coexistence);
        Ok(most.saturating_sub(received.div_ceil(RECEIVED_SECONDS)))
    }

    async fn check_again(
        worker: &Worker,
        org: &OrganizationStore,
        number: &ChatPhoneNumber,
        stored: &StoredMessage,
    ) -> Result<Result<Sendable, Failure>, Failure> {
        worker.outbound.check_again(org, number, stored).await
    }

    /// Returns the one address that the message was sent to.
    fn recipient(message: &StoredMessage) -> Option<String> {
        let message = message.message();
        let number = message.to_phone_number.as_ref().map(ToString::to_string);
        let address = number.or_else(|| message.to_user_id.clone());
        address.or_else(|| message.group_id.as_ref().map(ToString::to_string))
    }

    async fn post(
        worker: &Worker,
        organization: &OrganizationId,
        number: &ChatPhoneNumber,
        checked: Sendable,
        message: StoredMessage,
    ) -> Posted {
        let Sendable { line, body } = checked;
        let mut ready = ReadyChat { organization, number, line: &line, message, body };
        ready.post(&worker.outbound).await
    }
}
