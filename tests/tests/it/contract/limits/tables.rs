//! The tables of limits and quotas in docs/api-design.md and docs/specification.md.

use api::body::JSON_LIMIT;
use domain::chat::blocked::USERS_PER_REQUEST;
use domain::chat::group::{DESCRIPTION_LENGTH, MOST_JOIN_REQUESTS, MOST_PARTICIPANTS, SUBJECT_LENGTH};
use domain::chat::health::CHECKS_AN_HOUR;
use domain::chat::number::{REGISTRATION_WINDOW, REGISTRATIONS};
use domain::chat::number_profile::{
    ABOUT_LENGTH, ADDRESS_LENGTH, EMAIL_LENGTH, PROFILE_DESCRIPTION_LENGTH, WEBSITE_LENGTH, WEBSITES,
};
use domain::chat::onboarding_link::OPEN_LINKS_PER_ORGANIZATION;
use domain::chat::profile::{ONBOARDINGS_AN_HOUR, PROFILES_PER_ORGANIZATION, SYNCS_AN_HOUR};
use domain::events::feed::READABLE;
use domain::events::recovery::{DRY_RUNS_AN_HOUR, IN_FLIGHT, LONGEST, LOOKED_AT, RECOVERED_PER_DAY};
use domain::events::webhook::{
    HEADER_BYTES, MANUAL_DELIVERIES_AN_HOUR, MAX_HEADERS, WEBHOOKS_OF_ORGANIZATION, WEBHOOKS_PER_APP,
};
use domain::identity::app::{APPS_PER_ORGANIZATION, NUMBERS_PER_APP};
use domain::identity::key::{ADMIN_KEYS_PER_ORGANIZATION, KEYS_PER_APP};
use domain::identity::organization::{
    DEFAULT_MEDIA_RETENTION_DAYS, DEFAULT_MESSAGE_RETENTION_DAYS, LONGEST_MEDIA_RETENTION_DAYS,
    LONGEST_MESSAGE_RETENTION_DAYS, SHORTEST_MESSAGE_RETENTION_DAYS,
};
use domain::media::{
    MULTIPART_LIMIT, MediaKind, PENDING_UPLOADS, RECEIVED_LIMIT, TEST_BYTES_A_DAY, TEST_UPLOADS_A_DAY, UPLOAD_WINDOW,
};
use domain::message::TEST_SENDS_A_DAY;
use domain::number::{APPS_PER_NUMBER, NUMBERS_PER_ORGANIZATION};
use domain::page::{
    FEED_ENTRIES_LOOKED_AT, MESSAGES_LOOKED_AT, MOST_BYTES_PER_PAGE, MOST_PER_PAGE, TEMPLATES_LOOKED_AT,
};
use domain::testing::playground::{
    BYTES_POSTED_A_DAY, BYTES_STORED_A_DAY, MESSAGES_A_DAY, MOST_SYSTEM_NUMBERS, SIMULATED_MESSAGE_BYTES,
    SIMULATED_RECIPIENTS, USERS_PER_ORGANIZATION,
};
use domain::testing::simulation::{DELIVERIES_SHOWN, RUNNING_PER_ORGANIZATION, STEPS};
use domain::text::{NAME_LENGTH, STRING_LENGTH};
use domain::time::{in_days, in_hours, in_minutes};
use domain::{chat, sms};

use super::{assert_page_says, grouped, kib, mib};

/// Asserts that a page has tables with these rows: what is limited, and the beginning of the limit.
fn assert_rows(page: &str, rows: &[(&str, String)]) {
    let rows: Vec<_> = rows.iter().map(|(what, limit)| format!("| {what} | {limit}")).collect();
    assert_page_says(page, &rows);
}

fn gigabytes(bytes: u64) -> u64 {
    bytes / 1_000_000_000
}

