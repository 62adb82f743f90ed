//! The event feed of an app: a list of its events with consecutive sequence numbers, for receivers that poll.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::events::event::EventName;
use crate::id::EventId;
use crate::{Open, Timestamp};

/// How long events can be read from a feed, and thus how long a position stays valid at least.
pub const READABLE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The end of a feed. An app whose feed was never on has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FeedHead {
    pub is_on: bool,
    /// How often the feed was switched on. Positions of an earlier opening are invalid.
    pub opening: u32,
    /// The sequence number after which this opening begins.
    pub base: u64,
    /// The sequence number of the last entry.
    pub sequence: u64,
    /// When the last entry was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_at: Option<Timestamp>,
}

impl FeedHead {
    /// Returns the head of a feed that is switched on. `before` is its head until now.
    pub fn switched_on(before: Option<&FeedHead>) -> Self {
        let sequence = before.map_or(0, |head| head.sequence);
        FeedHead {
            is_on: true,
            opening: before.map_or(0, |head| head.opening) + 1,
            base: sequence,
            sequence,
            written_at: before.and_then(|head| head.written_at),
        }
    }

    /// Returns when the next entry is written: never before the last one, so that entries expire in order even if
    /// clocks differ.
    pub fn next_written_at(&self, now: Timestamp) -> Timestamp {
        self.written_at.map_or(now, |last| last.max(now))
    }

    pub fn position(&self, sequence: u64) -> Position {
        Position { opening: self.opening, sequence }
    }

    /// Returns whether the position may be valid: it belongs to this opening and is not beyond the end, as it would be
    /// after the table was restored to an earlier time.
    pub fn contains(&self, position: Position) -> bool {
        position.opening == self.opening && (self.base..=self.sequence).contains(&position.sequence)
    }
}

/// An entry of a feed, which points at an event of the outbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FeedEntry {
    pub sequence: u64,
    pub outbox_id: EventId,
    pub event_type: Open<EventName>,
    /// The size of the event's data in bytes.
    pub size: usize,
    pub written_at: Timestamp,
    /// When the entry before this one was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_at: Option<Timestamp>,
}

/// Returns whether an entry that was written at this time can no longer be read.
pub fn has_expired(written_at: Timestamp, now: Timestamp) -> bool {
    written_at.plus(READABLE) <= now
}

/// A position in a feed: behind the entry with this sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub opening: u32,
    pub sequence: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.opening, self.sequence)
    }
}

/// The error of parsing a text that is not a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a position in a feed")]
pub struct InvalidPosition;

impl FromStr for Position {
    type Err = InvalidPosition;

    fn from_str(text: &str) -> Result<Self, InvalidPosition> {
        let (opening, sequence) = text.split_once('-').ok_or(InvalidPosition)?;
        let opening = opening.parse().map_err(|_| InvalidPosition)?;
        Ok(Position { opening, sequence: sequence.parse().map_err(|_| InvalidPosition)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_an_earlier_opening_are_invalid() {
        let mut head = FeedHead::switched_on(None);
        assert!(head.contains(head.position(0)) && !head.contains(head.position(1)));
        head.sequence = 7;
        let seen = head.position(7);
        assert!(head.contains(seen) && head.contains(head.position(0)));
        let again = FeedHead::switched_on(Some(&head));
        assert!(!again.contains(seen));
        assert!(again.contains(again.position(7)) && !again.contains(again.position(6)));
    }

    #[test]
    fn a_position_is_read_as_it_is_written() {
        let position = Position { opening: 3, sequence: u64::MAX };
        assert_eq!(position.to_string().parse(), Ok(position));
        for text in ["", "3", "3-", "-3", "a-1", "1-a", "1-2-3"] {
            assert_eq!(text.parse::<Position>(), Err(InvalidPosition), "{text}");
        }
    }

    #[test]
    fn entries_are_written_in_the_order_of_their_times() {
        let at = Timestamp::from_millis;
        let head = FeedHead { written_at: Some(at(50)), ..FeedHead::switched_on(None) };
        assert_eq!((head.next_written_at(at(40)), head.next_written_at(at(60))), (at(50), at(60)));
    }
}
