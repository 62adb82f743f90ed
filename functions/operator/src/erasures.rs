//! The erasure of contacts ([ADR 42](../../../docs/adr/0042-erasure.md)). The operator begins an erasure and reads its
//! receipt; the worker performs it.

use domain::audit::TargetKind;
use domain::erasure::{BACKUPS_KEPT, ContactToErase, EVENTS_KEPT, Erasure, QUEUES_KEPT, RESPONSES_KEPT};
use domain::events::feed::READABLE;
use domain::id::OrganizationId;
use domain::time::in_days;
use domain::{Failure, Mode};
use store::Change;

use crate::shown::{Remaining, ShownErasure};
use crate::{Operator, Reply};

const KEPT: &[&str] = &[
    "The organization's opt-out list at the carrier: it protects the person from further messages.",
    "Blocked users: the platform keeps them, and DELETE /v1/chat/phone-numbers/{chatPhoneNumberId}/blocked-users removes them.",
    "The audit log: the last four characters of the phone number or user id, until its entries end.",
    "Files that apps have uploaded, until their own retention ends.",
];

impl Operator {
    pub(crate) async fn erase_contact(&self, organization: &OrganizationId, contact: &str) -> Result<Reply, Failure> {
        let contact = &ContactToErase::in_field(contact, "contact")?;
        let (org, now) = (&self.store.of(organization), self.clock.now());
        let begin = || async move {
            let mut change = Change::new(organization);
            let before = org.erasure(&contact.reference(organization)).await?;
            if let Some(running) = before.as_ref().filter(|before| before.is_running()) {
                return Ok((change, running.clone()));
            }
            let begun = Erasure::begin(organization, contact, before.as_ref(), now);
            change.require_organization();
            change.begin_erasure(before.as_ref(), &begun, now)?;
            let entry = self.entry("operator.eraseContact", Mode::Live);
            change.enter(&entry.about(TargetKind::Contact, &begun.contact_ends_with))?;
            Ok((change, begun))
        };
        let erasure = self.store.settle(begin).await?;
        tracing::info!(%organization, erasure = erasure.reference, runs = erasure.runs, "an erasure was requested");
        Ok(shown(organization, erasure))
    }

    pub(crate) async fn show_erasure(&self, organization: &OrganizationId, contact: &str) -> Result<Reply, Failure> {
        let contact = ContactToErase::in_field(contact, "contact")?;
        let erasure = self.store.of(organization).erasure(&contact.reference(organization)).await?;
        let erasure = erasure.ok_or_else(|| Failure::not_found("contact", "erasure of this contact"))?;
        Ok(shown(organization, erasure))
    }
}

fn shown(organization: &OrganizationId, erasure: Erasure) -> Reply {
    let until = |kept| erasure.finished_at.map(|at| at.plus(kept));
    let events = format!(
        "Events, feeds, deliveries, simulations and early updates of groups that name the person; nobody can read them after {} days.",
        in_days(READABLE)
    );
    let remaining = [
        (events.as_str(), EVENTS_KEPT),
        ("Responses stored for Idempotency-Key, sealed with the caller's credential.", RESPONSES_KEPT),
        ("Messages in queues and dead-letter queues.", QUEUES_KEPT),
        ("Backups of the table: of what was erased now.", BACKUPS_KEPT),
        ("Backups of the table: of events, feeds and deliveries.", EVENTS_KEPT + BACKUPS_KEPT),
    ];
    let remaining = remaining.into_iter().map(|(what, kept)| Remaining { what: what.to_owned(), until: until(kept) });
    Reply::Erasure(Box::new(ShownErasure {
        organization_id: organization.clone(),
        remaining: remaining.collect(),
        reference: erasure.reference,
        contact_ends_with: erasure.contact_ends_with,
        status: erasure.status,
        runs: erasure.runs,
        requested_at: erasure.requested_at,
        finished_at: erasure.finished_at,
        erased: erasure.erased,
        kept: KEPT,
    }))
}
