//! Messages of simulated users. The playground validates the sender, the message and the receiver, and the simulated
//! platform reports the message, so that the code for live messages stores it.

mod body;
pub(crate) mod http;
mod objects;

use api::TestApp;
use domain::chat::outgoing::{Content, MediaUse, MessageRef};
use domain::chat::{ChatMessage, ChatMessageDetails, ChatPhoneNumber};
use domain::id::ChatMessageId;
use domain::media::Media;
use domain::{E164, Failure, Timestamp};
use futures_util::future::{try_join_all, try_join3};
use inbound::{Inbox, SharedContent, SimulatedContent, SimulatedMessage, SimulatedReferral};
use platform::render::{self, Resolved, SentMedium};
use runtime::Context;
use store::{Change, PlaygroundNumber, Quota, Reads};

pub(crate) use body::SimulateInboundChat;

use crate::context::own_part;

/// The validated body of the operation.
pub(crate) struct Inbound {
    from: E164,
    to: Option<E164>,
    profile_name: Option<String>,
    reply_to: Option<MessageRef>,
    is_forwarded: bool,
    referral: Option<SimulatedReferral>,
    sent: Sent,
}

/// The content that the user sends.
enum Sent {
    /// Content that names media and messages in the same way as that of businesses.
    Shared(Box<Content>),
    Other(SimulatedContent),
}

/// The data that is read before a message is received.
pub(crate) struct Seen {
    sender: Option<PlaygroundNumber>,
    media: Vec<(MediaUse, Option<Media>)>,
    /// The messages that it names by this API's ids, each with the parameter that names it.
    messages: Vec<(ChatMessageId, &'static str, Option<ChatMessage>)>,
}

/// Reads all objects that the message names, by full keys.
async fn read(reads: &Reads, inbound: &Inbound, now: Timestamp) -> Result<Seen, Failure> {
    let media = inbound.media().into_iter().map(async |used| {
        let found = reads.media(&used.id).await?;
        Ok::<_, Failure>((used, found))
    });
    let messages = inbound.messages().into_iter().map(async |(id, param)| {
        let found = reads.unended_message(&id, now).await?;
        Ok::<_, Failure>((id, param, found.map(|found| found.record.into_message())))
    });
    let sender = reads.playground_number(&inbound.from);
    let (sender, media, messages) = try_join3(sender, try_join_all(media), try_join_all(messages)).await?;
    Ok(Seen { sender, media, messages })
}

impl Inbound {
    fn media(&self) -> Vec<MediaUse> {
        match &self.sent {
            Sent::Shared(content) => render::media(content),
            Sent::Other(_) => Vec::new(),
        }
    }

