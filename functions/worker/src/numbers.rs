//! Unlinks phone numbers from the carrier: numbers that were deleted, and those that the operator unlinks. The claim is
//! deleted last, so that no other organization can link the number before ([ADR
//! 30](../../../docs/adr/0030-linked-numbers.md)).

use carrier::CALL_LIMIT;
use domain::Failure;
use domain::id::{OrganizationId, PhoneNumberId};
use domain::identity::credential::hex;
use domain::number::PhoneNumber;
use domain::port::random_bytes;
use domain::sms::carrier_link::LinkState;
use store::{CarrierLease, Change, ClaimToRelease};

use crate::Worker;

impl Worker {
    /// Unlinks a number. Does nothing if it is not waiting to be unlinked, for instance because another run has done
    /// it.
    pub(crate) async fn release_number(
        &self,
        organization: &OrganizationId,
        id: &PhoneNumberId,
    ) -> Result<(), Failure> {
        let context = &self.inbox.context;
        let org = context.store.of(organization);
        let Some(number) = org.phone_number(id).await?.filter(is_releasing) else { return Ok(()) };

        let lease = CarrierLease::new(hex(&random_bytes::<16>(context.random())), context.now());
        let lease = match org.hold_claim(&number.number, lease, context.now()).await? {
            ClaimToRelease::Held(lease) => Some(lease),
            ClaimToRelease::Busy => return Err(Failure::unavailable("the number is being linked or unlinked")),
            // Only a manual intervention can cause this. The number at the carrier no longer belongs to the
            // organization.
            ClaimToRelease::Gone => None,
        };
        if let Some(lease) = &lease {
            self.disconnect(organization, &number, lease).await?;
        }

        let finish = || async {
            let mut change = Change::new(organization);
            if let Some(seen) = org.phone_number(id).await?.filter(is_releasing) {
                change.finish_release(&seen, lease.as_ref(), context.now())?;
            }
            Ok((change, ()))
        };
        context.store.settle(finish).await
    }

    /// Unlinks a number at the carrier. After a failure the lease is released, so that the next run need not wait for
    /// its end.
    async fn disconnect(
        &self,
        organization: &OrganizationId,
        number: &PhoneNumber,
        lease: &CarrierLease,
    ) -> Result<(), Failure> {
        let disconnected = self.disconnect_under(organization, number, lease).await;
        if disconnected.is_err() {
            let _ = self.inbox.context.store.of(organization).give_up_lease(&number.number, lease).await;
        }
        disconnected
    }

    async fn disconnect_under(
        &self,
        organization: &OrganizationId,
        number: &PhoneNumber,
        lease: &CarrierLease,
    ) -> Result<(), Failure> {
        let Some(link) = &number.carrier else { return Ok(()) };
        let no_carrier = || Failure::internal("a linked number waits to be unlinked, but no carrier is configured");
        let numbers = self.numbers.as_ref().ok_or_else(no_carrier)?;
        let list = organization.to_string();
        if !numbers.is_connected(&link.carrier_id, &list).await? {
            return Ok(());
        }
        if !lease.covers(self.inbox.context.now(), CALL_LIMIT) {
            return Err(Failure::unavailable("the carrier took too long"));
        }
        numbers.disconnect(&link.carrier_id).await
    }
}

fn is_releasing(number: &PhoneNumber) -> bool {
    number.carrier.as_ref().is_some_and(|link| link.state == LinkState::Releasing)
}