#[test]
fn api_design_lists_the_limits_of_objects() {
    let numbers = grouped(NUMBERS_PER_ORGANIZATION);
    let chat_numbers = grouped(chat::number::NUMBERS_PER_ORGANIZATION);
    let said = [
        (
            "recipients of a message in test mode; size up to which a made-up status lets a message grow",
            format!("{SIMULATED_RECIPIENTS}; {} KiB |", kib(SIMULATED_MESSAGE_BYTES)),
        ),
        ("deliveries that a simulation shows", format!("{DELIVERIES_SHOWN} |")),
        (
            "admin keys, apps, phone numbers of an organization, of each mode",
            format!("{ADMIN_KEYS_PER_ORGANIZATION}, {APPS_PER_ORGANIZATION}, {numbers} |"),
        ),
        ("playground users of an organization", format!("{} |", grouped(USERS_PER_ORGANIZATION))),
        ("open onboarding links of an organization, of each mode", format!("{OPEN_LINKS_PER_ORGANIZATION} |")),
        (
            "business profiles, chat phone numbers (without those of test apps) of an organization, of each mode",
            format!("{PROFILES_PER_ORGANIZATION}, {chat_numbers} |"),
        ),
        (
            "keys, webhooks, phone numbers of an app; system numbers among them",
            format!("{KEYS_PER_APP}, {WEBHOOKS_PER_APP}, {NUMBERS_PER_APP}; {MOST_SYSTEM_NUMBERS} |"),
        ),
        ("apps of a phone number", format!("{APPS_PER_NUMBER} |")),
        (
            "webhooks of an organization that subscribe to events of templates or accounts, of each mode",
            format!("{WEBHOOKS_OF_ORGANIZATION} |"),
        ),
        ("deliveries", format!("end {} days after their event |", in_days(domain::events::delivery::KEPT))),
        ("events", format!("end after {} days, to the second:", in_days(READABLE))),
        ("registrations of a number", format!("{REGISTRATIONS} in {} hours |", in_hours(REGISTRATION_WINDOW))),
        (
            "media retention",
            format!("1 to {LONGEST_MEDIA_RETENTION_DAYS} days, {DEFAULT_MEDIA_RETENTION_DAYS} by default,"),
        ),
        (
            "message retention",
            format!(
                "{SHORTEST_MESSAGE_RETENTION_DAYS} to {} days, {DEFAULT_MESSAGE_RETENTION_DAYS} by default,",
                grouped(LONGEST_MESSAGE_RETENTION_DAYS)
            ),
        ),
    ];
    assert_rows("docs/api-design.md", &said);
}

#[test]
fn api_design_lists_the_limits_of_requests() {
    let [image, sticker, video, document] =
        [MediaKind::Image, MediaKind::Sticker, MediaKind::Video, MediaKind::Document].map(MediaKind::limit);
    let said = [
        ("a page of a list or feed", format!("{MOST_PER_PAGE} objects; {} MiB of the", mib(MOST_BYTES_PER_PAGE))),
        ("a page of an event feed with `types`", format!("looks at {FEED_ENTRIES_LOOKED_AT} entries |")),
        (
            "group subject; description; participants in a removal",
            format!("{SUBJECT_LENGTH}; {} characters; {MOST_PARTICIPANTS} |", grouped(DESCRIPTION_LENGTH)),
        ),
        (
            "users to block or unblock per request; requests to join a group to decide",
            format!("{USERS_PER_REQUEST}; {MOST_JOIN_REQUESTS} |"),
        ),
        (
            "profile of a number: about; address; description; email; websites",
            format!(
                "{ABOUT_LENGTH}; {ADDRESS_LENGTH}; {PROFILE_DESCRIPTION_LENGTH}; {EMAIL_LENGTH} characters; \
                 {WEBSITES} of {WEBSITE_LENGTH} |"
            ),
        ),
        (
            "a notification",
            format!(
                "{} MiB (413); {} updates at once, for at most {} ms, the rest queued |",
                mib(notifications::LARGEST_BODY),
                notifications::INLINE,
                notifications::INLINE_BUDGET.as_millis()
            ),
        ),
        ("an update of a notification", format!("{} KiB; the longest parts", kib(inbound::LARGEST_BODY))),
        ("an inbound medium", format!("{} MB |", mib(RECEIVED_LIMIT))),
        ("names; other strings", format!("{NAME_LENGTH}; {} characters |", grouped(STRING_LENGTH))),
        ("chat text; SMS text", format!("{}; {} characters |", grouped(chat::TEXT_LENGTH), grouped(sms::TEXT_LENGTH))),
        ("JSON body", format!("{} KiB (413) |", kib(JSON_LIMIT))),
        ("webhook headers", format!("{MAX_HEADERS}, {} KiB in total |", kib(HEADER_BYTES))),
        ("upload through the API", format!("{} MiB |", mib(MULTIPART_LIMIT))),
        (
            "image; sticker; video, audio; document",
            format!("{} MB; {} KB; {} MB; {} MB (", mib(image), kib(sticker), mib(video), mib(document)),
        ),
        ("direct upload", format!("{} minutes |", in_minutes(UPLOAD_WINDOW))),
        (
            "list items that a filtered page of messages looks at; templates with `language`, `category` or `status`",
            format!("{MESSAGES_LOOKED_AT}; {TEMPLATES_LOOKED_AT} |"),
        ),
        ("an operation", format!("{} s, then 500 |", api::router::TIME_LIMIT.as_secs())),
    ];
    assert_rows("docs/api-design.md", &said);
}

