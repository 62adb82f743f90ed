//! Claims on carrier numbers, and the links that they protect ([ADR 30](../../../../docs/adr/0030-linked-numbers.md)).
//! A claim is an item under the number's digits, unique across the installation. It names the organization that the
//! number sends and receives for, and it exists exactly as long as the organization's number has a link. A link or
//! release holds the claim's lease while it changes the number at the carrier, so that a late call cannot undo later
//! changes.

use std::time::Duration;

use domain::due::DueClass;
use domain::id::{OrganizationId, PhoneNumberId};
use domain::number::PhoneNumber;
use domain::sms::carrier_link::{CarrierLink, LinkState};
use domain::{E164, Failure, Timestamp};
use serde::{Deserialize, Serialize};

use crate::attention::Needing as _;
use crate::engine::change::{Change, Refused, absent_or, fail_with, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{Item, entity, number, value};
use crate::limits::counter::Counter;
use crate::{OrganizationStore, Reads, Store, keys};

/// How long a lease lasts. Longer than the carrier's calls of one link or release may take together.
const LEASE: Duration = Duration::from_secs(60);

/// The owner of a carrier number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CarrierClaim {
    pub organization_id: OrganizationId,
    pub number_id: PhoneNumberId,
    /// When the organization claimed the number. Messages that were sent to the number earlier were for its previous
    /// holder.
    pub since: Timestamp,
}

/// The lease of a claim, of one link or release.
#[derive(Clone, Debug)]
pub struct CarrierLease {
    token: String,
    ends_at: Timestamp,
}

/// The result of taking a claim's lease.
#[derive(Debug)]
pub enum ClaimToRelease {
    Held(CarrierLease),
    /// Another link or release holds the lease.
    Busy,
    /// The organization has no claim on the number.
    Gone,
}

impl CarrierLease {
    /// Returns a new lease; `token` is random.
    pub fn new(token: String, now: Timestamp) -> Self {
        CarrierLease { token, ends_at: now.plus(LEASE) }
    }

    /// Returns whether a call of the carrier that takes at most `limit` is over before the lease ends.
    pub fn covers(&self, now: Timestamp, limit: Duration) -> bool {
        now.plus(limit) < self.ends_at
    }
}

impl Store {
    /// Returns the owner of a carrier number: the organization that receives the messages to it.
    pub async fn carrier_claim(&self, number: &E164) -> Result<Option<CarrierClaim>, Failure> {
        self.table.get(&keys::carrier_number(number)).await?.map(entity).transpose()
    }
}

/// The organization's record of a number's digits.
#[derive(Deserialize)]
struct DigitsRecord {
    id: PhoneNumberId,
}

impl Reads {
    /// Returns the organization's number with these digits, of either mode.
    pub async fn phone_number_of_digits(&self, number: &E164) -> Result<Option<PhoneNumber>, Failure> {
        let record = self.table.get(&keys::phone_number_claim(&self.organization, number)).await?;
        match record.map(entity::<DigitsRecord>).transpose()? {
            Some(record) => self.phone_number(&record.id).await,
            None => Ok(None),
        }
    }
}

impl OrganizationStore {
    /// Takes the lease of the claim on a number that is to be released.
    pub async fn hold_claim(
        &self,
        number: &E164,
        lease: CarrierLease,
        now: Timestamp,
    ) -> Result<ClaimToRelease, Failure> {
        let update = leased(Update::new(keys::carrier_number(number)), &lease, now)?
            .when("#organizationId = :organization")
            .value(":organization", value(&self.organization)?);
        let Err(found) = self.table.try_update(update).await? else { return Ok(ClaimToRelease::Held(lease)) };
        let claim = found.filter(|item| !item.is_empty()).map(entity::<CarrierClaim>).transpose()?;
        let is_ours = claim.is_some_and(|claim| claim.organization_id == self.organization);
        Ok(if is_ours { ClaimToRelease::Busy } else { ClaimToRelease::Gone })
    }

    /// Releases a lease, so that the next link or release need not wait for its end.
    pub async fn give_up_lease(&self, number: &E164, lease: &CarrierLease) -> Result<(), Failure> {
        let update = ended(Update::new(keys::carrier_number(number)), lease)?;
        self.table.try_update(update).await.map(|_| ())
    }
}

/// Takes the lease, if it is free. It also succeeds for the holder, whose first response may have been lost.
fn leased(update: Update, lease: &CarrierLease, now: Timestamp) -> Result<Update, Failure> {
    Ok(update
        .set("lease", &lease.token)?
        .set_value("leaseUntil", number(lease.ends_at.millis()))
        .when("attribute_not_exists(#leaseUntil) OR #leaseUntil <= :now OR #lease = :mine")
        .value(":now", number(now.millis()))
        .value(":mine", value(&lease.token)?))
}

/// Ends the lease, if it is still held.
fn ended(update: Update, lease: &CarrierLease) -> Result<Update, Failure> {
    Ok(update.remove("lease").remove("leaseUntil").when("#lease = :mine").value(":mine", value(&lease.token)?))
}

fn busy() -> Failure {
    Failure::conflict("This number is being linked or unlinked. Repeat the request in a minute.").with_param("number")
}

