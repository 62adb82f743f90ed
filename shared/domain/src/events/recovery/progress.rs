//! The progress of a recovery: how many deliveries are attempted next, when, and when it ends.

use std::time::Duration;

use super::{IN_FLIGHT, LOOKED_AT, RECOVERED_PER_DAY, Recovery, RecoveryStatus, day_of};
use crate::Timestamp;
use crate::id::DeliveryId;
use crate::time::in_hours;

/// How many deliveries a dry run counts at once.
const COUNTED: usize = 1_000;
/// How long a recovery may take.
pub const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// The waits after the first failed probes. The next one that fails ends the recovery.
const PROBE_WAITS: [Duration; 3] = [Duration::from_secs(10), Duration::from_secs(60), Duration::from_secs(300)];

/// The result of a batch of a recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub looked_at: u64,
    pub matched: u64,
    pub delivered: u64,
    pub failed: u64,
    /// Whether the batch made attempts, and whether one of them succeeded.
    pub has_attempted: bool,
    pub has_succeeded: bool,
}

impl Recovery {
    /// Resets the daily count if a new day has begun.
    pub fn turn_day(&mut self, now: Timestamp) {
        if self.progress.day != day_of(now) {
            (self.progress.day, self.progress.recovered_today) = (day_of(now), 0);
        }
    }

    /// Returns how many deliveries may be attempted next, at the same time, or counted.
    pub fn next_batch(&self) -> usize {
        let recovered = self.progress.recovered_today;
        let (most, done) = match (self.is_dry_run, self.progress.is_probing) {
            (true, _) => (COUNTED, recovered + self.progress.matched),
            (false, true) => (1, recovered),
            (false, false) => (IN_FLIGHT, recovered),
        };
        most.min(usize::try_from(RECOVERED_PER_DAY.saturating_sub(done)).unwrap_or(most))
    }

    /// Returns the reason why the recovery must end before all matching deliveries were attempted, if there is one.
    pub fn limit(&self, now: Timestamp) -> Option<String> {
        let go_on = "To continue, start another one with since set to processedUntil.";
        let most = RECOVERED_PER_DAY;
        if self.next_batch() == 0 && self.is_dry_run {
            return Some(format!(
                "At most {most} deliveries of a webhook are recovered per day (UTC), and a dry run counts no more than can \
                 still be recovered today."
            ));
        }
        if self.next_batch() == 0 {
            return Some(format!("At most {most} deliveries of a webhook are recovered per day (UTC). {go_on}"));
        }
        if self.progress.looked_at >= LOOKED_AT {
            return Some(format!("A recovery reads at most {LOOKED_AT} deliveries. {go_on}"));
        }
        (self.created_at.plus(LONGEST) <= now)
            .then(|| format!("A recovery takes at most {} hours. {go_on}", in_hours(LONGEST)))
    }

    /// Records a batch: everything up to `position` is done.
    pub fn note(&mut self, tally: Tally, position: Option<DeliveryId>) {
        let progress = &mut self.progress;
        progress.position = position.or(progress.position.take());
        progress.looked_at += tally.looked_at;
        progress.matched += tally.matched;
        progress.delivered += tally.delivered;
        progress.failed += tally.failed;
        progress.recovered_today += tally.delivered + tally.failed;
        if tally.has_succeeded {
            (progress.is_probing, progress.failed_probes) = (false, 0);
        } else if tally.has_attempted {
            (progress.is_probing, progress.failed_probes) = (true, progress.failed_probes + 1);
        }
    }

    /// Returns how long to wait after a batch: `None` if too many probes have failed. A batch without attempts reveals
    /// nothing about the receiver, so the next one follows at once.
    pub fn wait(&self, has_attempted: bool) -> Option<Duration> {
        match self.progress.failed_probes {
            _ if !has_attempted => Some(Duration::ZERO),
            0 => Some(Duration::ZERO),
            failed => PROBE_WAITS.get(failed - 1).copied(),
        }
    }

    /// Returns the reason of a recovery that ends because of failed probes.
    pub fn no_success() -> String {
        let probes = PROBE_WAITS.len() + 1;
        format!(
            "The receiver failed {probes} times in a row. The webhook's deliveries show the reason. Start another recovery once the receiver works again."
        )
    }

    /// Ends the recovery: early if there is a reason.
    pub fn end(&mut self, reason: Option<String>, now: Timestamp) {
        let status = if reason.is_some() { RecoveryStatus::Stopped } else { RecoveryStatus::Completed };
        self.status = status.into();
        self.reason = reason;
        self.check_at = None;
        self.ended_at = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RecoveryHead, Selection, left_of_day};
    use super::*;
    use crate::events::delivery::{Delivery, DeliveryStatus};
    use crate::events::event::EventName;

