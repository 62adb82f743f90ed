//! Statuses of outbound messages. The platform repeats and reorders status updates, so applying them is idempotent and
//! independent of their order: for each recipient and status the earliest time counts, and only the first update with a
//! status causes an event.

mod update;

use super::{ChatMessage, ConversationWindow, Recipient, RecipientStatus};
use crate::Timestamp;
use crate::event::EventName;

pub use update::{ConversationNote, RecipientRef, StatusError, StatusUpdate};

/// A message with the records that status updates change.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracked {
    pub message: ChatMessage,
    pub recipients: Vec<Recipient>,
    pub window: Option<ConversationWindow>,
}

impl Tracked {
    /// Applies one status update. Returns the event to send if this is the first update of the recipient with this
    /// status.
    pub fn record(&mut self, update: &StatusUpdate, now: Timestamp) -> Option<EventName> {
        let before = self.clone();
        let id = update.recipient.id.clone().unwrap_or_else(|| format!("{}_recipient", self.message.id));
        let position = self.recipients.iter().position(|recipient| recipient.id == id);
        let position = position.unwrap_or_else(|| {
            self.recipients.push(new_recipient(id, update.status, now));
            self.recipients.len() - 1
        });
        let recipient = &mut self.recipients[position];
        keep_lower(&mut recipient.phone_number, update.recipient.phone_number.as_ref());
        if update.recipient.id.is_none() {
            keep_lower(&mut self.message.to_phone_number, recipient.phone_number.as_ref());
        }
        let time = time_of(recipient, update.status);
        let is_first_sight = time.is_none();
        if time.is_none_or(|seen| update.at < seen) {
            *time = Some(update.at);
            // A status that only a later release knows is kept, because its rank is not known here.
            if recipient.status.known().is_some() {
                recipient.status = highest_status(recipient).into();
            }
        }
        self.note_error(position, update);
        self.summarize();
        self.note_conversation(update, now);
        self.recipients.sort_by(|a, b| a.id.cmp(&b.id));
        if *self != before {
            self.touch(&before, now);
        }
        event(update.status).filter(|_| is_first_sight)
    }

    /// Records the error of a failure. If failures of the same recipient disagree, the lower error code is kept, so
    /// that the result does not depend on their order.
    fn note_error(&mut self, position: usize, update: &StatusUpdate) {
        let (RecipientStatus::Failed, Some(error)) = (update.status, &update.error) else { return };
        let recipient = &mut self.recipients[position];
        let known = recipient.error_code.clone().map(|code| (code, recipient.error_message.clone()));
        let new = (error.code.clone(), error.message.clone());
        if known.is_none_or(|known| new < known) {
            (recipient.error_code, recipient.error_message) = (Some(new.0), new.1);
        }
        let message = &mut self.message;
        let known = message.error_code.clone().map(|code| StatusError {
            code,
            title: message.error_title.clone(),
            message: message.error_message.clone(),
            details: message.error_details.clone(),
        });
        if known.is_none_or(|known| *error < known) {
            message.error_code = Some(error.code.clone());
            message.error_title.clone_from(&error.title);
            message.error_message.clone_from(&error.message);
            message.error_details.clone_from(&error.details);
        }
    }

    /// Sets the times of the message to the earliest ones of its recipients.
    fn summarize(&mut self) {
        let earliest = |time: fn(&Recipient) -> Option<Timestamp>| self.recipients.iter().filter_map(time).min();
        let (queued, delivered) = (earliest(|r| r.queued_at), earliest(|r| r.delivered_at));
        let (sent, read, failed) = (earliest(|r| r.sent_at), earliest(|r| r.read_at), earliest(|r| r.failed_at));
        let message = &mut self.message;
        (message.queued_at, message.sent_at, message.delivered_at) = (queued, sent, delivered);
        (message.read_at, message.failed_at) = (read, failed);
    }

    /// Records the conversation and its price. A message has only one of each, and each status update may contain a
    /// part of them. If updates disagree, the lower value is kept, so that the result does not depend on their order.
    fn note_conversation(&mut self, update: &StatusUpdate, now: Timestamp) {
        let Some(note) = &update.conversation else { return };
        let own_id = self.message.id.to_string();
        let window = self.window.get_or_insert_with(|| ConversationWindow {
            id: own_id.clone(),
            origin_type: None,
            pricing_model: None,
            pricing_category: None,
            pricing_billable: None,
            started_at: None,
            expires_at: None,
            created_at: now,
        });
        if let Some(id) = &note.id
            && (window.id == own_id || *id < window.id)
        {
            window.id.clone_from(id);
        }
        keep_lower(&mut window.origin_type, note.origin_type.as_ref());
        keep_lower(&mut window.pricing_model, note.pricing_model.as_ref());
        keep_lower(&mut window.pricing_category, note.pricing_category.as_ref());
        keep_lower(&mut window.pricing_billable, note.pricing_billable.as_ref());
        keep_lower(&mut window.expires_at, note.expires_at.as_ref());
        keep_lower(&mut window.started_at, Some(&update.at));
    }

    fn touch(&mut self, before: &Tracked, now: Timestamp) {
        self.message.updated_at = now;
        for recipient in &mut self.recipients {
            if !before.recipients.contains(recipient) {
                recipient.updated_at = now;
            }
        }
    }
}

