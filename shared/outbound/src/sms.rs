//! SMS messages: what must hold for one to be sent, which is checked when it is accepted and again when its turn comes,
//! and the attempt to send it.

use std::sync::Arc;
use std::time::Duration;

use aws::queue::{Job, VERSION};
use carrier::{Carrier, CarrierError, Sms, simulated_receipts};
use domain::event::EventName;
use domain::id::{AppId, OrganizationId, PhoneNumberId};
use domain::media::Media;
use domain::number::PhoneNumber;
use domain::pace::sms_per_second;
use domain::sms::SmsMessage;
use domain::sms::outgoing::{OutgoingSms, check_medium};
use domain::{ErrorCode, Failure, Timestamp};
use runtime::{Context, Metric};
use serde::Serialize;
use store::{OrganizationStore, SmsRecord, StoredSms};

use crate::attempt::{Outbound, Posted};
use crate::channel::{Channel, queued};

/// SMS and MMS messages.
pub struct SmsChannel;

/// What the attempt to send an SMS message needs.
pub struct ReadySms {
    pub carrier: Arc<dyn Carrier>,
    pub sms: Sms,
}

impl Channel for SmsChannel {
    type Record = SmsRecord;
    type NumberId = PhoneNumberId;
    type Number = PhoneNumber;
    type Ready = ReadySms;
    const FAILED: EventName = EventName::MessagesSmsFailed;

    fn shown(message: &StoredSms) -> impl Serialize + Send + use<> {
        message.message.clone()
    }

    fn number_id(message: &SmsRecord) -> &PhoneNumberId {
        &message.message.phone_number_id
    }

    async fn number(org: &OrganizationStore, id: &PhoneNumberId) -> Result<Option<PhoneNumber>, Failure> {
        org.phone_number(id).await
    }

    fn lost(number: Option<&PhoneNumber>, message: &StoredSms) -> Option<Failure> {
        let Some(number) = number else {
            let reason = "The phone number of this message no longer exists.";
            return Some(Failure::of_code(ErrorCode::PhoneNumberNotAssigned, reason));
        };
        let app = message.message.app_id.as_ref()?;
        if message.has_lost_number(number.assigned_since(app)) {
            return assigned_number(None, app).err();
        }
        number.expect_linked().err()
    }

    fn line_reset_at(number: &PhoneNumber) -> Option<Timestamp> {
        number.line_reset_at
    }

    async fn slots(_: &OrganizationStore, number: &PhoneNumber, _: Timestamp) -> Result<u32, Failure> {
        Ok(sms_per_second(&number.number))
    }

    async fn check_again(
        outbound: &Outbound,
        org: &OrganizationStore,
        number: &PhoneNumber,
        message: &StoredSms,
    ) -> Result<Result<ReadySms, Failure>, Failure> {
        let (outgoing, app): (OutgoingSms, _) = queued(message)?;
        let medium = async {
            match &outgoing.media_id {
                Some(id) => org.media(id).await,
                None => Ok(None),
            }
        };
        let (found, medium) = futures_util::try_join!(org.app(app), medium)?;

        let checked = || {
            let number = assigned_number(found.and(Some(number)), app)?;
            let carrier = outbound.carriers.of_mode(number.id.mode(), &outbound.context.store)?;
            number.expect_may_send_to(&outgoing.to)?;
            let medium = sent_medium(&outgoing, medium.as_ref(), app, outbound.context.now())?;
            Ok(ReadySms { carrier, sms: outbound.sms(org.organization_id(), &message.message, medium) })
        };
        Ok(checked())
    }

    fn recipient(_: &SmsRecord) -> Option<String> {
        None
    }

    async fn post(outbound: &Outbound, organization: &OrganizationId, message: &StoredSms, ready: ReadySms) -> Posted {
        let ReadySms { carrier, sms } = ready;
        let is_simulated = message.message.id.mode().is_test();
        let sent = carrier.send(&sms).await;
        if is_simulated && is_taken(&sent) {
            outbound.report_simulated(simulate_receipts(outbound, organization, &sms)).await;
        }

        match sent {
            Ok(id) => Posted::Accepted(id),
            Err(error) if error.is_outcome_unknown() => {
                tracing::warn!(message = %message.message.id, "the outcome of an attempt is unknown: {error}");
                Posted::Unknown
            }
            Err(error) => {
                if !is_simulated {
                    count_refusal(&outbound.context, &error);
                }
                Posted::Refused(error.into())
            }
        }
    }
}

/// Returns the number if it is assigned to the app. All others are treated alike, also those that do not exist.
pub fn assigned_number<'n>(number: Option<&'n PhoneNumber>, app: &AppId) -> Result<&'n PhoneNumber, Failure> {
    number.filter(|number| number.apps.contains(app)).ok_or_else(|| {
        let message =
            "from must be a phone number that is assigned to the app of this key: its id or its E.164 number.";
        Failure::of_code(ErrorCode::PhoneNumberNotAssigned, message).with_param("from")
    })
}

/// Returns the medium of a message if the app may send it.
pub fn sent_medium<'m>(
    outgoing: &OutgoingSms,
    medium: Option<&'m Media>,
    app: &AppId,
    now: Timestamp,
) -> Result<Option<&'m Media>, Failure> {
    if outgoing.media_id.is_none() {
        return Ok(None);
    }
    let visible = medium.filter(|medium| medium.app_id == *app && medium.is_visible(now));
    let medium = visible.ok_or_else(|| Failure::not_found("mediaId", "medium of this app"))?;
    check_medium(medium, "mediaId")?;
    Ok(Some(medium))
}

impl Outbound {
    /// Returns a message as the carrier takes it.
    pub fn sms(&self, organization: &OrganizationId, message: &SmsMessage, medium: Option<&Media>) -> Sms {
        Sms {
            organization: organization.clone(),
            message: message.id.clone(),
            from: message.from.clone(),
            to: message.to.clone(),
            text: message.text.clone(),
            media_url: medium.map(|medium| self.presigner.location(organization, medium)),
        }
    }
}

/// Counts a refusal that an operator should know of.
fn count_refusal(context: &Context, error: &CarrierError) {
    let CarrierError::Refused { reason: Some(reason), .. } = error else { return };
    match reason.as_str() {
        "MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT" | "MONTHLY_SPEND_LIMIT_REACHED_FOR_MEDIA" => {
            context.publish(Metric::SpendLimitRefusals, 1);
        }
        "DESTINATION_PHONE_NUMBER_OPTED_OUT" => context.publish(Metric::OptOutRefusals, 1),
        _ => {}
    }
}

/// Returns whether the carrier has taken a message: also if only its response is lost.
fn is_taken(sent: &Result<String, CarrierError>) -> bool {
    sent.as_ref().map_or_else(CarrierError::is_outcome_unknown, |_| true)
}

/// Reports the receipts of a message that the simulated carrier has taken.
async fn simulate_receipts(outbound: &Outbound, organization: &OrganizationId, sms: &Sms) -> Result<(), Failure> {
    let now = outbound.context.now();
    let job = |(update, delay): (String, Duration)| {
        let at = now.plus(delay);
        (Job::CarrierUpdate { v: VERSION, organization_id: Some(organization.clone()), at, update }, delay)
    };
    let jobs: Vec<_> = simulated_receipts(sms, now)?.into_iter().map(job).collect();
    outbound.queue.send_later(&jobs).await
}
