//! Updates of phone numbers. They do not contain the number's id, so the number is found by its digits: within the
//! account, or else among all numbers of the organization, because numbers move between accounts.

use domain::chat::{ChatPhoneNumber, ReviewOutcome};
use domain::{Failure, Timestamp};
use store::Change;

use crate::apply::UpdateHandler;
use crate::wire::phone;

/// Returns whether an update is at least as new as the stored value of the same attribute.
fn is_newer(at: Timestamp, known_at: Option<Timestamp>) -> bool {
    known_at.is_none_or(|known| at >= known)
}

/// Returns the throughput tier after an event. `UPGRADE` and `DOWNGRADE` do not change it: they concern the messaging
/// limit.
fn tier(event: &str) -> Option<&'static str> {
    match event {
        "THROUGHPUT_UPGRADE" => Some("HIGH"),
        _ => None,
    }
}

impl UpdateHandler<'_> {
    async fn number_with_digits(&self, digits: Option<String>) -> Result<Option<ChatPhoneNumber>, Failure> {
        let Some(wanted) = phone(digits.as_deref()) else { return Ok(None) };
        let numbers = self.store.numbers_of_profile(&self.route.profile_id).await?;
        match numbers.into_iter().find(|number| number.display_phone_number == wanted) {
            Some(number) => self.store.chat_phone_number(&number.id).await,
            None => {
                let mode = self.profile().await?.mode;
                self.store.chat_phone_number_with_digits(mode, &wanted).await
            }
        }
    }

    fn write_number(
        &self,
        before: &ChatPhoneNumber,
        apply: impl FnOnce(&mut ChatPhoneNumber, Timestamp),
    ) -> Result<Change, Failure> {
        let mut after = before.clone();
        apply(&mut after, self.reported_at());
        if after == *before {
            return Ok(self.change());
        }
        after.revision += 1;
        after.updated_at = self.now;
        let mut change = self.idempotent_change();
        change.update_chat_phone_number(before, &after, &[])?;
        Ok(change)
    }

    pub(crate) async fn quality(&self) -> Result<Change, Failure> {
        let ((digits, event), _) = self.read(|update| (update.text("display_phone_number"), update.text("event")))?;
        let Some(event) = event else { return Ok(self.change()) };
        let Some(before) = self.number_with_digits(digits).await? else { return Ok(self.change()) };
        self.write_number(&before, |number, at| {
            if let Some(tier) = tier(&event).filter(|_| is_newer(at, number.throughput_at)) {
                number.throughput_tier = Some(tier.to_owned());
                number.throughput_at = Some(at);
            }
            if is_newer(at, number.quality_event_at) {
                match event.as_str() {
                    "FLAGGED" => number.flagged_at = number.flagged_at.or(Some(at)),
                    "UNFLAGGED" | "UPGRADE" => number.flagged_at = None,
                    _ => {}
                }
                number.quality_event = Some(event);
                number.quality_event_at = Some(at);
            }
        })
    }

    pub(crate) async fn name(&self) -> Result<Change, Failure> {
        let names = ["display_phone_number", "decision", "requested_verified_name", "rejection_reason"];
        let ([digits, decision, requested, reason], _) = self.read(|update| names.map(|name| update.text(name)))?;
        let decision = ReviewOutcome::of_platform(&decision.unwrap_or_default());
        let Some(decision) = self.outcome("name decision", decision) else { return Ok(self.change()) };
        let Some(before) = self.number_with_digits(digits).await? else { return Ok(self.change()) };
        self.write_number(&before, |number, at| {
            if !is_newer(at, number.name_decision_at) {
                return;
            }
            number.name_status = Some(decision.as_str().to_owned());
            number.requested_verified_name = requested;
            number.name_rejection_reason = reason.filter(|reason| reason != "NONE");
            number.name_decision_at = Some(at);
        })
    }
}
