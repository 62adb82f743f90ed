//! What is read for a message: the number, the account behind it, and everything that the message names. The quota is
//! used beside these reads.

use std::collections::BTreeMap;

use domain::chat::outgoing::{MessageRef, Outgoing};
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::{AppId, ChatMessageId, ChatPhoneNumberId};
use domain::organization::MessageRetention;
use domain::{ErrorCode, Failure};
use futures_util::future::{join, try_join_all};
use futures_util::try_join;
use outbound::Named;
use store::{OrganizationStore, Reads, SendQuota};

use crate::SendingContext;
use crate::known::SenderKeys;
use crate::messages::{Sender, Sending};

const DAY: i64 = 24 * 3600;

/// What was read before the credential was validated.
pub(super) struct Ahead {
    number: Option<ChatPhoneNumber>,
    /// The rest, read with the keys that this process knew, and the use of the quota.
    rest: Option<(SenderKeys, Rest, Quota)>,
}

/// Whether the quota had something left for the message.
type Quota = Result<(), Failure>;

/// The number that sends, and everything else that was read for a message.
pub(super) struct Found {
    pub(super) number: Option<ChatPhoneNumber>,
    pub(super) rest: Option<(Rest, Quota)>,
}

pub(super) struct Rest {
    pub(super) profile: Option<ChatBusinessProfile>,
    pub(super) named: Named,
    /// Our ids of messages that are named by the platform's ids.
    pub(super) held: BTreeMap<String, ChatMessageId>,
    pub(super) retention: MessageRetention,
}

/// Reads what can be read beside the credential: everything if this process knows the sender, else only the number.
pub(super) async fn ahead(
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

/// Completes what was read ahead. Everything is read again whose keys turn out to be others than this process knew. The
/// quota is used once.
pub(super) async fn complete(
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
        // Another app's quota is none of this one's.
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

/// Uses the app's quota for one message. Requests that are refused for another reason, and repeated ones, use it too.
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
