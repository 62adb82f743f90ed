//! The event feeds of apps: pages of events in the order of their sequence numbers.

pub(crate) mod http;

use std::collections::HashMap;

use api::feed_query::{After, feed_position};
use api::{AppScope, Fitting, Objects};
use domain::events::delivery::has_ended;
use domain::events::event::{EventName, OutboxEvent};
use domain::events::feed::{FeedEntry, FeedHead, Position, READABLE, has_expired};
use domain::id::EventId;
use domain::page::{FEED_ENTRIES_LOOKED_AT, MOST_BYTES_PER_PAGE};
use domain::time::in_days;
use domain::{Failure, Timestamp};
use runtime::Context;
use store::OrganizationStore;
use views::EventBody;

/// The page that a caller asks for.
struct Wanted<'a> {
    after: After,
    /// `None` for all events.
    types: Option<&'a [EventName]>,
    limit: usize,
}

/// A page of a feed.
#[derive(Debug)]
struct FeedPage {
    /// The events with their sequence numbers, oldest first, as JSON.
    events: Objects,
    next: Position,
}

/// The feed of an app that is on, at one time.
struct Feed<'a> {
    org: OrganizationStore,
    scope: &'a AppScope,
    head: &'a FeedHead,
    now: Timestamp,
}

/// Returns a page of a feed whose head was just read. If there are no new events, nothing else is read.
async fn page(
    context: &Context,
    scope: &AppScope,
    head: Option<FeedHead>,
    wanted: &Wanted<'_>,
) -> Result<FeedPage, Failure> {
    let head = head.filter(|head| head.is_on).ok_or_else(is_off)?;
    let org = context.store.of(&scope.organization);
    let feed = Feed { org, scope, head: &head, now: context.now() };
    let start = match wanted.after {
        After::Now => head.sequence,
        After::Oldest => feed.oldest().await?,
        After::Position(position) if head.contains(position) => position.sequence,
        After::Position(_) => return Err(feed.gone().await),
    };
    if start == head.sequence {
        return Ok(FeedPage { events: Objects::default(), next: head.position(start) });
    }
    feed.page(start, wanted).await
}

fn is_off() -> Failure {
    let message = "The event feed of the app is off. Switch it on with PATCH /v1/organization/apps/{appId} and \
                   {\"eventFeed\": true}.";
    Failure::conflict(message)
}

impl Feed<'_> {
    async fn page(&self, start: u64, wanted: &Wanted<'_>) -> Result<FeedPage, Failure> {
        let most = if wanted.types.is_some() { FEED_ENTRIES_LOOKED_AT } else { wanted.limit };
        let entries = self.org.feed_entries(&self.scope.app, start, most).await?;
        if !self.is_valid(start, entries.first()) {
            return Err(self.gone().await);
        }

        let (chosen, mut last) = choose(start, entries, wanted);
        let found = self.org.outbox_events(chosen.iter().map(|entry| &entry.outbox_id)).await?;
        let mut found: HashMap<EventId, OutboxEvent> =
            found.into_iter().map(|event| (event.id.clone(), event)).collect();
        found.retain(|id, _| !has_ended(id, self.now));

        let mut chosen = chosen.as_slice();
        // Some events have ended before their entries, because they were added to the feed late.
        let ended = chosen.iter().take_while(|entry| !found.contains_key(&entry.outbox_id)).count();
        if let Some(end) = chosen[..ended].last() {
            if !matches!(wanted.after, After::Oldest) {
                return Err(self.gone_before(end.sequence));
            }
            chosen = &chosen[ended..];
        }

        let mut events = Fitting::default();
        for entry in chosen {
            let fits = match found.remove(&entry.outbox_id) {
                Some(event) => events.add(&self.numbered(entry.sequence, &event)?)?,
                None => false,
            };
            if !fits {
                last = entry.sequence - 1;
                break;
            }
        }
        Ok(FeedPage { events: events.into_objects(), next: self.head.position(last) })
    }

    /// Returns an event as the feed shows it.
    fn numbered<'b>(&'b self, sequence: u64, event: &'b OutboxEvent) -> Result<EventBody<'b>, Failure> {
        let AppScope { organization, app, .. } = self.scope;
        Ok(EventBody::of(organization, app, event)?.numbered(sequence))
    }

    /// Returns whether the event after `sequence` can still be read, or does not exist yet. `next` is the first entry
    /// after it. An entry that is missing before `next` has either expired or is not visible yet.
    fn is_valid(&self, sequence: u64, next: Option<&FeedEntry>) -> bool {
        let written_at = match next {
            Some(entry) if entry.sequence == sequence + 1 => Some(entry.written_at),
            Some(entry) => entry.previous_at,
            None => self.head.written_at,
        };
        written_at.is_none_or(|at| !has_expired(at, self.now))
    }

    /// Returns the sequence number before the oldest event that can be read. Entries expire in order, and can remain
    /// for days after that, so this is a binary search.
    async fn oldest(&self) -> Result<u64, Failure> {
        let (mut low, mut high) = (self.head.base, self.head.sequence);
        let mut probe = low;
        while low < high {
            let next = self.org.feed_entries(&self.scope.app, probe, 1).await?;
            if self.is_valid(probe, next.first()) {
                high = probe;
            } else {
                low = probe + 1;
            }
            probe = low + (high - low) / 2;
        }
        Ok(low)
    }

    async fn gone(&self) -> Failure {
        match self.oldest().await {
            Ok(oldest) => self.gone_before(oldest),
            Err(failure) => failure,
        }
    }

    /// Returns the failure for a position before `oldest`.
    fn gone_before(&self, oldest: u64) -> Failure {
        let message = format!(
            "Events after this position can no longer be read: it is more than {} days old, or the feed has been off \
             since. Continue from the position in additional_info, which is the oldest, and read what you have missed \
             with other operations.",
            in_days(READABLE)
        );
        let AppScope { organization, app, .. } = self.scope;
        let oldest = feed_position(organization, app, self.head.position(oldest));
        Failure::gone("after", message).with_hints([oldest])
    }
}

