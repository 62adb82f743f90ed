//! The texts of the platform's error codes: the platform's own, with which the simulated platform reports them, and
//! this API's, for a message that failed with the code. One file per subject; docs/platform-errors.md lists them all.

mod blocked;
mod calls;
mod flows;
mod general;
mod groups;
mod health;
mod marketing;
mod messages;
mod numbers;
mod templates;

/// The texts of one code.
pub struct Words {
    pub code: i64,
    /// The platform's title.
    pub title: &'static str,
    /// This API's explanation.
    pub explanation: &'static str,
}

const fn words(code: i64, title: &'static str, explanation: &'static str) -> Words {
    Words { code, title, explanation }
}

/// Codes that belong together, in ascending order.
pub struct Subject {
    /// The heading of their table in docs/platform-errors.md.
    pub title: &'static str,
    pub words: &'static [Words],
}

/// The codes that the platform documents, and those that have a translation.
pub const SUBJECTS: &[Subject] = &[
    Subject { title: "Access, rates and requests", words: general::WORDS },
    Subject { title: "Messages", words: messages::WORDS },
    Subject { title: "Groups", words: groups::WORDS },
    Subject { title: "Templates", words: templates::WORDS },
    Subject { title: "Marketing messages", words: marketing::WORDS },
    Subject { title: "Phone numbers", words: numbers::WORDS },
    Subject { title: "Blocked users", words: blocked::WORDS },
    Subject { title: "Flows", words: flows::WORDS },
    Subject { title: "Calls", words: calls::WORDS },
    Subject { title: "Health status", words: health::WORDS },
];

/// The code of a missing permission, whose texts all codes of its range share.
const PERMISSION: i64 = 200;
const PERMISSIONS: std::ops::RangeInclusive<i64> = PERMISSION..=299;

/// The explanation of codes that are not listed.
const OTHER: &str =
    "WhatsApp reported an error that has no code of its own here. Its own code and message are in `provider`.";

/// Returns the texts of all codes, by subject.
pub fn all() -> impl Iterator<Item = &'static Words> {
    SUBJECTS.iter().flat_map(|subject| subject.words)
}

fn find(platform: i64) -> Option<&'static Words> {
    let listed = if PERMISSIONS.contains(&platform) { PERMISSION } else { platform };
    all().find(|words| words.code == listed)
}

/// Returns the platform's title of one of its codes, as the simulated platform reports it in statuses.
pub fn title(platform: i64) -> &'static str {
    find(platform).map_or("Unknown error", |words| words.title)
}

/// Returns the message with which the platform responds with one of its codes.
pub fn message(platform: i64) -> String {
    format!("(#{platform}) {}", title(platform))
}

/// Returns the explanation that a message shows as its error if it failed with one of the platform's codes.
pub fn explanation(platform: i64) -> &'static str {
    find(platform).map_or(OTHER, |words| words.explanation)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::chat::platform_error::TRANSLATIONS;

    #[test]
    fn each_code_is_explained_once_in_its_own_words() {
        let codes: BTreeSet<i64> = all().map(|words| words.code).collect();
        let texts: BTreeSet<&str> = all().map(|words| words.explanation).chain([OTHER]).collect();
        assert_eq!((codes.len(), texts.len()), (all().count(), all().count() + 1));
        let translated = TRANSLATIONS.iter().flat_map(|(translated, ..)| translated.iter());
        assert_eq!(translated.filter(|code| !codes.contains(code)).collect::<Vec<_>>(), Vec::<&i64>::new());
        assert_eq!((title(-1), explanation(-1)), ("Unknown error", OTHER));
    }

    #[test]
    fn each_subject_is_in_order_and_each_text_is_one_line_of_a_table() {
        for subject in SUBJECTS {
            assert!(subject.words.is_sorted_by_key(|words| words.code), "{}", subject.title);
        }
        for Words { code, title, explanation } in all() {
            assert!(explanation.ends_with('.') && !title.is_empty(), "{code}");
            assert!(![*title, *explanation].concat().contains(['|', '\n', '"']), "{code}");
            assert!(!explanation.contains("  "), "{code}");
        }
    }

    #[test]
    fn missing_permissions_share_their_texts() {
        assert_eq!((title(299), explanation(210)), (title(200), explanation(200)));
        assert_eq!((explanation(199), explanation(300)), (OTHER, OTHER));
        assert_eq!(message(299), "(#299) API Permission");
    }
}
