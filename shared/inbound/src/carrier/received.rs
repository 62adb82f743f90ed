//! Received messages. They name no organization: it is found by the number that they were sent to. Keywords such as
//! STOP are messages like others; the carrier keeps the opt-outs.

use std::time::Duration;

use domain::events::event::EventName;
use domain::id::{Identifier as _, OrganizationId, PhoneNumberId, SmsMessageId};
use domain::identity::credential::hex;
use domain::message::Direction;
use domain::message::step::Step;
use domain::number::PhoneNumber;
use domain::sms::SmsMessage;
use domain::{E164, Failure, Mode};
use ring::digest::{SHA256, digest};
use runtime::logging::about;
use store::{Change, SmsRecord, Stored};
use tracing::Instrument as _;

use super::wire::ReceivedMessage;
use super::{CarrierUpdate, Reporter};
use crate::Inbox;
use crate::apply::Decision;
use crate::wire::unreadable;

/// How far the clocks of the carrier and of this service may differ.
const CLOCKS: Duration = Duration::from_secs(5);

impl Inbox {
    pub(super) async fn apply_received(&self, update: &CarrierUpdate, sent: &ReceivedMessage) -> Result<(), Failure> {
        let (Some(from), Some(to)) = (&sent.from, &sent.to) else {
            return Err(unreadable("a received SMS has no E.164 numbers"));
        };
        let Some((organization, number)) = self.owner_of(update, to).await? else {
            self.drop_carrier_update(
                &update.reporter,
                "an SMS was received for a number that no organization has linked",
            );
            return Ok(());
        };

        let (organization, number) = (&organization, &number);
        let decide = |_| self.store_received(update, organization, number, sent, from);
        self.settle(decide).instrument(about(organization, None)).await.map(drop)
    }

    /// Returns the organization that had a number at the carrier when a message arrived, and the number. Since then,
    /// the message may have waited while the number was linked to another organization.
    async fn owner_of(
        &self,
        update: &CarrierUpdate,
        to: &E164,
    ) -> Result<Option<(OrganizationId, PhoneNumber)>, Failure> {
        let store = &self.context.store;
        let (organization, number) = match &update.reporter {
            Reporter::Live => {
                let claim = store.carrier_claim(to).await?;
                let Some(claim) = claim.filter(|claim| claim.since <= update.at.plus(CLOCKS)) else { return Ok(None) };
                let number = store.of(&claim.organization_id).phone_number(&claim.number_id).await?;
                (claim.organization_id, number)
            }
            Reporter::Simulated(organization) => {
                let number = store.of(organization).phone_number_of_digits(to).await?;
                (organization.clone(), number.filter(|number| number.id.mode() == Mode::Test))
            }
        };
        Ok(number.filter(|number| !number.is_deleted).map(|number| (organization, number)))
    }

    /// Stores a message, once for each of the carrier's ids. It belongs to an app if its number is assigned to exactly
    /// one.
    async fn store_received(
        &self,
        update: &CarrierUpdate,
        organization: &OrganizationId,
        number: &PhoneNumber,
        sent: &ReceivedMessage,
        from: &E164,
    ) -> Result<Decision, Failure> {
        let now = self.context.now();
        let retention = self.context.store.of(organization).message_retention().await?;
        let id = SmsMessageId::mint(number.id.mode(), now, self.context.random());
        let (from, to) = (from.clone(), number.number.clone());
        let mut message = SmsMessage::blank(id, &number.id, Direction::Inbound, from, to, now);
        message.received_at = Some(update.at);
        message.text.clone_from(&sent.text);
        message.app_id = number.apps.iter().next().filter(|_| number.apps.len() == 1).cloned();

        let mut change = Change::new(organization);
        let own = sent.carrier_id.clone().unwrap_or_else(|| format!("{}\n{}", update.at, update.text));
        change.once_making(&identity(&number.id, &own), message.id.as_str(), now);
        let event = self.sms_event(EventName::MessagesSmsReceived, &message)?;
        let mut stored = Stored::new(SmsRecord::new(message), retention);
        stored.add_step(Step::event(EventName::MessagesSmsReceived, &event.id));
        change.emit(&event)?;
        change.create_message(&stored)?;
        Ok(Decision::from(change))
    }
}

/// Returns the identity of a message, which its repetitions share. `own` is the carrier's id or, without one, the whole
/// message.
pub(super) fn identity(number: &PhoneNumberId, own: &str) -> String {
    hex(digest(&SHA256, format!("sms\n{number}\n{own}").as_bytes()).as_ref())
}
