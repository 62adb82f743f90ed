//! Chat messages: what must hold for one to be sent, which is checked when it is accepted and again when its turn comes,
//! and the attempt to send it.

mod named;

use std::time::Duration;

use aws::presign::Presigner;
use domain::chat::outgoing::Outgoing;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::event::EventName;
use domain::id::{AppId, ChatPhoneNumberId, OrganizationId};
use domain::media::{Media, URL_SECONDS};
use domain::number::NumberId;
use domain::pace::messages_per_second;
use domain::{ErrorCode, Failure, Timestamp};
use futures_util::future::try_join;
use inbound::{Inbox, SimulatedSend};
use platform::{PlatformError, SendingLine, not_connected, simulated_message_id};
use serde::Serialize;
use serde_json::{Map, Value};
use store::{ChatRecord, OrganizationStore, StoredChat};

use crate::attempt::{Outbound, Posted};
use crate::channel::{Channel, queued};

pub use named::Named;

/// The seconds in which received messages are counted, to estimate how many the number receives in the current one.
const RECEIVED_SECONDS: u32 = 2;

/// Messages of the chat platform.
pub struct ChatChannel;

/// What the attempt to send a chat message needs.
pub struct ReadyChat {
    pub number: ChatPhoneNumber,
    pub line: SendingLine,
    /// The message in the platform's format.
    pub body: Map<String, Value>,
}

impl Channel for ChatChannel {
    type Record = ChatRecord;
    type NumberId = ChatPhoneNumberId;
    type Number = ChatPhoneNumber;
    type Ready = ReadyChat;
    const FAILED: EventName = EventName::MessagesChatFailed;

    fn shown(message: &StoredChat) -> impl Serialize + Send + use<> {
        views::chat_message(message.record.clone())
    }

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
        outbound: &Outbound,
        org: &OrganizationStore,
        number: &ChatPhoneNumber,
        message: &StoredChat,
    ) -> Result<Result<ReadyChat, Failure>, Failure> {
        let (outgoing, app): (Outgoing, _) = queued(message)?;
        let now = outbound.context.now();
        let named = Named::read(org, &number.business_profile.id, &outgoing, now);
        let (found, (named, profile)) = futures_util::try_join!(org.app(app), named)?;

        let link = |media: &Media| link(&outbound.presigner, org, media);
        let ready = async {
            let number = assigned(found.and(Some(number)), app)?;
            let profile = connected(number, profile.as_ref(), now)?;
            let resolved = named.resolve(&outgoing, app, number, link, now)?;
            let line = outbound.line(org, profile).await?;
            Ok(ReadyChat { number: number.clone(), line, body: outgoing.body(&resolved)? })
        };
        match ready.await {
            Err(failure) if Failure::is_temporary(&failure) || failure.status() >= 500 => Err(failure),
            checked => Ok(checked),
        }
    }

    /// Returns the one address that the message is sent to.
    fn recipient(message: &ChatRecord) -> Option<String> {
        let message = message.message();
        let number = message.to_phone_number.as_ref().map(ToString::to_string);
        let address = number.or_else(|| message.to_user_id.clone());
        address.or_else(|| message.group_id.as_ref().map(ToString::to_string))
    }

    async fn post(
        outbound: &Outbound,
        organization: &OrganizationId,
        message: &StoredChat,
        ready: ReadyChat,
    ) -> Posted {
        let ReadyChat { number, line, mut body } = ready;
        let data = callback_data(organization, message);
        body.insert("biz_opaque_callback_data".to_owned(), Value::String(data.clone()));

        let sent = line.send(&number.provider_phone_number_id, &Value::Object(body)).await;
        if message.message().id.mode().is_test() && is_taken(&sent) {
            let simulated = SimulatedSend {
                organization,
                number: &number,
                platform_id: &simulated_message_id(&data),
                message: message.message(),
                at: outbound.context.now(),
            };
            outbound.report_simulated(simulate_statuses(outbound, &simulated)).await;
        }

        match sent {
            Ok(id) => Posted::Accepted(id),
            Err(error) if error.is_outcome_unknown() => {
                tracing::warn!(message = %message.message().id, "the outcome of an attempt is unknown: {error}");
                Posted::Unknown
            }
            Err(error) => Posted::Refused(line.failure(error, &number.provider_phone_number_id).await),
        }
    }
}

/// Reports the statuses of a message that the simulated platform has taken.
async fn simulate_statuses(outbound: &Outbound, sent: &SimulatedSend<'_>) -> Result<(), Failure> {
    let inbox = Inbox { context: outbound.context.clone(), queue: outbound.queue.clone() };
    for status in &sent.statuses_at_once()? {
        // Boxed: it is rare, and much larger than everything else that sending does.
        Box::pin(inbox.apply(status)).await?;
    }
    match sent.statuses_later() {
        Some(later) => outbound.queue.send_later(&[later]).await,
        None => Ok(()),
    }
}

/// Returns whether the simulated platform has taken a message: also if only its response is lost.
fn is_taken(sent: &Result<String, PlatformError>) -> bool {
    matches!(sent, Ok(_) | Err(PlatformError::Unreachable { was_sent: true, .. }))
}

/// Returns what the platform repeats in every status of the message.
fn callback_data(organization: &OrganizationId, message: &ChatRecord) -> String {
    format!("{organization}:{}", message.message().id)
}

/// Returns the number if it is assigned to the app. All others are treated alike, also those that do not exist.
pub fn assigned<'n>(number: Option<&'n ChatPhoneNumber>, app: &AppId) -> Result<&'n ChatPhoneNumber, Failure> {
    number.filter(|number| number.is_assigned_to(app)).ok_or_else(|| {
        let message =
            "from must be a chat phone number that is assigned to the app of this key: its id or its E.164 number.";
        Failure::of_code(ErrorCode::PhoneNumberNotAssigned, message).with_param("from")
    })
}

/// Returns the account behind a number if messages can be sent through it.
pub fn connected<'p>(
    number: &ChatPhoneNumber,
    profile: Option<&'p ChatBusinessProfile>,
    now: Timestamp,
) -> Result<&'p ChatBusinessProfile, Failure> {
    let Some(profile) = profile.filter(|profile| profile.disconnected_at.is_none()) else {
        return Err(not_connected());
    };
    if profile.token_expires_at.is_some_and(|end| end <= now) {
        return Err(not_configured(
            "The access token of this number's account has expired. Connect the account again.",
        ));
    }
    // The platform registers the numbers of a business app itself.
    if !number.cloud_api_registered && !profile.is_coexistence {
        return Err(not_configured("This number is not registered with the platform. Register it first."));
    }
    Ok(profile)
}

/// Returns the failure for a number without a usable account.
fn not_configured(message: &str) -> Failure {
    Failure::of_code(ErrorCode::ChatNotConfigured, message)
}

impl Outbound {
    /// Returns access to the platform on behalf of a connected profile.
    pub async fn line(&self, org: &OrganizationStore, profile: &ChatBusinessProfile) -> Result<SendingLine, Failure> {
        let line = self.platforms.line_for_sending(org, profile, self.context.now()).await?;
        line.ok_or_else(|| not_configured("The account of this number has no access token. Connect it again."))
    }
}

/// Returns the address from which the platform gets a medium.
pub fn link(presigner: &Presigner, org: &OrganizationStore, media: &Media) -> Result<String, Failure> {
    presigner.download(org.organization_id(), media, URL_SECONDS)
}