#[test]
fn api_design_lists_the_quotas() {
    let said = [
        (
            "bytes stored by the test apps of an organization per day: uploads, announced ones too, and simulated notifications",
            format!("{} GB (", gigabytes(BYTES_STORED_A_DAY)),
        ),
        (
            "bytes posted to the webhooks of an organization per day in test mode",
            format!("{} GB (", gigabytes(BYTES_POSTED_A_DAY)),
        ),
        ("bytes uploaded, or announced, by an app per day", format!("{} GB (", gigabytes(TEST_BYTES_A_DAY))),
        ("messages sent by an app per day", format!("{} in test mode;", grouped(TEST_SENDS_A_DAY))),
        (
            "parts of SMS and MMS sent by an organization per day",
            format!("{} in test mode;", grouped(TEST_SENDS_A_DAY)),
        ),
        ("files uploaded, or announced, by an app per day", format!("{} in test mode;", grouped(TEST_UPLOADS_A_DAY))),
        ("pending direct uploads of an app", format!("{PENDING_UPLOADS} |")),
        ("simulated messages of a test app per day", format!("{};", grouped(MESSAGES_A_DAY))),
        ("running simulations of an organization; steps of one", format!("{RUNNING_PER_ORGANIZATION}; {STEPS} |")),
        ("template syncs of a profile per hour", format!("{SYNCS_AN_HOUR};")),
        (
            "accounts that an organization connects per hour and mode, by signup or token",
            format!("{ONBOARDINGS_AN_HOUR};"),
        ),
        (
            "tests, redeliveries and recoveries of a webhook per hour; dry runs of recoveries among them",
            format!("{MANUAL_DELIVERIES_AN_HOUR}; {DRY_RUNS_AN_HOUR} |"),
        ),
        ("platform checks of an organization per hour and mode", format!("{CHECKS_AN_HOUR} |")),
        (
            "running recoveries of a webhook; recovered deliveries of a webhook per day (UTC)",
            format!("1; {}.", grouped(RECOVERED_PER_DAY)),
        ),
        (
            "deliveries of a recovery that are attempted at the same time; that it looks at; its duration",
            format!("{IN_FLIGHT}; {}; {} h |", grouped(LOOKED_AT), in_hours(LONGEST)),
        ),
    ];
    assert_rows("docs/api-design.md", &said);
}

#[test]
fn the_specification_lists_the_limits() {
    let numbers = grouped(NUMBERS_PER_ORGANIZATION);
    let chat_numbers = grouped(chat::number::NUMBERS_PER_ORGANIZATION);
    let said = [
        ("participants per removal (E8)", format!("1 to {MOST_PARTICIPANTS} |")),
        ("direct upload", format!("{} minutes |", in_minutes(UPLOAD_WINDOW))),
        ("media retention", format!("`mediaRetentionDays`, 1 to {LONGEST_MEDIA_RETENTION_DAYS} |")),
        (
            "message retention",
            format!(
                "`messageRetentionDays`, {SHORTEST_MESSAGE_RETENTION_DAYS} to {} |",
                grouped(LONGEST_MESSAGE_RETENTION_DAYS)
            ),
        ),
        (
            "per organization, of each mode",
            format!(
                "{ADMIN_KEYS_PER_ORGANIZATION} admin keys, {APPS_PER_ORGANIZATION} apps, {numbers} phone numbers, \
                 {chat_numbers} chat phone numbers, {PROFILES_PER_ORGANIZATION} business profiles, \
                 {WEBHOOKS_OF_ORGANIZATION} webhooks that subscribe to"
            ),
        ),
        ("per organization", format!("{} playground users |", grouped(USERS_PER_ORGANIZATION))),
        (
            "per app",
            format!(
                "{KEYS_PER_APP} keys, {WEBHOOKS_PER_APP} webhooks, {NUMBERS_PER_APP} numbers, of which \
                 {MOST_SYSTEM_NUMBERS} system numbers |"
            ),
        ),
        ("per number", format!("{APPS_PER_NUMBER} apps |")),
        ("names; other strings", format!("1 to {NAME_LENGTH}; {} characters;", grouped(STRING_LENGTH))),
    ];
    assert_rows("docs/specification.md", &said);
}
