//! Chat messages: the preconditions of sending one, and the attempt to send it.
//!
//! [`Named::read`] reads the account behind the number, and all objects that the message names. Then the number must be
//! assigned to the app ([`assigned`]), its account must be connected ([`connected`]), and the named objects must exist
//! and be visible to the app ([`Named::resolve`]). With the account's access token ([`Outbound::line`]), the attempt
//! calls the platform once. The simulated platform also reports the statuses of the messages that it accepts.

use std::collections::BTreeMap;

use aws::presign::Presigner;
use domain::chat::outgoing::{Addressee, MediaUse, MessageRef, Outgoing};
use domain::chat::template::APPROVED;
use domain::chat::{ChatBusinessProfile, ChatMessage, ChatPhoneNumber, Group, GroupStatus};
use domain::events::event::EventName;
use domain::id::{AppId, ChatBusinessProfileId, ChatMessageId, MediaId, OrganizationId};
use domain::media::{Media, MediaKind, URL_SECONDS};
use domain::{ErrorCode, Failure, Timestamp};
use futures_util::future::{try_join_all, try_join5};
use inbound::{Inbox, SimulatedSend};
use platform::render::{self, Resolved, SentMedium};
use platform::{PlatformError, SendingLine, not_connected, simulated_message_id};
use serde::Serialize;
use serde_json::{Map, Value};
use store::{ChatRecord, OrganizationStore, Reads, StoredChat, StoredTemplate};

use crate::attempt::{Channel, Outbound, Posted};

/// The objects that a message names, as they were read.
#[derive(Debug, Default)]
pub struct Named {
    pub media: Vec<(MediaUse, Option<Media>)>,
    /// The messages that it names by this API's ids, each with the parameter that names it.
    pub messages: Vec<(ChatMessageId, &'static str, Option<ChatMessage>)>,
    pub group: Option<Group>,
    /// The template, if it is stored.
    pub template: Option<StoredTemplate>,
}

impl Named {
    /// Reads the account behind the number and all objects that a message names, concurrently and by full keys.
    pub async fn read(
        org: &Reads,
        profile: &ChatBusinessProfileId,
        outgoing: &Outgoing,
        now: Timestamp,
    ) -> Result<(Self, Option<ChatBusinessProfile>), Failure> {
        let media = render::media(outgoing.content()).into_iter().map(async |used| {
            let found = org.media(&used.id).await?;
            Ok::<_, Failure>((used, found))
        });
        let messages = outgoing.messages().into_iter().filter_map(|used| match used.message {
            MessageRef::Ours(id) => Some((id.clone(), used.param)),
            MessageRef::Platform(_) => None,
        });
        let messages = messages.map(async |(id, param)| {
            let found = org.unended_message(&id, now).await?;
            Ok::<_, Failure>((id, param, found.map(|found| found.record.into_message())))
        });

        let group = async {
            match outgoing.to() {
                Addressee::Group(id) => org.group(id).await,
                _ => Ok(None),
            }
        };

        let template = async {
            match render::named_template(outgoing.content()) {
                Some(used) => org.template_named(profile, used.name(), used.language()).await,
                None => Ok(None),
            }
        };

        let (media, messages, group, template, profile) =
            try_join5(try_join_all(media), try_join_all(messages), group, template, org.chat_business_profile(profile))
                .await?;
        Ok((Named { media, messages, group, template }, profile))
    }

    /// Checks all objects that a message names, and returns their names at the platform.
    pub fn resolve(
        self,
        outgoing: &Outgoing,
        app: &AppId,
        number: &ChatPhoneNumber,
        link: impl Fn(&Media) -> Result<String, Failure>,
        now: Timestamp,
    ) -> Result<Resolved, Failure> {
        let group = self.platform_group(outgoing, number)?;
        let mut resolved = Resolved { group, ..Resolved::default() };
        for (id, param, message) in &self.messages {
            let message = message.as_ref().filter(|message| number.shows(app, message));
            let platform_id = message.and_then(|message| message.provider_message_id.clone());
            let platform_id = platform_id.ok_or_else(|| Failure::not_found(*param, "message of this number"))?;
            resolved.messages.insert(id.clone(), platform_id);
        }

        for (used, media) in &self.media {
            let visible = media.as_ref().filter(|media| media.app_id == *app && media.is_visible(now));
            let media = visible.ok_or_else(|| used.not_found())?;
            used.check(media)?;
            let kind = media.media_type.known().unwrap_or(MediaKind::Document);
            resolved.media.insert(used.id.clone(), SentMedium { link: link(media)?, kind });
        }

        self.check_template(outgoing, &resolved.media)?;
        resolved.template = self.components()?;
        Ok(resolved)
    }

