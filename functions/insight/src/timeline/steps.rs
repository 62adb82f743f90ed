//! What a stored message says of itself: its steps, its times, and those of its recipients.

use domain::Timestamp;
use domain::chat::Recipient;
use domain::events::event::EventName;
use domain::id::{EventId, Identifier as _, ksuid_time};
use domain::message::reason::Reason;
use domain::message::step::{Channel, Moment, Step, Told};
use domain::message::{Direction, Outcome};
use store::{MessageKind, Stored, StoredChat, StoredSms};

use super::entry::{Entry, Kind, Requester};

/// An event of a message, by its id in the outbox.
#[derive(Clone, Debug)]
pub(super) struct Reported {
    pub(super) id: EventId,
    pub(super) name: EventName,
    pub(super) at: Timestamp,
}

/// What a message says of itself.
#[derive(Default)]
pub(super) struct Said {
    pub(super) entries: Vec<Entry>,
    pub(super) events: Vec<Reported>,
}

/// The times that the provider has reported of a message, or of one of its recipients.
struct Times<'a> {
    sent: Option<Timestamp>,
    delivered: Option<Timestamp>,
    read: Option<Timestamp>,
    failed: Option<Timestamp>,
    reason: Option<Reason>,
    /// Where the events that have reported them are.
    steps: &'a [Step],
    recipient: Option<&'a str>,
}

impl Said {
    pub(super) fn of_chat(stored: &StoredChat) -> Self {
        let message = stored.message();
        let reason =
            Reason::shown(message.error_code.as_ref(), message.error_message.as_ref(), message.provider.as_ref());
        let mut said = Said::default();
        said.add_own(stored, message.sent_at, reason.as_ref());
        said.add_events(&stored.kept.steps, Channel::Chat);
        let tracked = &stored.record.tracked;
        for recipient in &tracked.recipients {
            said.add_times(&Times::of(recipient, Some(&recipient.id)));
            said.add_events(&recipient.steps, Channel::Chat);
        }
        if let Some(group) = &tracked.group {
            said.add_times(&Times::of(group, None));
            said.add_events(&group.steps, Channel::Chat);
        }
        said
    }

    pub(super) fn of_sms(stored: &StoredSms) -> Self {
        let message = &stored.record.message;
        let reason =
            Reason::shown(message.error_code.as_ref(), message.error_message.as_ref(), message.provider.as_ref());
        let mut said = Said::default();
        said.add_own(stored, message.received_at, reason.as_ref());
        said.add_events(&stored.kept.steps, Channel::Sms);
        // A refusal and an expiry are steps of their own.
        let was_sent = !matches!(stored.outcome(), Some(Outcome::Refused | Outcome::Expired));
        said.add_times(&Times {
            sent: message.sent_at,
            delivered: message.delivered_at,
            read: None,
            failed: message.failed_at.filter(|_| was_sent),
            reason,
            steps: &stored.kept.steps,
            recipient: None,
        });
        said
    }

    /// Adds what was recorded of the message itself.
    fn add_own<M: MessageKind>(&mut self, stored: &Stored<M>, received_at: Option<Timestamp>, reason: Option<&Reason>) {
        let created_at = stored.created_at();
        if stored.direction() == Direction::Inbound || stored.app().is_none() {
            self.entries.push(Entry::new(Kind::Received, received_at.unwrap_or(created_at), created_at));
        } else {
            self.entries.push(requested(&stored.kept.steps, created_at));
        }
        if stored.kept.expires_at.is_some() {
            self.entries.push(Entry::now(Kind::Queued, created_at));
        }
        let steps = stored.kept.steps.iter();
        let (waiting, later): (Vec<_>, Vec<_>) = steps.partition(|step| step.is_of_waiting());
        self.entries.extend(waiting.into_iter().filter_map(|step| entry_of(step, reason)));
        self.entries.extend(stored.kept.attempted_at.map(|at| Entry::now(Kind::Attempted, at)));
        self.entries.extend(later.into_iter().filter_map(|step| entry_of(step, reason)));
    }

    fn add_times(&mut self, times: &Times<'_>) {
        for (kind, told, at) in [
            (Kind::Sent, Told::Sent, times.sent),
            (Kind::Delivered, Told::Delivered, times.delivered),
            (Kind::Read, Told::Read, times.read),
            (Kind::Failed, Told::Failed, times.failed),
        ] {
            let Some(at) = at else { continue };
            // Messages of an earlier release do not say when a status arrived.
            let recorded_at = told_at(times.steps, told).unwrap_or(at);
            let reason = times.reason.clone().filter(|_| kind == Kind::Failed);
            let recipient_id = times.recipient.map(str::to_owned);
            self.entries.push(Entry { recipient_id, ..Entry::new(kind, at, recorded_at).because(reason) });
        }
    }

    fn add_events(&mut self, steps: &[Step], channel: Channel) {
        self.events.extend(steps.iter().filter_map(|step| {
            let Step::Event { name, ksuid } = step else { return None };
            let id = format!("{}{ksuid}", EventId::PREFIX).parse().ok()?;
            Some(Reported { id, name: name.on(channel)?, at: ksuid_time(ksuid)? })
        }));
    }
}

impl<'a> Times<'a> {
    fn of(recipient: &'a Recipient, id: Option<&'a str>) -> Self {
        let Recipient { error_code, error_message, provider, .. } = recipient;
        Times {
            sent: recipient.sent_at,
            delivered: recipient.delivered_at,
            read: recipient.read_at,
            failed: recipient.failed_at,
            reason: Reason::shown(error_code.as_ref(), error_message.as_ref(), provider.as_ref()),
            steps: &recipient.steps,
            recipient: id,
        }
    }
}

/// Returns when the event of a status was recorded, which is when the status was.
fn told_at(steps: &[Step], wanted: Told) -> Option<Timestamp> {
    steps.iter().find_map(|step| match step {
        Step::Event { name, ksuid } if *name == wanted => ksuid_time(ksuid),
        _ => None,
    })
}

fn requested(steps: &[Step], at: Timestamp) -> Entry {
    let entry = Entry::now(Kind::Requested, at);
    let named = steps.iter().find_map(|step| match step {
        Step::Requested { request_id, by } => Some((request_id.clone(), by.as_deref().map(Requester::of))),
        _ => None,
    });
    let (request_id, by) = named.unwrap_or_default();
    Entry { request_id, by, ..entry }
}

/// Returns the entry of a step. Requests and events are entered elsewhere.
fn entry_of(step: &Step, reason: Option<&Reason>) -> Option<Entry> {
    let now = |kind, at: &Moment| Entry::now(kind, at.0);
    Some(match step {
        Step::Requested { .. } | Step::Event { .. } => return None,
        Step::Deferred { at, until, why } => {
            Entry { until: Some(until.0), reason: Some(*why), ..now(Kind::Deferred, at) }
        }
        Step::Attempted { at } => now(Kind::Attempted, at),
        Step::Accepted { at } => now(Kind::Accepted, at),
        Step::Unknown { at } => now(Kind::Unknown, at),
        Step::Refused { at } => now(Kind::Refused, at).because(reason.cloned()),
        Step::Expired { at } => now(Kind::Expired, at).because(reason.cloned()),
        Step::Fetched { at } => now(Kind::MediaFetched, at),
        Step::Edited { at, of } => Entry::new(Kind::Edited, of.0, at.0),
        Step::Revoked { at, of } => Entry::new(Kind::Revoked, of.0, at.0),
    })
}