    /// Returns the messages that it names by this API's ids, each with the parameter that names it.
    fn messages(&self) -> Vec<(ChatMessageId, &'static str)> {
        let ours = |message: &MessageRef, param| match message {
            MessageRef::Ours(id) => Some((id.clone(), param)),
            MessageRef::Platform(_) => None,
        };
        let reply = self.reply_to.as_ref().and_then(|reply| ours(reply, "replyTo"));
        let named = match &self.sent {
            Sent::Shared(content) => content.messages(),
            Sent::Other(_) => Vec::new(),
        };
        reply.into_iter().chain(named.into_iter().filter_map(|used| ours(used.message, used.param))).collect()
    }
}

/// Makes the simulated platform report the message, and returns the stored message. `request` identifies the request
/// and its input, if it has an `Idempotency-Key`.
async fn receive(
    inbox: &Inbox,
    caller: &TestApp,
    inbound: &Inbound,
    seen: Seen,
    request: Option<&str>,
) -> Result<ChatMessageDetails, Failure> {
    let (context, organization) = (&inbox.context, &caller.app.organization);
    let store = context.store.of(organization);
    let number = crate::numbers::receiver(&store, caller, inbound.to.as_ref()).await?;
    let resolved = seen.resolved(caller, &number, context.now())?;
    if inbound.from == number.display_phone_number {
        return Err(own_number());
    }
    if let Sent::Other(SimulatedContent::NumberChange { to, .. }) = &inbound.sent
        && *to == number.display_phone_number
    {
        let param = "system.newNumber";
        return Err(Failure::invalid(param, format!("{param} must not be the number that the message is sent to.")));
    }

    admit(context, caller, &inbound.from, &number, seen.sender).await?;

    let platform_id = format!("wamid.simulated.{}", own_part(context, request));
    let reply_to = inbound.reply_to.as_ref().map(|reply| match reply {
        MessageRef::Ours(id) => resolved.messages.get(id).map_or("", String::as_str),
        MessageRef::Platform(id) => id,
    });
    let medium = seen.media.into_iter().find_map(|(_, medium)| medium);

    let content = match &inbound.sent {
        Sent::Shared(content) => {
            let content = Content::clone(content);
            SimulatedContent::Shared(Box::new(SharedContent { content, resolved: resolved.clone(), medium }))
        }
        Sent::Other(content) => content.clone(),
    };

    let message = SimulatedMessage {
        platform_id: &platform_id,
        from: &inbound.from,
        profile_name: inbound.profile_name.as_deref(),
        sent_at: context.now(),
        reply_to,
        is_forwarded: inbound.is_forwarded,
        referral: inbound.referral.as_ref(),
        content: &content,
    };

    for update in message.updates(organization, &number)? {
        inbox.apply(&update).await?;
    }

    let missing = || Failure::internal("a simulated message was not stored");
    let id = store.message_id_of_platform(&number.id, &platform_id).await?.ok_or_else(missing)?;
    Ok(store.message(&id).await?.ok_or_else(missing)?.record.into_details())
}

impl Seen {
    /// Checks all objects that the message names, and returns their names at the platform.
    fn resolved(&self, caller: &TestApp, number: &ChatPhoneNumber, now: Timestamp) -> Result<Resolved, Failure> {
        let app = &caller.app.app_id;
        let mut resolved = Resolved::default();
        for (id, param, message) in &self.messages {
            let message = message.as_ref().filter(|message| number.shows(app, message));
            let platform_id = message.and_then(|message| message.provider_message_id.clone());
            let platform_id = platform_id.ok_or_else(|| Failure::not_found(*param, "message of this number"))?;
            resolved.messages.insert(id.clone(), platform_id);
        }
        for (used, medium) in &self.media {
            let visible = medium.as_ref().filter(|medium| medium.app_id == *app && medium.is_visible(now));
            let medium = visible.ok_or_else(|| used.not_found())?;
            used.check(medium)?;
            if let Some(kind) = medium.media_type.known() {
                // Users send media by id: the platform's link is left out.
                resolved.media.insert(used.id.clone(), SentMedium { link: String::new(), kind });
            }
        }
        Ok(resolved)
    }
}

fn own_number() -> Failure {
    Failure::invalid("from", "from must not be one of the organization's own simulated numbers. Use another number.")
}

/// Counts the message, makes its sender a playground user of the organization, and records for the simulated platform
/// when the sender wrote.
async fn admit(
    context: &Context,
    caller: &TestApp,
    from: &E164,
    number: &ChatPhoneNumber,
    seen: Option<PlaygroundNumber>,
) -> Result<(), Failure> {
    let organization = &caller.app.organization;
    let read = || async move { context.store.of(organization).playground_number(from).await };

    let decide = |seen: Result<Option<PlaygroundNumber>, Failure>| async move {
        let now = context.now();
        let mut change = Change::new(organization);
        change.spend(&Quota::playground_messages(&caller.app.app_id), 1, now)?;
        change.note_simulated_contact(&number.provider_phone_number_id, from, now)?;
        match seen? {
            None => change.admit_user(from, now)?,
            Some(PlaygroundNumber::User { has_written: false }) => change.note_first_use(from, now)?,
            Some(PlaygroundNumber::User { has_written: true }) => {}
            Some(PlaygroundNumber::System) => return Err(own_number()),
        }
        Ok((change, ()))
    };
    context.store.settle_from(Ok(seen), read, decide).await
}
