//! Steps: what has happened to a message and cannot be told from its other fields. They lie in items that are written with what
//! happens anyway, so they cost nothing as long as the item stays within its KiB. That is why their stored names are short.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use super::Outcome;
use crate::Timestamp;
use crate::events::event::EventName;
use crate::id::{EventId, Identifier as _};

/// The highest number of steps that are kept of a message. Only waiting adds many: then the oldest waits are forgotten.
pub const MOST_STEPS: usize = 60;

/// Something that has happened to a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "k", rename_all = "camelCase")]
pub enum Step {
    /// A request has created it.
    Requested {
        #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
        /// The id of the key, or of the member with a key of a session.
        #[serde(rename = "b", default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// It has to wait.
    Deferred {
        at: Moment,
        #[serde(rename = "u")]
        until: Moment,
        #[serde(rename = "w")]
        why: Deferral,
    },
    /// An attempt began that certainly did not send it, so it waits for another one.
    Attempted { at: Moment },
    /// The provider has accepted it, as its response or a status shows.
    Accepted { at: Moment },
    /// It became unknown whether the provider has accepted it.
    Unknown { at: Moment },
    /// It was not sent.
    Refused { at: Moment },
    /// It could not be sent in time.
    Expired { at: Moment },
    /// Its medium was fetched from the provider.
    Fetched { at: Moment },
    /// Its sender has edited it, at `of` by the provider's clock.
    Edited {
        at: Moment,
        #[serde(rename = "o")]
        of: Moment,
    },
    /// Its sender has revoked it, at `of` by the provider's clock.
    Revoked {
        at: Moment,
        #[serde(rename = "o")]
        of: Moment,
    },
    /// An event reports it, at the time in its id.
    Event {
        #[serde(rename = "n")]
        name: Told,
        /// The id without its prefix.
        #[serde(rename = "e")]
        ksuid: String,
    },
}

/// Why a message waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = MessageDeferral)]
pub enum Deferral {
    /// The number sends as many messages as its provider accepts, or pauses after a rate limit.
    Pace,
    /// The provider has reported a rate limit.
    RateLimit,
    /// The provider has reported too many messages to this recipient.
    PairRateLimit,
    /// The provider could not be reached, or failed.
    Unavailable,
}

/// What an event reports of a message: the last part of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Told {
    Received,
    Sent,
    Delivered,
    Read,
    Failed,
}

/// A time, stored as a number, which is a third as long as the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub Timestamp);

impl From<Timestamp> for Moment {
    fn from(at: Timestamp) -> Self {
        Moment(at)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0.millis())
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(|millis| Moment(Timestamp::from_millis(millis)))
    }
}

/// The kind of messages that an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    Chat,
    Sms,
}

impl Told {
    /// Returns the name of the event that reports it; `None` if messages of this kind have none.
    pub fn on(self, channel: Channel) -> Option<EventName> {
        Some(match (channel, self) {
            (Channel::Chat, Told::Received) => EventName::MessagesChatReceived,
            (Channel::Chat, Told::Sent) => EventName::MessagesChatSent,
            (Channel::Chat, Told::Delivered) => EventName::MessagesChatDelivered,
            (Channel::Chat, Told::Read) => EventName::MessagesChatRead,
            (Channel::Chat, Told::Failed) => EventName::MessagesChatFailed,
            (Channel::Sms, Told::Received) => EventName::MessagesSmsReceived,
            (Channel::Sms, Told::Sent) => EventName::MessagesSmsSent,
            (Channel::Sms, Told::Delivered) => EventName::MessagesSmsDelivered,
            (Channel::Sms, Told::Failed) => EventName::MessagesSmsFailed,
            (Channel::Sms, Told::Read) => return None,
        })
    }

    /// Returns what an event reports; `None` if it reports no message.
    fn by(name: EventName) -> Option<Self> {
        let (_, last) = name.as_str().strip_prefix("messages.")?.split_once('.')?;
        Some(match last {
            "received" => Told::Received,
            "sent" => Told::Sent,
            "delivered" => Told::Delivered,
            "read" => Told::Read,
            "failed" => Told::Failed,
            _ => return None,
        })
    }
}

impl Step {
    /// Returns the step of an event that reports a message.
    pub fn event(name: EventName, id: &EventId) -> Option<Self> {
        let ksuid = id.as_str().strip_prefix(EventId::PREFIX)?.to_owned();
        Told::by(name).map(|name| Step::Event { name, ksuid })
    }

    /// Returns the step of a new outcome; `None` for one that is open.
    pub fn outcome(outcome: Outcome, now: Timestamp) -> Option<Self> {
        let at = Moment(now);
        Some(match outcome {
            Outcome::Pending => return None,
            Outcome::Accepted => Step::Accepted { at },
            Outcome::Unknown => Step::Unknown { at },
            Outcome::Refused => Step::Refused { at },
            Outcome::Expired => Step::Expired { at },
        })
    }

    /// Whether the step belongs to the time before the attempt that counts.
    pub fn is_of_waiting(&self) -> bool {
        matches!(self, Step::Deferred { .. } | Step::Attempted { .. })
    }
}

/// Adds a step. If there are too many, the oldest one of waiting is forgotten.
pub fn add_step(steps: &mut Vec<Step>, step: impl Into<Option<Step>>) {
    let Some(step) = step.into() else { return };
    if steps.len() >= MOST_STEPS {
        match steps.iter().position(Step::is_of_waiting) {
            Some(oldest) => drop(steps.remove(oldest)),
            None => return,
        }
    }
    steps.push(step);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_short() {
        let at = Moment(Timestamp::from_millis(1_795_884_326_123));
        let id: EventId = "evt_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
        let event = Step::event(EventName::MessagesChatDelivered, &id).expect("a step");
        let deferred = Step::Deferred { at, until: at, why: Deferral::Pace };
        for (step, stored) in [
            (Step::Accepted { at }, r#"{"k":"accepted","at":1795884326123}"#),
            (event, r#"{"k":"event","n":"delivered","e":"0ujtsYcgvSTl8PAuAdqWYSMnLOv"}"#),
            (deferred, r#"{"k":"deferred","at":1795884326123,"u":1795884326123,"w":"PACE"}"#),
        ] {
            assert_eq!(serde_json::to_string(&step).expect("text"), stored);
            assert_eq!(serde_json::from_str::<Step>(stored).expect("a step"), step);
        }
        assert_eq!(Step::event(EventName::TemplatesChatCreated, &id), None);
    }

    #[test]
    fn the_oldest_waits_are_forgotten() {
        let at = |millis| Moment(Timestamp::from_millis(millis));
        let mut steps = vec![Step::Requested { request_id: None, by: None }];
        for millis in 0..100 {
            add_step(&mut steps, Step::Attempted { at: at(millis) });
        }
        add_step(&mut steps, Step::Accepted { at: at(100) });
        assert_eq!(steps.len(), MOST_STEPS);
        assert!(matches!(steps[0], Step::Requested { .. }) && steps[1] == Step::Attempted { at: at(42) });
        assert_eq!(steps[MOST_STEPS - 1], Step::Accepted { at: at(100) });
    }
}
