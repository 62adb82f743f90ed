//! The pages of error codes, docs/error-codes.md and docs/platform-errors.md, list what the code knows.

use std::collections::BTreeSet;

use domain::ErrorCode;
use domain::chat::platform_error::{Means, meaning, translate};
use domain::chat::platform_words::{SUBJECTS, Words, all};
use domain::message::pace::RateLimit;
use domain::sms::carrier_error::{REFUSALS, RESULTS};

const ERROR_CODES: &str = include_str!("../../../../../docs/error-codes.md");
const PLATFORM_ERRORS: &str = include_str!("../../../../../docs/platform-errors.md");

/// The rows of the page's tables with this number of columns, without their headers.
fn tables(page: &'static str, columns: usize) -> Vec<Vec<&'static str>> {
    let separator = format!("\n|{}\n", "---|".repeat(columns));
    let rows = |table: &'static str| table.lines().take_while(|line| line.starts_with('|')).collect::<Vec<_>>();
    page.split(&separator).skip(1).map(rows).collect()
}

fn own_code(platform: i64) -> ErrorCode {
    translate(platform).unwrap_or(ErrorCode::PlatformApiError)
}

/// What the service itself repeats after a code of the platform.
fn retried(platform: i64) -> &'static str {
    match meaning(platform) {
        Some(Means::Unavailable) => "queued messages, reads",
        Some(Means::Failed) => "reads",
        _ if RateLimit::of_code(platform).is_some() => "queued messages",
        _ => "no",
    }
}

fn platform_row(words: &Words) -> String {
    let Words { code, title, explanation } = words;
    let own = own_code(*code);
    format!("| {code} | {title} | [`{own}`](error-codes.md#{own}) | {explanation} | {} |", retried(*code))
}

/// One table per subject, with its heading.
#[test]
fn the_page_of_the_platforms_codes_lists_all_of_them() {
    let tables = tables(PLATFORM_ERRORS, 5);
    assert_eq!(tables.len(), SUBJECTS.len());
    for (table, subject) in tables.iter().zip(SUBJECTS) {
        assert_eq!(*table, subject.words.iter().map(platform_row).collect::<Vec<_>>(), "{}", subject.title);
    }
    let headings = PLATFORM_ERRORS.lines().filter_map(|line| line.strip_prefix("## "));
    let headings: Vec<&str> = headings.take(SUBJECTS.len()).collect();
    assert_eq!(headings, SUBJECTS.iter().map(|subject| subject.title).collect::<Vec<_>>());
}

/// The codes of the carrier, and this API's codes that those of a provider become.
#[test]
fn the_page_of_error_codes_lists_the_carriers_codes_and_our_own() {
    let of_carrier = tables(ERROR_CODES, 4);
    assert_eq!(of_carrier.len(), 2);
    for (table, entries) in of_carrier.iter().zip([REFUSALS, RESULTS]) {
        let rows = entries.iter().map(|entry| {
            let own = entry.code;
            format!("| `{}` | {} | [`{own}`](#{own}) | {} |", entry.name, entry.words, entry.explanation)
        });
        assert_eq!(*table, rows.collect::<Vec<_>>());
    }

    let of_providers = REFUSALS.iter().chain(RESULTS).map(|entry| entry.code);
    let of_providers: BTreeSet<&str> =
        all().map(|words| own_code(words.code)).chain(of_providers).map(ErrorCode::as_str).collect();
    let own = ErrorCode::ALL.iter().filter(|code| of_providers.contains(code.as_str()));
    let rows = own.map(|code| {
        let description = code.entry().description;
        format!("| <a id=\"{code}\"></a>`{code}` | {description} | {} |", code.remedy())
    });
    assert_eq!(tables(ERROR_CODES, 3), [rows.collect::<Vec<_>>()]);
}
