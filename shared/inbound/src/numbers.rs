//! Updates of phone numbers. They do not contain the number's id, so the number is found by its digits within the
//! account.

use domain::chat::ChatPhoneNumber;
use domain::{E164, Failure, Timestamp};
use serde::Deserialize;
use store::Change;

use crate::apply::UpdateHandler;
use crate::wire::{non_empty, read};

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
        let sent: Quality = read(&self.update.body)?;
        let Some(before) = self.number_with_digits(&sent.display_phone_number).await? else {
            return Ok(self.change());
        };
        self.write_number(&before, |number, at| {
            if let Some(tier) = tier(&sent.event).filter(|_| is_newer(at, number.throughput_at)) {
                number.throughput_tier = Some(tier.to_owned());
                number.throughput_at = Some(at);
            }
            if is_newer(at, number.quality_event_at) {
                number.quality_event = Some(sent.event);
                number.quality_event_at = Some(at);
            }
        })
    }

    pub(crate) async fn name(&self) -> Result<Change, Failure> {
        let sent: NameReview = read(&self.update.body)?;
        let Some(before) = self.number_with_digits(&sent.display_phone_number).await? else {
            return Ok(self.change());
        };
        self.write_number(&before, |number, at| {
            if !is_newer(at, number.name_decision_at) {
                return;
            }
            number.name_status = Some(sent.decision);
            number.requested_verified_name = non_empty(sent.requested_verified_name);
            number.name_rejection_reason = non_empty(sent.rejection_reason).filter(|reason| reason != "NONE");
            number.name_decision_at = Some(at);
        })
    }
}
