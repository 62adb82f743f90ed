//! Counting objects in the transaction that creates or deletes them.

use domain::{Failure, Mode};

use crate::engine::change::{Change, Refused, never};
use crate::engine::expression::Update;
use crate::engine::item::{Item, number};
use crate::identity::member::MEMBERS;
use crate::keys;
use crate::limits::counter::{CLOSED, Counter, count_in};
use crate::limits::doubt::Doubt;

impl Change {
    /// Counts a new object, unless the organization has reached the limit of its mode.
    pub(crate) fn count(&mut self, counter: Counter, mode: Mode) {
        let first = counter.attributes(mode)[0];
        let update = self
            .counted(counter, &[(mode, 1)])
            .when(&format!("attribute_not_exists(#{first}) OR #{first} < :limit"))
            .value(":limit", number(counter.limit().0));
        let refuse = move |counters: Option<&Item>| match counters.filter(|counters| counter.is_doubtful(counters)) {
            Some(counters) => Refused::Doubtful(Box::new(Doubt::of_counter(counter, mode, counters))),
            None => Refused::With(counter.refusal(mode)),
        };
        self.update(update, Box::new(refuse));
    }

    /// Counts new objects of several kinds, each with its number, in one write, because a transaction can write an item
    /// only once. Fails if the organization would have more than its limit of one of them.
    pub(crate) fn count_all(&mut self, new: &[(Counter, u32)], mode: Mode) {
        let mut update = self.counted_all(new, mode, 1);
        for (counter, more) in new {
            let first = counter.attributes(mode)[0];
            let before = format!(":{first}Before");
            update = update
                .when(&format!("attribute_not_exists(#{first}) OR #{first} <= {before}"))
                .value(&before, number(counter.limit().0.saturating_sub(*more)));
        }

        let new = new.to_vec();
        let refuse = move |counters: Option<&Item>| {
            let is_refused = |(counter, more): &&(Counter, u32)| {
                let count = counters.map_or(0, |counters| count_in(counters, counter.attributes(mode)[0]));
                count > i64::from(counter.limit().0.saturating_sub(*more))
            };
            let Some((counter, _)) = new.iter().find(is_refused).or(new.first()) else {
                return Refused::With(Failure::internal("nothing was counted"));
            };
            match counters.filter(|counters| counter.is_doubtful(counters)) {
                Some(counters) => Refused::Doubtful(Box::new(Doubt::of_counter(*counter, mode, counters))),
                None => Refused::With(counter.refusal(mode)),
            }
        };

        self.update(update, Box::new(refuse));
    }

    /// Uncounts objects of several kinds, each with its number, in one write.
    pub(crate) fn uncount_all(&mut self, gone: &[(Counter, u32)], mode: Mode) {
        self.update(self.counted_all(gone, mode, -1), never());
    }

    fn counted_all(&self, counts: &[(Counter, u32)], mode: Mode, sign: i64) -> Update {
        let update = Update::new(keys::counters(&self.organization));
        counts.iter().filter(|(_, count)| *count > 0).fold(update, |update, (counter, count)| {
            let attributes = counter.attributes(mode).iter();
            attributes.fold(update, |update, attribute| update.add(attribute, sign * i64::from(*count)))
        })
    }

    /// Counts new objects of these modes without a limit.
    pub(crate) fn count_without_limit(&mut self, counter: Counter, modes: impl IntoIterator<Item = Mode>) {
        let counts: Vec<_> = modes.into_iter().map(|mode| (mode, 1)).collect();
        self.update(self.counted(counter, &counts), never());
    }

    pub(crate) fn uncount(&mut self, counter: Counter, mode: Mode) {
        self.update(self.counted(counter, &[(mode, -1)]), never());
    }

    /// Uncounts objects of these modes.
    pub(crate) fn uncount_each(&mut self, counter: Counter, modes: impl IntoIterator<Item = Mode>) {
        let counts: Vec<_> = modes.into_iter().map(|mode| (mode, -1)).collect();
        self.update(self.counted(counter, &counts), never());
    }

    fn counted(&self, counter: Counter, counts: &[(Mode, i64)]) -> Update {
        let update = Update::new(keys::counters(&self.organization));
        Mode::ALL.into_iter().fold(update, |update, mode| {
            let more: i64 = counts.iter().filter(|(of, _)| *of == mode).map(|(_, more)| more).sum();
            let attributes = counter.attributes(mode).iter().filter(|_| more != 0);
            attributes.fold(update, |update, attribute| update.add(attribute, more))
        })
    }

    /// Prevents the creation of further objects with a limit.
    pub(crate) fn close_counters(&mut self) {
        let closed = Counter::ALL.into_iter().flat_map(Counter::all_attributes);
        let update = Update::new(keys::counters(&self.organization)).set_value(MEMBERS, number(CLOSED));
        let update = closed.fold(update, |update, attribute| update.set_value(attribute, number(CLOSED)));
        self.update(update, never());
    }
}
