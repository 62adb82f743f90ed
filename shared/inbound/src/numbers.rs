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

/// Only what is newer than what is known of the same matter changes it.
fn is_news(at: Timestamp, known_at: Option<Timestamp>) -> bool {
    known_at.is_none_or(|known| at >= known)
}

/// The tier that an event tells of; `UPGRADE` and `DOWNGRADE` are about how many users may be written to.
fn tier(event: &str) -> Option<&'static str> {
    match event {
        "THROUGHPUT_UPGRADE" => Some("HIGH"),
        _ => None,
    }
}

impl Applying<'_> {
    async fn number_with_digits(&self, digits: &str) -> Result<Option<ChatPhoneNumber>, Failure> {
        let Some(wanted) = E164::from_digits_in(digits) else { return Ok(None) };
        let numbers = self.store.numbers_of_profile(&self.route.profile_id).await?;
        match numbers.into_iter().find(|number| number.display_phone_number == wanted) {
            Some(number) => self.store.chat_phone_number(&number.id).await,
            None => Ok(None),
        }
    }

    fn write_number(
        &self,
        before: &ChatPhoneNumber,
        apply: impl FnOnce(&mut ChatPhoneNumber, Timestamp),
    ) -> Result<Change, Failure> {
        let mut after = before.clone();
        apply(&mut after, self.said_at());
        if after == *before {
            return Ok(self.change());
        }
        after.revision += 1;
        after.updated_at = self.now;
        let mut change = self.once();
        change.update_chat_phone_number(before, &after, &[])?;
        Ok(change)
    }

    pub(crate) async fn quality(&self) -> Result<Change, Failure> {
        let told: Quality = read(&self.update.body)?;
        let Some(before) = self.number_with_digits(&told.display_phone_number).await? else {
            return Ok(self.change());
        };
        self.write_number(&before, |number, at| {
            if let Some(tier) = tier(&told.event).filter(|_| is_news(at, number.throughput_at)) {
                number.throughput_tier = Some(tier.to_owned());
                number.throughput_at = Some(at);
            }
            if is_news(at, number.quality_event_at) {
                number.quality_event = Some(told.event);
                number.quality_event_at = Some(at);
            }
        })
    }

    pub(crate) async fn name(&self) -> Result<Change, Failure> {
        let told: NameReview = read(&self.update.body)?;
        let Some(before) = self.number_with_digits(&told.display_phone_number).await? else {
            return Ok(self.change());
        };
        self.write_number(&before, |number, at| {
            if !is_news(at, number.name_decision_at) {
                return;
            }
            number.name_status = Some(told.decision);
            number.requested_verified_name = said(told.requested_verified_name);
            number.name_rejection_reason = said(told.rejection_reason).filter(|reason| reason != "NONE");
            number.name_decision_at = Some(at);
        })
    }
}
