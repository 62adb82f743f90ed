//! Linking phone numbers of the AWS account to organizations ([ADR 30](../../../docs/adr/0030-linked-numbers.md)). A link
//! is claimed first, then made at the carrier, and active last, so that an interrupted request can be repeated.

use std::collections::BTreeSet;

use carrier::{CALL_LIMIT, CarrierNumber, CarrierNumbers};
use domain::audit::{Entry, TargetKind};
use domain::id::{OrganizationId, PhoneNumberId};
use domain::identity::credential::hex;
use domain::number::PhoneNumber;
use domain::number::country::Country;
use domain::port::random_bytes;
use domain::sms::carrier_link::{Capability, CarrierLink, CarrierStatus, LinkState};
use domain::{E164, Failure, Mode, Open};
use store::{CarrierLease, Change};

use crate::{Operator, Reply};

impl From<PhoneNumber> for Reply {
    fn from(number: PhoneNumber) -> Self {
        Reply::PhoneNumber {
            carrier_status: number.carrier_status(),
            capabilities: number.capabilities(),
            country: number.country(),
            phone_number_id: number.id,
            number: number.number,
            countries: number.carrier.map(|link| link.countries).unwrap_or_default(),
        }
    }
}

impl Operator {
    pub(crate) async fn link_phone_number(
        &self,
        organization: &OrganizationId,
        number: &str,
        countries: Option<&[String]>,
    ) -> Result<Reply, Failure> {
        let number = E164::in_field(number, "number")?;
        let countries = countries.map(allowed_countries).transpose()?;
        let carrier = self.carrier.as_ref().ok_or_else(no_carrier)?;
        let found = carrier.find(&number).await?.ok_or_else(not_in_account)?;
        let link = new_link(carrier, &number, found, countries)?;

        let lease = CarrierLease::new(hex(&random_bytes::<16>(self.random.as_ref())), self.clock.now());
        let id = self.claim(organization, &number, &link, &lease).await?;
        let linked = match self.connect(carrier, organization, &link, &lease).await {
            Ok(()) => self.finish_link(organization, &id, &link, &lease).await,
            Err(failure) => Err(failure),
        };
        if linked.is_err() {
            // If this also fails, the lease expires by itself.
            let _ = self.store.of(organization).give_up_lease(&number, &lease).await;
        }
        linked.map(Reply::from)
    }

    /// Claims the number for the organization, and adds it if the organization does not have it. Returns its id.
    async fn claim(
        &self,
        organization: &OrganizationId,
        number: &E164,
        link: &CarrierLink,
        lease: &CarrierLease,
    ) -> Result<PhoneNumberId, Failure> {
        let org = &self.store.of(organization);
        let claim = || async move {
            let (now, seen) = (self.clock.now(), org.phone_number_of_digits(number).await?);
            let mut change = Change::new(organization);
            change.require_organization();
            let owned = seen.clone().unwrap_or_else(|| {
                let id = PhoneNumberId::mint(Mode::Live, now, self.random.as_ref());
                let new = PhoneNumber::new(id, number.clone(), BTreeSet::new(), now);
                PhoneNumber { carrier: Some(Box::new(link.clone())), ..new }
            });
            change.claim_carrier_number(&owned, lease, now)?;
            let state = seen.as_ref().and_then(|seen| seen.carrier.as_ref()).map(|link| link.state.clone());
            match (&seen, state) {
                (None, _) => change.create_phone_number(&owned, &[])?,
                (Some(seen), _) if seen.id.mode().is_test() => return Err(is_test_number()),
                (_, Some(state)) if state == LinkState::Releasing => return Err(is_being_released()),
                // It continues to send as before until the new link is complete.
                (_, Some(state)) if state == LinkState::Active => {}
                (Some(seen), _) => change.link_phone_number(seen, link, now)?,
            }
            Ok((change, owned.id))
        };
        self.store.settle(claim).await
    }

    async fn connect(
        &self,
        carrier: &CarrierNumbers,
        organization: &OrganizationId,
        link: &CarrierLink,
        lease: &CarrierLease,
    ) -> Result<(), Failure> {
        let list = organization.to_string();
        carrier.create_opt_out_list(&list).await?;
        if !lease.covers(self.clock.now(), CALL_LIMIT) {
            return Err(Failure::conflict("The carrier took too long. Repeat the request in a minute."));
        }
        carrier.connect(&link.carrier_id, &list).await
    }

    /// Makes the link active, unless the number was deleted or unlinked in the meantime.
    async fn finish_link(
        &self,
        organization: &OrganizationId,
        id: &PhoneNumberId,
        link: &CarrierLink,
        lease: &CarrierLease,
    ) -> Result<PhoneNumber, Failure> {
        let (org, link) = (&self.store.of(organization), &link.in_state(LinkState::Active));
        let finish = || async move {
            let (now, seen) = (self.clock.now(), org.phone_number(id).await?);
            let is_linked =
                |number: &PhoneNumber| number.carrier.as_ref().is_some_and(|link| link.state != LinkState::Releasing);
            let mut seen = seen.filter(is_linked).ok_or_else(was_released)?;
            let mut change = Change::new(organization);
            change.link_phone_number(&seen, link, now)?;
            change.end_lease(&seen.number, lease)?;
            change.enter(&self.number_entry("operator.linkPhoneNumber", &seen))?;
            seen.carrier = Some(Box::new(link.clone()));
            Ok((change, seen))
        };
        self.store.settle(finish).await
    }

