//! A refusal by a limit that may be based on counters which another version has changed ([ADR
//! 47](../../../../docs/adr/0047-counters-by-mode.md)).

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{Failure, Mode};

use crate::engine::expression::Update;
use crate::engine::item::Item;
use crate::limits::counter::Counter;

/// A refusal by counters that may be wrong.
pub(crate) struct Doubt {
    /// The failure to return if the counters are right.
    pub(crate) refusal: Failure,
    pub(crate) about: About,
}

pub(crate) enum About {
    /// The counters of both modes, as they were read.
    Counter(Counter, Vec<(&'static str, Option<AttributeValue>)>),
    /// Data that this update corrects, if it has not changed.
    Correctable(Box<Update>),
}

impl Doubt {
    pub(crate) fn of_counter(counter: Counter, mode: Mode, counters: &Item) -> Self {
        let seen = counter.all_attributes().into_iter().map(|name| (name, counters.get(name).cloned()));
        Doubt { refusal: counter.refusal(mode), about: About::Counter(counter, seen.collect()) }
    }

    pub(crate) fn of_what_is_corrected_by(update: Update, refusal: Failure) -> Self {
        Doubt { refusal, about: About::Correctable(Box::new(update)) }
    }
}
