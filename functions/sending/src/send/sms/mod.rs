//! Sending an SMS or MMS message.

pub(crate) mod http;
mod request;

use api::AppCaller;
use domain::id::SmsMessageId;
use domain::identity::organization::MessageRetention;
use domain::media::Media;
use domain::message::{Direction, Outcome};
use domain::number::PhoneNumber;
use domain::sms::SmsMessage;
use domain::{Failure, Timestamp};
use futures_util::try_join;
use outbound::{ReadySms, SmsChannel, assigned_number, sent_medium};
use store::{OrganizationStore, Reads, SendQuota, SmsRecord, Stored};

use self::request::{SendingSms, SmsSender};
use super::{Draft, begin};
use crate::SendingContext;

/// The data that was read concurrently with the credential, by full keys.
struct Ahead {
    /// The number, if the request names its id.
    number: Option<PhoneNumber>,
    medium: Option<Media>,
    retention: MessageRetention,
}

impl Ahead {
    async fn read(reads: &Reads, asked: &SendingSms) -> Result<Self, Failure> {
        let number = async {
            match &asked.from {
                SmsSender::Id(id) => reads.phone_number(id).await,
                SmsSender::Number(_) => Ok(None),
            }
        };
        let medium = async {
            match &asked.message.media_id {
                Some(id) => reads.media(id).await,
                None => Ok(None),
            }
        };
        let (number, medium, retention) = try_join!(number, medium, reads.message_retention())?;
        Ok(Ahead { number, medium, retention })
    }
}

/// Returns the number that the request names.
async fn sender(
    org: &OrganizationStore,
    caller: &AppCaller,
    asked: &SendingSms,
    read: Option<PhoneNumber>,
) -> Result<Option<PhoneNumber>, Failure> {
    match &asked.from {
        SmsSender::Id(_) => Ok(read),
        SmsSender::Number(digits) => org.phone_number_of_app(&caller.app_id, digits).await,
    }
}

/// Checks whether a message can be sent, and builds it. The failure is the first obstacle.
async fn check(
    sending: &SendingContext,
    caller: &AppCaller,
    asked: &SendingSms,
    ahead: Ahead,
) -> Result<Draft<SmsChannel>, Failure> {
    let (app, now) = (&caller.app_id, sending.context().now());
    let org = sending.context().store.of(&caller.organization);
    let number = sender(&org, caller, asked, ahead.number).await?;
    let number = assigned_number(number.as_ref(), app)?;
    let medium = sent_medium(&asked.message, ahead.medium.as_ref(), app, now)?;
    let carrier = sending.outbound.carriers.of_mode(number.id.mode(), &sending.context().store)?;
    number.expect_may_send_to(&asked.message.to)?;
    let quota = SendQuota::of_parts(app.mode(), sending.live.parts, asked.message.parts());
    org.spend_send(&quota, sending.context().random(), now).await?;
    let message = new_message(sending, caller, number, asked, now);
    let sms = sending.outbound.sms(&caller.organization, &message, medium);
    let mut message = Stored::new(SmsRecord::new(message), ahead.retention);
    begin(sending, caller, &mut message, &asked.message, asked.queued_for, number.assigned_since(app))?;
    Ok(Draft { message, ready: ReadySms { carrier, sms } })
}

fn new_message(
    sending: &SendingContext,
    caller: &AppCaller,
    number: &PhoneNumber,
    asked: &SendingSms,
    now: Timestamp,
) -> SmsMessage {
    let id = SmsMessageId::mint(number.id.mode(), now, sending.context().random());
    let (from, to) = (number.number.clone(), asked.message.to.clone());
    let mut message = SmsMessage::blank(id, &number.id, Direction::Outbound, from, to, now);
    message.app_id = Some(caller.app_id.clone());
    message.outcome = Some(Outcome::Pending.into());
    asked.message.fill(&mut message);
    message
}
