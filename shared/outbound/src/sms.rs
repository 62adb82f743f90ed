//! SMS messages: what must hold for one to be sent, which is checked when it is accepted and again when its turn comes,
//! and the attempt to send it.

use std::sync::Arc;
use std::time::Duration;

use aws::queue::{Job, VERSION};
use carrier::{Carrier, CarrierError, Sms, simulated_receipts};
use domain::id::{AppId, OrganizationId};
use domain::media::Media;
use domain::number::PhoneNumber;
use domain::sms::outgoing::{OutgoingSms, check_medium};
use domain::{ErrorCode, Failure, Timestamp};
use runtime::{Context, Metric};
use store::{OrganizationStore, StoredSms};

use crate::attempt::{Outbound, Posted, Ready};

/// An SMS message whose attempt is on record.
pub struct ReadySms<'a> {
    pub organization: &'a OrganizationId,
    pub carrier: Arc<dyn Carrier>,
    pub message: StoredSms,
    pub sms: Sms,
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
    pub fn sms(&self, organization: &OrganizationId, message: &StoredSms, medium: Option<&Media>) -> Sms {
        Sms {
            organization: organization.clone(),
            message: message.message.id.clone(),
            from: message.message.from.clone(),
            to: message.message.to.clone(),
            text: message.message.text.clone(),
            media_url: medium.map(|medium| self.presigner.location(organization, medium)),
        }
    }

    /// Checks a queued message again, right before it is sent. The inner error is why it must not be sent any more.
    pub async fn check_sms_again(
        &self,
        org: &OrganizationStore,
        number: &PhoneNumber,
        stored: &StoredSms,
    ) -> Result<Result<(Arc<dyn Carrier>, Sms), Failure>, Failure> {
        let content = stored.queued.as_ref().ok_or_else(|| Failure::internal("a queued message has no content"))?;
        let outgoing: OutgoingSms = serde_json::from_str(&content.content).map_err(Failure::internal)?;
        let app = stored.message.app_id.as_ref();
        let app = app.ok_or_else(|| Failure::internal("a queued message has no app"))?;
        let medium = async {
            match &outgoing.media_id {
                Some(id) => org.media(id).await,
                None => Ok(None),
            }
        };
        let (found, medium) = futures_util::try_join!(org.app(app), medium)?;
        let checked = || {
            let number = assigned_number(found.and(Some(number)), app)?;
            let carrier = self.carriers.of_mode(number.id.mode(), &self.context.store)?;
            number.expect_may_send_to(&outgoing.to)?;
            let medium = sent_medium(&outgoing, medium.as_ref(), app, self.context.now())?;
            Ok((carrier, self.sms(org.organization_id(), stored, medium)))
        };
        Ok(checked())
    }
}

impl Ready for ReadySms<'_> {
    type Message = StoredSms;

    fn organization(&self) -> &OrganizationId {
        self.organization
    }

    fn message(&self) -> &StoredSms {
        &self.message
    }

    async fn post(&mut self, outbound: &Outbound) -> Posted {
        let is_simulated = self.message.message.id.mode().is_test();
        let sent = self.carrier.send(&self.sms).await;
        if is_simulated && is_taken(&sent) {
            outbound.report_simulated(self.simulate_receipts(outbound)).await;
        }
        match sent {
            Ok(id) => Posted::Accepted(id),
            Err(error) if error.is_outcome_unknown() => {
                tracing::warn!(message = %self.message.message.id, "the outcome of an attempt is unknown: {error}");
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

impl ReadySms<'_> {
    /// Reports the receipts of a message that the simulated carrier has taken.
    async fn simulate_receipts(&self, outbound: &Outbound) -> Result<(), Failure> {
        let now = outbound.context.now();
        let receipts = simulated_receipts(&self.sms, now)?;
        let jobs: Vec<_> = receipts.into_iter().map(|receipt| self.job(receipt, now)).collect();
        outbound.queue.send_later(&jobs).await
    }

    fn job(&self, (receipt, delay): (String, Duration), now: Timestamp) -> (Job, Duration) {
        let at = now.plus(delay);
        (
            Job::CarrierUpdate { v: VERSION, organization_id: Some(self.organization.clone()), at, update: receipt },
            delay,
        )
    }
}