impl Change {
    /// Claims a carrier number for the organization and takes the claim's lease. Fails if another organization has the
    /// number, or if it is being linked or unlinked.
    pub fn claim_carrier_number(
        &mut self,
        owned: &PhoneNumber,
        lease: &CarrierLease,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let update = leased(Update::new(keys::carrier_number(&owned.number)), lease, now)?
            .set("organizationId", &self.organization)?
            .set("numberId", &owned.id)?
            .set_if_absent("since", &now)?
            .set("v", &1)?
            .when("attribute_not_exists(#organizationId) OR #organizationId = :organization")
            .value(":organization", value(&self.organization)?);
        let organization = self.organization.to_string();
        let taken = move |item: Option<&Item>| {
            let owner = item.and_then(|item| item.get("organizationId")?.as_s().ok());
            let message = "This number is linked to another organization. Unlink it there first.";
            Refused::With(match owner {
                Some(owner) if *owner != organization => Failure::already_exists("number", message),
                _ => busy(),
            })
        };
        self.update(update, Box::new(taken));
        Ok(())
    }

    /// Links a number, or changes its link. Stale if the number has changed since it was read.
    pub fn link_phone_number(&mut self, seen: &PhoneNumber, link: &CarrierLink, now: Timestamp) -> Result<(), Failure> {
        let update = self.changed_number(seen, now)?.set("carrier", link)?;
        self.update(update, stale());
        Ok(())
    }

    /// Ends the lease of a claim. Fails if the lease has ended and another link or release has taken it.
    pub fn end_lease(&mut self, number: &E164, lease: &CarrierLease) -> Result<(), Failure> {
        let update = ended(Update::new(keys::carrier_number(number)), lease)?;
        self.update(update, fail_with(busy));
        Ok(())
    }

    /// Begins to release a number: it no longer sends, and the sweep gets it unlinked. Does nothing if the release has
    /// begun. Stale if the number has changed since it was read.
    pub fn begin_release(&mut self, seen: &PhoneNumber, now: Timestamp) -> Result<(), Failure> {
        let Some(link) = seen.carrier.as_ref().filter(|link| link.state != LinkState::Releasing) else { return Ok(()) };
        let releasing = &link.in_state(LinkState::Releasing);
        let update = self.changed_number(seen, now)?.set("carrier", releasing)?.set("lineResetAt", &now)?;
        self.update(update.due(DueClass::Numbers, now), stale());
        self.attend_release(seen, releasing, now)
    }

    /// Lists a number that takes long to be released.
    fn attend_release(&mut self, seen: &PhoneNumber, releasing: &CarrierLink, now: Timestamp) -> Result<(), Failure> {
        let carrier = Some(Box::new(releasing.clone()));
        let after = PhoneNumber { carrier, line_reset_at: Some(now), ..seen.clone() };
        self.attend(&seen.needs(), &after.needs())
    }

    /// Deletes a linked number for the organization: removes it from its apps and begins to release it. Its item is
    /// deleted when the release ends. Stale if the number has changed since it was read.
    pub(crate) fn delete_linked(
        &mut self,
        seen: &PhoneNumber,
        link: &CarrierLink,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let releasing = &link.in_state(LinkState::Releasing);
        let update = self
            .changed_number(seen, now)?
            .set("carrier", releasing)?
            .set("isDeleted", &true)?
            .set("lineResetAt", &now)?
            .remove("apps")
            .remove("assignedAt")
            .due(DueClass::Numbers, now);
        self.update(update, stale());
        self.attend_release(seen, releasing, now)
    }

    /// Ends a release: deletes the number if the organization deleted it, otherwise only its link, and the claim if the
    /// organization holds it. Stale if the number has changed since it was read.
    pub fn finish_release(
        &mut self,
        seen: &PhoneNumber,
        lease: Option<&CarrierLease>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        self.attend(&seen.needs(), &[])?;
        if seen.is_deleted {
            let as_seen = Condition::new("#revision = :seen").value(":seen", number(seen.revision));
            self.delete(keys::phone_number(&self.organization, &seen.id), as_seen, stale());
            self.delete_any(keys::phone_number_claim(&self.organization, &seen.number));
            self.uncount(Counter::PhoneNumbers, seen.id.mode());
            self.remember_former_numbers(&seen.id.to_string(), vec![seen.id.to_string()], now)?;
        } else {
            let update = self.changed_number(seen, now)?.remove("carrier").not_due();
            self.update(update, stale());
        }
        if let Some(lease) = lease {
            let held = Condition::new("#lease = :mine").value(":mine", value(&lease.token)?);
            self.delete(keys::carrier_number(&seen.number), held, absent_or(busy, |_| Refused::With(busy())));
        }
        Ok(())
    }

    fn changed_number(&self, seen: &PhoneNumber, now: Timestamp) -> Result<Update, Failure> {
        Ok(Update::new(keys::phone_number(&self.organization, &seen.id))
            .add("revision", 1)
            .set("updatedAt", &now)?
            .when("#revision = :seen")
            .value(":seen", number(seen.revision)))
    }
}
