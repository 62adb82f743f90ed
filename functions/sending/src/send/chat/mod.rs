//! Sending a chat message. Its data is read as early as possible: concurrently with the credential if this process
//! knows the sender from earlier requests ([`Known`]), and otherwise after it. Then the request is checked, and the
//! message is built.

pub(crate) mod http;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use api::AppCaller;
use domain::chat::outgoing::{MessageRef, Outgoing, note_medium};
use domain::chat::{ChatBusinessProfile, ChatMessage, ChatMessageType, ChatPhoneNumber, Direction, Outcome};
use domain::id::{AppId, ChatBusinessProfileId, ChatMessageId, ChatPhoneNumberId};
use domain::identity::organization::MessageRetention;
use domain::media::Media;
use domain::{ErrorCode, Failure, Timestamp};
use futures_util::future::{join, try_join_all};
use futures_util::try_join;
use outbound::{ChatChannel, Named, ReadyChat, assigned, connected, link};
use platform::render;
use store::{ChatRecord, OrganizationStore, Reads, SendQuota, Stored, StoredChat};

use super::{Draft, begin};
use crate::SendingContext;
use crate::messages::{Sender, Sending};

const DAY: i64 = 24 * 3600;
/// The highest number of remembered senders and of remembered apps. When it is reached, the map is cleared.
const MOST: usize = 1024;

/// The data that was read before the credential was validated.
struct Ahead {
    number: Option<ChatPhoneNumber>,
    /// The rest, read with the keys that this process knew, and the use of the quota.
    rest: Option<(SenderKeys, Rest, Quota)>,
}

/// The result of using the quota for the message.
type Quota = Result<(), Failure>;

/// The sending number, and all other data that was read for a message.
struct Found {
    number: Option<ChatPhoneNumber>,
    rest: Option<(Rest, Quota)>,
}

struct Rest {
    profile: Option<ChatBusinessProfile>,
    named: Named,
    /// This API's ids of messages that are named by the platform's ids.
    held: BTreeMap<String, ChatMessageId>,
    retention: MessageRetention,
}

/// Reads the data that can be read concurrently with the credential: everything if this process knows the sender,
/// otherwise only the number.
async fn read_ahead(
    sending: &SendingContext,
    reads: &Reads,
    credential: &str,
    asked: &Sending,
) -> Result<Ahead, Failure> {
    match (sending.known.sender(credential, &asked.from), &asked.from) {
        (Some(keys), _) => {
            let number = reads.chat_phone_number(&keys.number);
            let read = async { try_join!(number, Box::pin(rest(sending, reads, &keys, &asked.message))) };
            let (read, quota) = join(read, spend(sending, reads, &keys.app)).await;
            let (number, rest) = read?;
            Ok(Ahead { number, rest: Some((keys, rest, quota)) })
        }
        (None, Sender::Id(id)) => Ok(Ahead { number: reads.chat_phone_number(id).await?, rest: None }),
        (None, Sender::Number(_)) => Ok(Ahead { number: None, rest: None }),
    }
}

/// Checks whether a message can be sent, and builds it. The failure is the first obstacle, in the order of the page
/// [errors](../../../../../docs/specification.md).
async fn check(
    sending: &SendingContext,
    caller: &AppCaller,
    credential: &str,
    asked: &Sending,
    ahead: Ahead,
) -> Result<Draft<ChatChannel>, Failure> {
    let (app, now) = (&caller.app_id, sending.context().now());
    let org = sending.context().store.of(&caller.organization);
    let Found { number, rest } = complete(sending, &org, app, credential, asked, ahead).await?;
    let number = assigned(number.as_ref(), app)?.clone();
    let Some((Rest { profile, named, held, retention }, quota)) = rest else {
        return Err(Failure::internal("nothing was read for a number"));
    };

    let profile = connected(&number, profile.as_ref(), now)?;
    let medium = shown_medium(&asked.message, &named);
    let address = |media: &Media| link(&sending.outbound.presigner, &org, media);
    let mut resolved = named.resolve(&asked.message, app, &number, address, now)?;
    resolved.held = held;
    let line = sending.outbound.line(&org, profile).await?;
    quota?;

    let body = render::body(&asked.message, &resolved)?;
    let mut message = new_message(sending, caller, &number, retention, now);
    let ChatRecord { tracked, data, .. } = &mut message.record;
    render::fill(&asked.message, &mut tracked.message, data, &resolved)?;
    if let Some(medium) = medium {
        note_medium(&mut tracked.message, &medium);
    }
    tracked.message.client_reference = asked.message.client_reference().map(str::to_owned);
    begin(sending, caller, &mut message, &asked.message, asked.queued_for, number.assigned_since(app))?;
    Ok(Draft { message, ready: ReadyChat { number, line, body } })
}

/// Completes the data that was read ahead. Objects are read again if their keys differ from those that this process
/// knew. The quota is used once.
async fn complete(
    sending: &SendingContext,
    org: &OrganizationStore,
    app: &AppId,
    credential: &str,
    asked: &Sending,
    ahead: Ahead,
) -> Result<Found, Failure> {
    let is_asked = |number: &ChatPhoneNumber| match &asked.from {
        Sender::Id(id) => number.id == *id,
        Sender::Number(digits) => number.display_phone_number == *digits && number.is_assigned_to(app),
    };
    let number = match (ahead.number.filter(is_asked), &asked.from) {
        (None, Sender::Number(_)) => org.chat_phone_numbers_of_app(app).await?.into_iter().find(is_asked),
        (number, _) => number,
    };
    let Some(number) = number.filter(|number| number.is_assigned_to(app)) else {
        return Ok(Found { number: None, rest: None });
    };

    let profile = number.business_profile.id.clone();
    let keys = SenderKeys { app: app.clone(), number: number.id.clone(), profile };
    let (known, spent) = match ahead.rest {
        Some((known, rest, quota)) if known == keys => (Some(rest), Some(quota)),
        // Quotas are counted per app.
        Some((known, _, quota)) => (None, Some(quota).filter(|_| known.app == keys.app)),
        None => (None, None),
    };

    let rest = async {
        match known {
            Some(rest) => Ok(rest),
            None => {
                sending.known.remember_sender(credential, &asked.from, keys.clone());
                Box::pin(rest(sending, org, &keys, &asked.message)).await
            }
        }
    };
    let quota = async {
        match spent {
            Some(quota) => quota,
            None => spend(sending, org, &keys.app).await,
        }
    };
    let (rest, quota) = join(rest, quota).await;
    Ok(Found { number: Some(number), rest: Some((rest?, quota)) })
}