    fn number_entry(&self, action: &'static str, number: &PhoneNumber) -> Entry {
        let shown = number.number.to_string();
        let entry = self.entry(action, number.id.mode()).about(TargetKind::PhoneNumber, &number.id);
        entry.field("number", None, Some(&shown))
    }

    /// Removes a number from its organization, as the organization's own request to delete it would. Succeeds if the
    /// organization does not have it, so that repeating is safe.
    pub(crate) async fn release_number(&self, organization: &OrganizationId, number: &str) -> Result<Reply, Failure> {
        let number = &E164::in_field(number, "number")?;
        let (org, now) = (&self.store.of(organization), self.clock.now());
        let release = || async move {
            let mut change = Change::new(organization);
            let Some(seen) = org.phone_number_of_digits(number).await? else { return Ok((change, None)) };
            let apps = org.apps_by_id(&seen.apps).await?;
            change.delete_phone_number(&seen, apps.iter().map(|app| &app.id), now)?;
            change.enter(&self.entry("operator.releaseNumber", seen.id.mode()).deleted(&seen))?;
            Ok((change, seen.carrier.is_some().then_some(CarrierStatus::Releasing)))
        };
        let carrier_status = self.store.settle(release).await?;
        tracing::info!(%organization, "a number was released");
        Ok(Reply::Released { number: number.clone(), carrier_status })
    }

    pub(crate) async fn unlink_phone_number(
        &self,
        organization: &OrganizationId,
        number: &str,
    ) -> Result<Reply, Failure> {
        let number = &E164::in_field(number, "number")?;
        let org = &self.store.of(organization);
        let unlink = || async move {
            let seen = org.phone_number_of_digits(number).await?.filter(|seen| !seen.id.mode().is_test());
            let mut seen = seen.ok_or_else(not_of_organization)?;
            let mut change = Change::new(organization);
            change.begin_release(&seen, self.clock.now())?;
            change.enter(&self.number_entry("operator.unlinkPhoneNumber", &seen))?;
            seen.carrier = seen.carrier.map(|link| Box::new(link.in_state(LinkState::Releasing)));
            Ok((change, seen))
        };
        self.store.settle(unlink).await.map(Reply::from)
    }
}

fn allowed_countries(codes: &[String]) -> Result<BTreeSet<Country>, Failure> {
    if codes.is_empty() {
        return Err(Failure::invalid(
            "countries",
            "Name at least one country, or leave out countries to allow the number's own.",
        ));
    }
    let country = |(index, code): (usize, &String)| {
        code.parse().ok().filter(|country: &Country| country.has_numbers()).ok_or_else(|| {
            let message =
                format!("\"{code}\" is not a country with phone numbers of its own. Use ISO codes such as US, CA, DE.");
            Failure::invalid(format!("countries[{index}]"), message)
        })
    };
    codes.iter().enumerate().map(country).collect()
}

/// Returns the new link of a carrier number. Fails if the number cannot be linked.
fn new_link(
    carrier: &CarrierNumbers,
    number: &E164,
    found: CarrierNumber,
    countries: Option<BTreeSet<Country>>,
) -> Result<CarrierLink, Failure> {
    if !found.is_active {
        let message = format!("AWS says that this number is {}. Link it when it is ACTIVE.", found.status);
        return Err(Failure::invalid("number", message));
    }
    if !found.capabilities.contains(&Capability::Sms) {
        return Err(Failure::invalid("number", "This number cannot send SMS messages."));
    }
    if let Some(pool) = found.pool {
        let message = format!(
            "This number is in the pool {pool}, and AWS only changes the pool. Take the number out of it first."
        );
        return Err(Failure::invalid("number", message));
    }
    if let Some(channel) = found.channel.filter(|channel| !carrier.is_own_topic(channel)) {
        let message = format!(
            "This number publishes what it receives to {channel}, which is not of this installation. Turn off its two-way messaging first."
        );
        return Err(Failure::invalid("number", message));
    }
    Ok(CarrierLink {
        state: LinkState::Linking.into(),
        carrier_id: found.id,
        capabilities: found.capabilities.into_iter().map(Open::from).collect(),
        country: found.country,
        // The country of a recipient is determined by its digits, and so is the number's own.
        countries: countries.unwrap_or_else(|| BTreeSet::from([Country::of(number).unwrap_or(found.country)])),
    })
}

fn no_carrier() -> Failure {
    Failure::conflict("This installation has no carrier. Deploy it with the parameter SmsCarrier=aws first.")
}

fn not_in_account() -> Failure {
    let message = "The AWS account of this installation has no such number in this region. Request it from AWS first.";
    Failure::not_found_with("number", message)
}

fn not_of_organization() -> Failure {
    Failure::not_found_with("number", "The organization has no such number.")
}

fn is_test_number() -> Failure {
    let message = "This is a test number of the organization, and test numbers are simulated. Delete it first.";
    Failure::conflict(message).with_param("number")
}

fn is_being_released() -> Failure {
    let message = "This number is being unlinked. Repeat the request in a minute or two.";
    Failure::conflict(message).with_param("number")
}

fn was_released() -> Failure {
    Failure::conflict("This number was deleted or unlinked meanwhile.").with_param("number")
}