    /// Returns the components of the template, if they are known.
    fn components(&self) -> Result<Option<Value>, Failure> {
        let components = self.template.as_ref().and_then(|stored| stored.template.components.as_ref());
        components.map(|json| serde_json::from_str(json.as_str()).map_err(Failure::internal)).transpose()
    }

    fn platform_group(&self, outgoing: &Outgoing, number: &ChatPhoneNumber) -> Result<Option<String>, Failure> {
        if !outgoing.to().is_group() {
            return Ok(None);
        }
        let group = self.group.as_ref().filter(|group| group.chat_phone_number_id == number.id);
        let group = group.ok_or_else(|| Failure::not_found("groupId", "chat group"))?;
        match &group.provider_group_id {
            Some(id) if group.status == GroupStatus::Active => Ok(Some(id.clone())),
            _ => Err(Failure::conflict("Messages can be sent to active groups only.").with_param("groupId")),
        }
    }

    /// Checks the template and its parameters, if the template is known. Otherwise the platform checks them.
    fn check_template(&self, outgoing: &Outgoing, media: &BTreeMap<MediaId, SentMedium>) -> Result<(), Failure> {
        let named = render::named_template(outgoing.content());
        let (Some(used), Some(stored)) = (named, &self.template) else { return Ok(()) };
        if stored.template.status != APPROVED {
            let status = &stored.template.status;
            let message = format!("Only an APPROVED template can be sent. The status of this one is {status}.");
            return Err(Failure::of_code(ErrorCode::TemplateNotFound, message).with_param(used.name_param()));
        }
        let Some(components) = self.components()? else { return Ok(()) };
        used.check(&components, &|id| media.get(id).map(|sent| sent.kind))
    }
}

/// Returns the number if it is assigned to the app. All other numbers are treated alike, including those that do not
/// exist.
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
        return Err(not_configured("This number is not registered with WhatsApp. Register it first."));
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

/// Returns the URL from which the platform downloads a medium.
pub fn link(presigner: &Presigner, org: &OrganizationStore, media: &Media) -> Result<String, Failure> {
    presigner.download(org.organization_id(), media, URL_SECONDS)
}

/// Messages of the chat platform.
pub struct ChatChannel;

/// The data that the attempt to send a chat message needs.
pub struct ReadyChat {
    pub number: ChatPhoneNumber,
    pub line: SendingLine,
    /// The message in the platform's format.
    pub body: Map<String, Value>,
}

impl Channel for ChatChannel {
    type Record = ChatRecord;
    type Ready = ReadyChat;
    const FAILED: EventName = EventName::MessagesChatFailed;

    fn shown(message: &StoredChat) -> impl Serialize + Send + use<> {
        message.record.clone().into_details()
    }

    async fn post(
        outbound: &Outbound,
        organization: &OrganizationId,
        message: &StoredChat,
        ready: ReadyChat,
    ) -> Posted {
        let ReadyChat { number, line, body } = ready;
        let data = callback_data(organization, message);

        let sent = line.send(&number.provider_phone_number_id, body, &data).await;
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

        match Posted::of_response(&message.message().id, sent, PlatformError::is_outcome_unknown) {
            Ok(posted) => posted,
            Err(error) => Posted::Refused(line.failure(error, &number.provider_phone_number_id).await),
        }
    }
}

/// Reports the statuses of a message that the simulated platform has accepted.
async fn simulate_statuses(outbound: &Outbound, sent: &SimulatedSend<'_>) -> Result<(), Failure> {
    let inbox = Inbox { context: outbound.context.clone(), queue: outbound.queue.clone() };
    for status in &sent.statuses_at_once()? {
        // Boxed, because it is rare and much larger than all other futures of sending.
        Box::pin(inbox.apply(status)).await?;
    }
    match sent.statuses_later() {
        Some(later) => outbound.queue.send_later(&[later]).await,
        None => Ok(()),
    }
}

/// Returns whether the simulated platform has accepted a message, even if its response is lost.
fn is_taken(sent: &Result<String, PlatformError>) -> bool {
    matches!(sent, Ok(_) | Err(PlatformError::Unreachable { was_sent: true, .. }))
}

/// Returns the callback data, which the platform repeats in every status of the message.
fn callback_data(organization: &OrganizationId, message: &ChatRecord) -> String {
    format!("{organization}:{}", message.message().id)
}