async fn rest(sending: &SendingContext, reads: &Reads, keys: &SenderKeys, message: &Outgoing) -> Result<Rest, Failure> {
    let named = Named::read(reads, &keys.profile, message, sending.context().now());
    let read = try_join!(named, held(reads, &keys.number, message), reads.message_retention());
    let ((named, profile), held, retention) = read?;
    Ok(Rest { profile, named, held, retention })
}

/// Finds the messages that are named by the platform's ids.
async fn held(
    reads: &Reads,
    number: &ChatPhoneNumberId,
    message: &Outgoing,
) -> Result<BTreeMap<String, ChatMessageId>, Failure> {
    let lookups = message.messages().into_iter().filter_map(|used| match used.message {
        MessageRef::Platform(id) => Some(id.clone()),
        MessageRef::Ours(_) => None,
    });
    let lookups = lookups.map(async |id| {
        let held = reads.message_id_of_platform(number, &id).await?;
        Ok::<_, Failure>(held.map(|held| (id, held)))
    });
    Ok(try_join_all(lookups).await?.into_iter().flatten().collect())
}

/// Uses the app's quota for one message. Repeated requests, and requests that are rejected for another reason, use it
/// too.
async fn spend(sending: &SendingContext, reads: &Reads, app: &AppId) -> Quota {
    let (quota, now) = (SendQuota::of(app, sending.live.messages), sending.context().now());
    let day = now.seconds().div_euclid(DAY);
    if sending.known.is_spent(app, day) {
        return Err(quota.refusal(now));
    }
    let spent = reads.spend_send(&quota, sending.context().random(), now).await;
    if let Err(failure) = &spent
        && failure.code() == Some(ErrorCode::RateLimitExceeded)
        && !failure.is_temporary()
    {
        sending.known.remember_spent(app, day);
    }
    spent
}

/// Returns the medium of a media message.
fn shown_medium(message: &Outgoing, named: &Named) -> Option<Media> {
    use ChatMessageType::{Audio, Document, Image, Sticker, Video};
    let is_medium = matches!(message.content().message_type(), Image | Video | Audio | Document | Sticker);
    named.media.first().filter(|_| is_medium).and_then(|(_, media)| media.clone())
}

fn new_message(
    sending: &SendingContext,
    caller: &AppCaller,
    number: &ChatPhoneNumber,
    retention: MessageRetention,
    now: Timestamp,
) -> StoredChat {
    let id = ChatMessageId::mint(caller.app_id.mode(), now, sending.context().random());
    let (direction, kind) = (Direction::Outbound, ChatMessageType::Unknown);
    let mut message = ChatMessage::blank(id, &number.id, &number.display_phone_number, direction, kind, now);
    message.app_id = Some(caller.app_id.clone());
    message.outcome = Some(Outcome::Pending.into());
    message.queued_at = Some(now);

    let mut stored = Stored::new(ChatRecord::new(message), retention);
    stored.reported.is_filled = true;
    stored
}

/// Keys that this process knows from earlier requests. With them, a request reads all items at once. Without them, it
/// reads them one after another: the credential, then the number that the request names, then the account behind the
/// number. Only keys are remembered: the items themselves are read and checked in every request.
#[derive(Clone, Default)]
pub(crate) struct Known {
    /// The keys by the hash of the credential and `from`.
    senders: Arc<Mutex<HashMap<(String, String), SenderKeys>>>,
    /// The days on which an app has used up its quota.
    spent: Arc<Mutex<HashMap<AppId, i64>>>,
}

/// The keys of the items behind a sender.
#[derive(Clone, PartialEq, Eq)]
struct SenderKeys {
    app: AppId,
    number: ChatPhoneNumberId,
    profile: ChatBusinessProfileId,
}

impl Known {
    fn sender(&self, credential: &str, from: &Sender) -> Option<SenderKeys> {
        let senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        senders.get(&sender_key(credential, from)).cloned()
    }

    fn remember_sender(&self, credential: &str, from: &Sender, keys: SenderKeys) {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        if senders.len() >= MOST {
            senders.clear();
        }
        senders.insert(sender_key(credential, from), keys);
    }

    /// Returns whether the app has used up its quota of this day. A day's count never falls, so this needs no read.
    fn is_spent(&self, app: &AppId, day: i64) -> bool {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).get(app) == Some(&day)
    }

    fn remember_spent(&self, app: &AppId, day: i64) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if spent.len() >= MOST {
            spent.clear();
        }
        spent.insert(app.clone(), day);
    }
}

/// Returns the key under which a sender is remembered.
fn sender_key(credential: &str, from: &Sender) -> (String, String) {
    let from = match from {
        Sender::Id(id) => id.to_string(),
        Sender::Number(number) => number.to_string(),
    };
    (credential.to_owned(), from)
}
