//! Queued chat messages.

use std::time::Duration;

use domain::chat::ChatPhoneNumber;
use domain::chat::outgoing::Outgoing;
use domain::id::ChatPhoneNumberId;
use domain::media::Media;
use domain::message::pace::messages_per_second;
use domain::number::NumberId;
use domain::{ErrorCode, Failure, Timestamp};
use futures_util::future::try_join;
use platform::{not_connected, render};
use store::{ChatRecord, OrganizationStore, StoredChat};

use super::{QueuedChannel, queued_content};
use crate::attempt::Outbound;
use crate::chat::{ChatChannel, Named, ReadyChat, assigned, connected, link};

/// The seconds in which received messages are counted, to estimate how many the number receives in the current one.
const RECEIVED_SECONDS: u32 = 2;

impl QueuedChannel for ChatChannel {
    type NumberId = ChatPhoneNumberId;
    type Number = ChatPhoneNumber;

    fn number_id(message: &ChatRecord) -> &ChatPhoneNumberId {
        &message.message().chat_phone_number_id
    }

    async fn number(org: &OrganizationStore, id: &ChatPhoneNumberId) -> Result<Option<ChatPhoneNumber>, Failure> {
        org.chat_phone_number(id).await
    }

    fn lost(number: Option<&ChatPhoneNumber>, message: &StoredChat) -> Option<Failure> {
        let Some(number) = number else {
            let reason = "The chat phone number of this message no longer exists.";
            return Some(Failure::of_code(ErrorCode::ChatNotConfigured, reason));
        };
        if number.released_at.is_some() {
            return Some(not_connected());
        }

        let app = message.message().app_id.as_ref()?;
        if message.has_lost_number(number.assigned_since(app)) { assigned(None, app).err() } else { None }
    }

    fn line_reset_at(number: &ChatPhoneNumber) -> Option<Timestamp> {
        number.line_reset_at
    }

    /// Returns the number of messages that the platform accepts from the number, less those that the number receives.
    async fn slots(org: &OrganizationStore, number: &ChatPhoneNumber, now: Timestamp) -> Result<u32, Failure> {
        let (id, since) = (NumberId::from(number.id.clone()), Duration::from_secs(RECEIVED_SECONDS.into()));
        let received = org.received_since(&id, now.minus(since));
        let (profile, received) = try_join(org.chat_business_profile(&number.business_profile.id), received).await?;

        let is_coexistence = profile.is_some_and(|profile| profile.is_coexistence);
        let most = messages_per_second(number.throughput_tier.as_deref(), is_coexistence);
        Ok(most.saturating_sub(received.div_ceil(RECEIVED_SECONDS)))
    }

    async fn check_again(
        outbound: &Outbound,
        org: &OrganizationStore,
        number: &ChatPhoneNumber,
        message: &StoredChat,
    ) -> Result<Result<ReadyChat, Failure>, Failure> {
        let (outgoing, app): (Outgoing, _) = queued_content(message)?;
        let now = outbound.context.now();
        let named = Named::read(org, &number.business_profile.id, &outgoing, now);
        let (found, (named, profile)) = futures_util::try_join!(org.app(app), named)?;

        let link = |media: &Media| link(&outbound.presigner, org, media);
        let ready = async {
            let number = assigned(found.and(Some(number)), app)?;
            let profile = connected(number, profile.as_ref(), now)?;
            let resolved = named.resolve(&outgoing, app, number, link, now)?;
            let line = outbound.line(org, profile).await?;
            Ok(ReadyChat { number: number.clone(), line, body: render::body(&outgoing, &resolved)? })
        };
        match ready.await {
            Err(failure) if Failure::is_temporary(&failure) || failure.kind().is_fault() => Err(failure),
            checked => Ok(checked),
        }
    }

    /// Returns the single recipient of the message.
    fn recipient(message: &ChatRecord) -> Option<String> {
        let message = message.message();
        let number = message.to_phone_number.as_ref().map(ToString::to_string);
        let address = number.or_else(|| message.to_user_id.clone());
        address.or_else(|| message.group_id.as_ref().map(ToString::to_string))
    }
}
