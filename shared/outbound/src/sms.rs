//! SMS messages: the preconditions of sending one, and the attempt to send it.

use std::sync::Arc;
use std::time::Duration;

use carrier::{Carrier, CarrierError, Sms, simulated_receipts};
use domain::events::event::EventName;
use domain::id::{AppId, OrganizationId};
use domain::job::{Job, VERSION};
use domain::media::Media;
use domain::number::PhoneNumber;
use domain::sms::SmsMessage;
use domain::sms::outgoing::{OutgoingSms, check_medium};
use domain::{ErrorCode, Failure, Mode, Timestamp};
use runtime::{Context, Metric};
use serde::Serialize;
use store::{SmsRecord, StoredSms};

use crate::attempt::{Channel, Outbound, Posted};

/// SMS and MMS messages.
pub struct SmsChannel;

/// The data that the attempt to send an SMS message needs.
pub struct ReadySms {
    pub carrier: Arc<dyn Carrier>,
    pub sms: Sms,
}

impl Channel for SmsChannel {
    type Record = SmsRecord;
    type Ready = ReadySms;
    const FAILED: EventName = EventName::MessagesSmsFailed;

    fn shown(message: &StoredSms) -> impl Serialize + Send + use<> {
        message.message.clone()
    }

    async fn post(outbound: &Outbound, organization: &OrganizationId, message: &StoredSms, ready: ReadySms) -> Posted {
        let ReadySms { carrier, sms } = ready;
        let is_simulated = message.message.id.mode().is_test();
        let sent = carrier.send(&sms).await;
        if is_simulated && is_taken(&sent) {
            outbound.report_simulated(simulate_receipts(outbound, organization, &sms)).await;
        }

        match Posted::of_response(&message.message.id, sent, CarrierError::is_outcome_unknown) {
            Ok(posted) => posted,
            Err(error) => {
                note_refusal(&outbound.context, organization, message.message.id.mode(), &error).await;
                Posted::Refused(error.into())
            }
        }
    }
}

/// Returns the number if it is assigned to the app. All other numbers are treated alike, including those that do not
/// exist.
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
    /// Returns a message in the carrier's format.
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

/// Records a refusal that an operator should know about. The metrics count those of the real carrier.
async fn note_refusal(context: &Context, organization: &OrganizationId, mode: Mode, error: &CarrierError) {
    let CarrierError::Refused { reason: Some(reason), .. } = error else { return };
    let is_simulated = mode.is_test();
    match reason.as_str() {
        "MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT" | "MONTHLY_SPEND_LIMIT_REACHED_FOR_MEDIA" => {
            if !is_simulated {
                context.publish(Metric::SpendLimitRefusals, 1);
            }
            // The message is refused either way.
            if let Err(failure) = context.store.of(organization).note_spend_limit(mode, context.now()).await {
                tracing::warn!("the spend limit is not listed: {}", failure.log_text());
            }
        }
        "DESTINATION_PHONE_NUMBER_OPTED_OUT" if !is_simulated => context.publish(Metric::OptOutRefusals, 1),
        _ => {}
    }
}

/// Returns whether the simulated carrier has accepted a message, even if its response is lost.
fn is_taken(sent: &Result<String, CarrierError>) -> bool {
    sent.as_ref().map_or_else(CarrierError::is_outcome_unknown, |_| true)
}

/// Reports the receipts of a message that the simulated carrier has accepted.
async fn simulate_receipts(outbound: &Outbound, organization: &OrganizationId, sms: &Sms) -> Result<(), Failure> {
    let now = outbound.context.now();
    let job = |(update, delay): (String, Duration)| {
        let at = now.plus(delay);
        (Job::CarrierUpdate { v: VERSION, organization_id: Some(organization.clone()), at, update }, delay)
    };
    let jobs: Vec<_> = simulated_receipts(sms, now)?.into_iter().map(job).collect();
    outbound.queue.send_later(&jobs).await
}