    fn recovery(head: &RecoveryHead, now: Timestamp) -> Recovery {
        let id = |prefix: &str| format!("{prefix}0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        let (app, webhook) = (id("app_").parse().expect("an id"), id("whk_").parse().expect("an id"));
        let selection = Selection {
            since: Timestamp::from_millis(0),
            until: now,
            statuses: vec![DeliveryStatus::Failed.into(), DeliveryStatus::Skipped.into()],
            event_types: vec![EventName::MessagesSmsSent.into()],
        };
        Recovery::new(id("rcv_").parse().expect("an id"), &app, &webhook, selection, false, head, now)
    }

    fn attempted(succeeded: u64, failed: u64) -> Tally {
        let matched = succeeded + failed;
        Tally {
            looked_at: matched,
            matched,
            delivered: succeeded,
            failed,
            has_attempted: true,
            has_succeeded: succeeded > 0,
        }
    }

    #[test]
    fn one_probe_and_then_fifty_as_long_as_some_succeed() {
        let mut recovery = recovery(&RecoveryHead::default(), Timestamp::from_millis(0));
        assert_eq!(recovery.next_batch(), 1);
        recovery.note(attempted(1, 0), None);
        assert_eq!((recovery.next_batch(), recovery.wait(true)), (50, Some(Duration::ZERO)));
        recovery.note(attempted(1, 49), None);
        assert_eq!(recovery.next_batch(), 50);
        // A batch without matches reveals nothing about the receiver.
        recovery.note(Tally { looked_at: 1000, ..Tally::default() }, None);
        assert_eq!(recovery.next_batch(), 50);
        let mut waits = Vec::new();
        recovery.note(attempted(0, 50), None);
        while let Some(wait) = recovery.wait(true) {
            assert_eq!((recovery.next_batch(), recovery.wait(false)), (1, Some(Duration::ZERO)));
            waits.push(wait.as_secs());
            recovery.note(attempted(0, 1), None);
        }
        assert_eq!(waits, [10, 60, 300]);
        recovery.note(attempted(1, 0), None);
        assert_eq!((recovery.next_batch(), recovery.wait(true)), (50, Some(Duration::ZERO)));
    }

    #[test]
    fn the_day_of_a_webhook_spans_its_recoveries() {
        let noon = Timestamp::from_millis(0).plus_days(100).plus(Duration::from_secs(12 * 3600));
        let mut head = RecoveryHead { day: 100, recovered_today: RECOVERED_PER_DAY - 20, ..RecoveryHead::default() };
        assert!(!head.is_used_up(noon));
        let mut first = recovery(&head, noon);
        first.note(attempted(1, 0), None);
        assert_eq!((first.next_batch(), first.limit(noon)), (19, None));
        first.note(attempted(10, 9), None);
        assert_eq!(first.next_batch(), 0);
        assert!(first.limit(noon).is_some_and(|reason| reason.contains("100000 deliveries")));
        head.recovered_today = first.progress.recovered_today;
        assert!(head.is_used_up(noon) && !head.is_used_up(noon.plus_days(1)));
        first.turn_day(noon.plus_days(1));
        assert_eq!((first.next_batch(), left_of_day(noon)), (50, 12 * 3600));
        assert!(first.limit(noon.plus_days(1)).is_some_and(|reason| reason.contains("24 hours")));
    }

    #[test]
    fn a_delivery_matches_by_status_and_event() {
        let recovery = recovery(&RecoveryHead::default(), Timestamp::from_millis(0));
        let outbox = "evt_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
        let delivery = |kind: EventName, status: DeliveryStatus| {
            let (app, webhook) = (&recovery.app_id, &recovery.webhook_id);
            let new = Delivery::new(&outbox, kind.into(), app, webhook, Timestamp::from_millis(0));
            Delivery { status: status.into(), ..new.expect("a delivery") }
        };
        let (sent, read) = (EventName::MessagesSmsSent, EventName::MessagesChatRead);
        let cases = [
            (sent, DeliveryStatus::Failed, true),
            (sent, DeliveryStatus::Skipped, true),
            (sent, DeliveryStatus::Pending, false),
            (sent, DeliveryStatus::Delivered, false),
            (read, DeliveryStatus::Failed, false),
        ];
        for (kind, status, expected) in cases {
            assert_eq!(recovery.matches(&delivery(kind, status)), expected, "{kind:?} {status:?}");
        }
    }
}
