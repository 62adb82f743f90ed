//! What the platform tells of numbers without naming their id: they are found by their digits within the account.

use domain::chat::ChatPhoneNumber;
use domain::{E164, Failure, Timestamp};
use serde::Deserialize;
use store::Change;

use crate::apply::Applying;
use crate::wire::{read, said};

#[derive(Deserialize)]
struct Quality {
    display_phone_number: String,
    event: String,
}

#[derive(Deserialize)]
struct NameReview {
    display_phone_number: String,
    decision: String,
    requested_verified_name: Option<String>,
    rejection_reason: Option<String>,
}

/// The tier that an event tells of.
fn tier(event: &str) -> Option<&'static str> {
    match event {
        "THROUGHPUT_UPGRADE" | "UPGRADE" => Some("HIGH"),
        "DOWNGRADE" => Some("STANDARD"),
        _ => None,
    }
}

impl Applying<'_> {
    async fn number_with_digits(&self, digits: &str) -> Result<Option<ChatPhoneNumber>, Failure> {
        let Some(wanted) = E164::from_digits_in(digits) else { return Ok(None) };
        let numbers = self.inbox.context.store.numbers_of_profile(self.organization(), &self.route.profile_id).await?;
        Ok(numbers.into_iter().find(|number| number.display_phone_number == wanted))
    }

    /// Only what is newer than what is known of the same matter changes it.
    fn write_number(
        &self,
        before: &ChatPhoneNumber,
        known_at: Option<Timestamp>,
        apply: impl FnOnce(&mut ChatPhoneNumber, Timestamp),
    ) -> Result<Change, Failure> {
        let at = self.said_at();
        if known_at.is_some_and(|known| at < known) {
            return Ok(Change::new());
        }
        let mut after = before.clone();
        apply(&mut after, at);
        after.revision += 1;
        after.updated_at = self.now;
        let mut change = self.once();
        change.update_chat_phone_number(self.organization(), before, &after)?;
        Ok(change)
    }

    pub(crate) async fn quality(&self) -> Result<Change, Failure> {
        let told: Quality = read(&self.update.body)?;
        let Some(before) = self.number_with_digits(&told.display_phone_number).await? else { return Ok(Change::new()) };
        self.write_number(&before, before.quality_event_at, |number, at| {
            number.throughput_tier = tier(&told.event).map(str::to_owned).or(number.throughput_tier.take());
            number.quality_event = Some(told.event);
            number.quality_event_at = Some(at);
        })
    }

    pub(crate) async fn name(&self) -> Result<Change, Failure> {
        let told: NameReview = read(&self.update.body)?;
        let Some(before) = self.number_with_digits(&told.display_phone_number).await? else { return Ok(Change::new()) };
        self.write_number(&before, before.name_decision_at, |number, at| {
            number.name_status = Some(told.decision);
            number.requested_verified_name = said(told.requested_verified_name);
            number.name_rejection_reason = said(told.rejection_reason).filter(|reason| reason != "NONE");
            number.name_decision_at = Some(at);
        })
    }
}