fn keep_lower<T: Ord + Clone>(known: &mut Option<T>, new: Option<&T>) {
    if let Some(new) = new
        && known.as_ref().is_none_or(|known| new < known)
    {
        *known = Some(new.clone());
    }
}

fn new_recipient(id: String, status: RecipientStatus, now: Timestamp) -> Recipient {
    Recipient {
        id,
        phone_number: None,
        status: status.into(),
        queued_at: None,
        sent_at: None,
        delivered_at: None,
        read_at: None,
        failed_at: None,
        error_code: None,
        error_message: None,
        created_at: now,
        updated_at: now,
    }
}

fn time_of(recipient: &mut Recipient, status: RecipientStatus) -> &mut Option<Timestamp> {
    match status {
        RecipientStatus::Queued => &mut recipient.queued_at,
        RecipientStatus::Sent => &mut recipient.sent_at,
        RecipientStatus::Delivered => &mut recipient.delivered_at,
        RecipientStatus::Read => &mut recipient.read_at,
        RecipientStatus::Failed => &mut recipient.failed_at,
    }
}

fn highest_status(recipient: &mut Recipient) -> RecipientStatus {
    use RecipientStatus::{Delivered, Failed, Queued, Read, Sent};
    let highest = [Failed, Read, Delivered, Sent].into_iter().find(|status| time_of(recipient, *status).is_some());
    highest.unwrap_or(Queued)
}

fn event(status: RecipientStatus) -> Option<EventName> {
    match status {
        RecipientStatus::Queued => None,
        RecipientStatus::Sent => Some(EventName::MessagesChatSent),
        RecipientStatus::Delivered => Some(EventName::MessagesChatDelivered),
        RecipientStatus::Read => Some(EventName::MessagesChatRead),
        RecipientStatus::Failed => Some(EventName::MessagesChatFailed),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chat::{ChatMessageType, Direction};

    fn unknown_message() -> Tracked {
        let id = "msg_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
        let number = "wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
        let display = "+15550783881".parse().expect("a number");
        let message = ChatMessage::blank(
            id,
            (&number, &display),
            Direction::Outbound,
            ChatMessageType::Unknown,
            Timestamp::from_millis(0),
        );
        Tracked { message, recipients: Vec::new(), window: None }
    }

    /// Eight status updates of three recipients, with failures and prices that disagree.
    fn statuses() -> Vec<StatusUpdate> {
        use RecipientStatus::{Delivered, Failed, Read, Sent};
        let status = |recipient: usize, status, seconds: i64| StatusUpdate {
            recipient: RecipientRef {
                id: Some(format!("1201555010{recipient}")),
                phone_number: format!("+1201555010{recipient}").parse().ok(),
            },
            status,
            at: Timestamp::from_millis(1_700_000_000_000 + seconds * 1000),
            error: (status == Failed).then(|| StatusError {
                code: format!("13102{recipient}"),
                title: None,
                message: Some("undeliverable".into()),
                details: None,
            }),
            conversation: (status == Sent).then(|| ConversationNote {
                id: Some(format!("conversation-{recipient}")),
                pricing_category: Some(["utility", "marketing", "service"][recipient].into()),
                pricing_billable: Some(recipient == 0),
                ..ConversationNote::default()
            }),
        };
        vec![
            status(0, Sent, 3),
            status(0, Delivered, 5),
            status(0, Read, 9),
            status(1, Sent, 4),
            status(1, Sent, 2),
            status(1, Failed, 8),
            status(2, Failed, 7),
            status(2, Read, 1),
        ]
    }

    fn outcome<'a>(order: impl IntoIterator<Item = &'a StatusUpdate>) -> (Tracked, Vec<EventName>) {
        let mut tracked = unknown_message();
        let mut events: Vec<_> =
            order.into_iter().filter_map(|update| tracked.record(update, Timestamp::from_millis(1))).collect();
        events.sort();
        (tracked, events)
    }

    fn permutations(of: &[StatusUpdate], visit: &mut impl FnMut(&[StatusUpdate])) {
        fn permute(items: &mut Vec<StatusUpdate>, from: usize, visit: &mut impl FnMut(&[StatusUpdate])) {
            if from == items.len() {
                return visit(items);
            }
            for other in from..items.len() {
                items.swap(from, other);
                permute(items, from + 1, visit);
                items.swap(from, other);
            }
        }
        permute(&mut of.to_vec(), 0, visit);
    }

    #[test]
    fn every_order_has_the_same_outcome() {
        let all = statuses();
        let expected = outcome(&all);
        assert_eq!(expected.1.len(), 7);
        let mut count = 0;
        permutations(&all, &mut |order| {
            assert_eq!(outcome(order), expected);
            count += 1;
        });
        assert_eq!(count, 40_320);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Any sequence that contains each update at least once.
        #[test]
        fn repetition_changes_nothing(more in prop::collection::vec(0..8_usize, 0..24), seed in any::<u64>()) {
            let all = statuses();
            let mut order: Vec<usize> = (0..8).chain(more).collect();
            let mut state = seed;
            for at in (1..order.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                order.swap(at, (state >> 33) as usize % (at + 1));
            }
            prop_assert_eq!(outcome(order.iter().map(|&at| &all[at])), outcome(&all));
        }
    }
}
