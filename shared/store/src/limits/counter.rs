//! The counters behind the limits on an organization's objects, one for each mode, in one item ([ADR
//! 47](../../../../docs/adr/0047-counters-by-mode.md)). Objects are counted in the transaction that creates or deletes
//! them.
//!
//! Earlier versions counted both modes together, and can still be running. Their counter keeps its name, and a live
//! object is created only if it is below the limit. A second counter, of live objects alone, shows whether the first
//! one can be trusted: if the two differ, another version has counted, and a refusal is preceded by a recount
//! (`recount.rs`).

use domain::{Failure, Mode};

use crate::engine::item::Item;

/// The value of the counters of an organization that is being deleted: more than any limit.
pub(crate) const CLOSED: i64 = 1_000_000_000;

/// The objects that are counted per organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    AdminKeys,
    Apps,
    PhoneNumbers,
    /// Exist in test mode only.
    PlaygroundUsers,
    ChatBusinessProfiles,
    ChatPhoneNumbers,
}

impl Counter {
    pub(crate) const ALL: [Counter; 6] = [
        Counter::AdminKeys,
        Counter::Apps,
        Counter::PhoneNumbers,
        Counter::PlaygroundUsers,
        Counter::ChatBusinessProfiles,
        Counter::ChatPhoneNumbers,
    ];

    /// Returns the name of the limit in failures.
    fn param(self) -> &'static str {
        match self {
            Counter::AdminKeys => "adminKeys",
            Counter::Apps => "apps",
            Counter::PhoneNumbers => "phoneNumbers",
            Counter::PlaygroundUsers => "playgroundUsers",
            Counter::ChatBusinessProfiles => "chatBusinessProfiles",
            Counter::ChatPhoneNumbers => "chatPhoneNumbers",
        }
    }

    /// Returns the attributes that count the objects of a mode. The first one must be below the limit.
    pub(crate) fn attributes(self, mode: Mode) -> &'static [&'static str] {
        match (self, mode) {
            (Counter::AdminKeys, Mode::Live) => &["adminKeys", "liveAdminKeys"],
            (Counter::AdminKeys, Mode::Test) => &["testAdminKeys"],
            (Counter::Apps, Mode::Live) => &["apps", "liveApps"],
            (Counter::Apps, Mode::Test) => &["testApps"],
            (Counter::PhoneNumbers, Mode::Live) => &["phoneNumbers", "livePhoneNumbers"],
            (Counter::PhoneNumbers, Mode::Test) => &["testPhoneNumbers"],
            (Counter::PlaygroundUsers, _) => &["playgroundUsers"],
            (Counter::ChatBusinessProfiles, Mode::Live) => &["chatBusinessProfiles", "liveChatBusinessProfiles"],
            (Counter::ChatBusinessProfiles, Mode::Test) => &["testChatBusinessProfiles"],
            (Counter::ChatPhoneNumbers, Mode::Live) => &["chatPhoneNumbers", "liveChatPhoneNumbers"],
            (Counter::ChatPhoneNumbers, Mode::Test) => &["testChatPhoneNumbers"],
        }
    }

    /// Returns all attributes of both modes.
    pub(crate) fn all_attributes(self) -> Vec<&'static str> {
        let mut all = [self.attributes(Mode::Live), self.attributes(Mode::Test)].concat();
        all.dedup();
        all
    }

    /// Returns the limit in each mode.
    pub(crate) fn limit(self) -> (u32, &'static str) {
        match self {
            Counter::AdminKeys => (domain::identity::key::ADMIN_KEYS_PER_ORGANIZATION, "admin keys"),
            Counter::Apps => (domain::identity::app::APPS_PER_ORGANIZATION, "apps"),
            Counter::PhoneNumbers => (domain::number::NUMBERS_PER_ORGANIZATION, "phone numbers"),
            Counter::PlaygroundUsers => (domain::testing::playground::USERS_PER_ORGANIZATION, "playground users"),
            Counter::ChatBusinessProfiles => {
                (domain::chat::profile::PROFILES_PER_ORGANIZATION, "chat business profiles")
            }
            Counter::ChatPhoneNumbers => (domain::chat::number::NUMBERS_PER_ORGANIZATION, "chat phone numbers"),
        }
    }

    pub(crate) fn refusal(self, mode: Mode) -> Failure {
        let (limit, what) = self.limit();
        let of_mode = match self {
            Counter::PlaygroundUsers => String::new(),
            _ => format!("{} ", mode.as_str()),
        };
        Failure::limit(self.param(), format!("An organization may have at most {limit} {of_mode}{what}."))
    }

    /// Returns whether the item of counters allows no further object of the mode.
    pub(crate) fn is_full(self, mode: Mode, counters: &Item) -> bool {
        count_in(counters, self.attributes(mode)[0]) >= i64::from(self.limit().0)
    }

    /// Returns whether a further object can be created beside `count` ones.
    pub(crate) fn allows(self, count: usize) -> bool {
        count < self.limit().0 as usize
    }

    /// Returns whether another version may have counted, so that the counters of the two modes may be wrong.
    pub(crate) fn is_doubtful(self, counters: &Item) -> bool {
        match self.attributes(Mode::Live) {
            [together, live] => {
                let together = count_in(counters, together);
                together != count_in(counters, live) && together < CLOSED
            }
            _ => false,
        }
    }
}

pub(crate) fn count_in(counters: &Item, attribute: &str) -> i64 {
    counters.get(attribute).and_then(|count| count.as_n().ok()?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::item::number;

    #[test]
    fn each_attribute_counts_the_objects_of_one_mode() {
        let mut all: Vec<_> = Counter::ALL.into_iter().flat_map(Counter::all_attributes).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!((count, all.len()), (16, 16));
    }

    #[test]
    fn counters_are_doubted_if_another_version_has_counted() {
        let counters = |together: i64, live: i64| {
            Item::from([("apps".to_owned(), number(together)), ("liveApps".to_owned(), number(live))])
        };
        for (together, live, is_doubtful) in [(3, 3, false), (3, 2, true), (2, 3, true), (CLOSED, 3, false)] {
            assert_eq!(Counter::Apps.is_doubtful(&counters(together, live)), is_doubtful, "{together} {live}");
        }
        assert!(!Counter::Apps.is_doubtful(&Item::new()) && !Counter::PlaygroundUsers.is_doubtful(&counters(1, 2)));
        assert!(
            Counter::Apps.is_full(Mode::Live, &counters(100, 0))
                && !Counter::Apps.is_full(Mode::Test, &counters(100, 0))
        );
    }

    #[test]
    fn a_refusal_names_limit_and_mode() {
        let message = |counter: Counter, mode| counter.refusal(mode).message().to_owned();
        assert_eq!(message(Counter::Apps, Mode::Live), "An organization may have at most 100 live apps.");
        assert_eq!(message(Counter::AdminKeys, Mode::Test), "An organization may have at most 50 test admin keys.");
        let users = "An organization may have at most 1000 playground users.";
        assert_eq!(message(Counter::PlaygroundUsers, Mode::Test), users);
    }
}
