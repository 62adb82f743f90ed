//! Receipts of sent messages. Every message is sent with its organization and id as context, which the carrier repeats
//! in each receipt. So a receipt finds its message without a lookup, even if the response to the message is late or lost.

use domain::Failure;
use domain::message::Direction;
use domain::message::step::Step;
use domain::sms::receipt::{Progress, Receipt};
use runtime::logging::about;
use store::{Change, StoredSms};
use tracing::Instrument as _;

use super::Reporter;
use super::wire::SentReceipt;
use crate::Inbox;
use crate::apply::Decision;

impl Inbox {
    pub(super) async fn apply_receipt(&self, reporter: &Reporter, sent: &SentReceipt) -> Result<(), Failure> {
        let named = sent.named.as_ref().filter(|(organization, id)| reporter.reports_about(organization, id.mode()));
        let Some((organization, id)) = named else {
            self.drop_carrier_update(reporter, "a receipt names a message that this carrier cannot report about");
            return Ok(());
        };

        let progress = sent.progress().unwrap_or_else(|| {
            self.count_unknown_event(reporter, &sent.event_type);
            Progress::Taken
        });
        let receipt = Receipt {
            progress,
            at: sent.at.unwrap_or_else(|| self.context.now()),
            parts: sent.parts,
            price: sent.price.clone(),
        };
        let receipt = &receipt;

        let decide = |is_first| async move {
            let change = Change::new(organization);
            let stored = self.context.store.of(organization).message(id).await?;
            match stored.filter(|stored| is_about(sent, stored)) {
                Some(before) => self.record(change, before, sent, receipt).map(Decision::from),
                None => {
                    if is_first {
                        self.drop_carrier_update(reporter, "a receipt names a message that was not sent so");
                    }
                    Ok(Decision::from(change))
                }
            }
        };
        self.settle(decide).instrument(about(organization, None)).await.map(drop)
    }

    /// Writes the changes by the receipt, with the event that reports them.
    fn record(
        &self,
        mut change: Change,
        before: StoredSms,
        sent: &SentReceipt,
        receipt: &Receipt,
    ) -> Result<Change, Failure> {
        let (mut after, now) = (before.clone(), self.context.now());
        if let Some(id) = &sent.carrier_id {
            after.carried.carrier_message_id.get_or_insert_with(|| id.clone());
        }
        let event = after.message.record(receipt, now);
        if after == before {
            return Ok(change);
        }
        after.kept.revision += 1;
        after.note_outcome(Some(&before), now);
        if let Some(kind) = event {
            let event = self.sms_event(kind, &after.message)?;
            after.add_step(Step::event(kind, &event.id));
            change.emit(&event)?;
        }
        change.update_message(&before, &after)?;
        Ok(change)
    }
}

/// Returns whether a receipt can be about the message: an attempt to send it has begun, and numbers and the carrier's
/// id are the same, as far as both are known. Everyone in the AWS account with permission to send can name any message.
fn is_about(sent: &SentReceipt, stored: &StoredSms) -> bool {
    let message = &stored.message;
    let known = stored.carried.carrier_message_id.as_ref().zip(sent.carrier_id.as_ref());
    let is_same_id = known.is_none_or(|(known, reported)| known == reported);
    let was_sent = message.direction == Direction::Outbound && stored.kept.attempt_id.is_some();
    was_sent && is_same_id && sent.is_between(&message.from, &message.to)
}