/// Returns the entries of a page that begins after `start`, and the last sequence number that the page covers. The page
/// ends before the first gap, because a query can see a transaction before an earlier one. It also ends before entries
/// whose events cannot fit, so that they are not read.
fn choose(start: u64, entries: Vec<FeedEntry>, wanted: &Wanted<'_>) -> (Vec<FeedEntry>, u64) {
    let (mut chosen, mut last, mut bytes) = (Vec::new(), start, 0);
    for entry in entries {
        if entry.sequence != last + 1 {
            break;
        }
        let is_wanted = wanted.types.is_none_or(|types| types.iter().any(|kind| entry.event_type == *kind));
        if is_wanted {
            bytes += entry.size;
            let is_full = chosen.len() == wanted.limit || bytes > MOST_BYTES_PER_PAGE;
            if is_full && !chosen.is_empty() {
                break;
            }
            chosen.push(entry.clone());
        }
        last = entry.sequence;
    }
    (chosen, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(sequence: u64, kind: EventName, size: usize) -> FeedEntry {
        FeedEntry {
            sequence,
            outbox_id: "evt_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id"),
            event_type: kind.into(),
            size,
            written_at: Timestamp::from_millis(0),
            previous_at: None,
        }
    }

    fn chosen(start: u64, entries: &[FeedEntry], types: Option<&[EventName]>, limit: usize) -> (Vec<u64>, u64) {
        let wanted = Wanted { after: After::Oldest, types, limit };
        let (chosen, last) = choose(start, entries.to_vec(), &wanted);
        (chosen.iter().map(|entry| entry.sequence).collect(), last)
    }

    const SENT: EventName = EventName::MessagesSmsSent;
    const FAILED: EventName = EventName::MessagesSmsFailed;

    #[test]
    fn a_page_ends_before_a_gap() {
        let [first, second, fourth] = [1, 2, 4].map(|sequence| entry(sequence, SENT, 10));
        assert_eq!(chosen(0, &[first.clone(), second, fourth.clone()], None, 100), (vec![1, 2], 2));
        assert_eq!(chosen(0, std::slice::from_ref(&fourth), None, 100), (vec![], 0));
        assert_eq!(chosen(3, &[fourth], Some(&[FAILED]), 100), (vec![], 4));
        assert_eq!(chosen(0, &[first], None, 100), (vec![1], 1));
    }

    #[test]
    fn a_page_covers_the_events_that_it_leaves_out() {
        let kinds = [FAILED, SENT, FAILED, SENT, FAILED];
        let entries: Vec<_> = kinds.iter().zip(1..).map(|(kind, sequence)| entry(sequence, *kind, 10)).collect();
        assert_eq!(chosen(0, &entries, Some(&[SENT]), 100), (vec![2, 4], 5));
        assert_eq!(chosen(0, &entries, Some(&[SENT]), 1), (vec![2], 3));
        assert_eq!(chosen(0, &entries, None, 2), (vec![1, 2], 2));
    }

    #[test]
    fn a_page_reads_no_more_events_than_fit() {
        let half = MOST_BYTES_PER_PAGE / 2;
        let sizes = [half, half, 1, MOST_BYTES_PER_PAGE + 1, 1];
        let entries: Vec<_> = sizes.iter().zip(1..).map(|(size, sequence)| entry(sequence, SENT, *size)).collect();
        assert_eq!(chosen(0, &entries, None, 100), (vec![1, 2], 2));
        assert_eq!(chosen(2, &entries[2..], None, 100), (vec![3], 3));
        assert_eq!(chosen(3, &entries[3..], None, 100), (vec![4], 4));
    }
}
