//! The limits that pages name beside their tables of limits.

use domain::chat::blocked::USERS_PER_REQUEST;
use domain::chat::health::{CHECKS_AN_HOUR, PROBLEMS_KEPT, TOKEN_WARNING};
use domain::chat::number::{REGISTRATION_WINDOW, REGISTRATIONS};
use domain::chat::number_profile::{
    ABOUT_LENGTH, ADDRESS_LENGTH, EMAIL_LENGTH, PROFILE_DESCRIPTION_LENGTH, WEBSITE_LENGTH, WEBSITES,
};
use domain::chat::onboarding_link::{
    CONNECTING, DEFAULT_SECONDS, LONGEST_SECONDS, METADATA_BYTES, OPEN_LINKS_PER_ORGANIZATION, REFUSED_CODES,
    SHORTEST_SECONDS, STATE_LENGTH,
};
use domain::chat::outgoing::medium::CAPTION_LENGTH;
use domain::chat::outgoing::{CLIENT_REFERENCE_LENGTH, interactive, products};
use domain::chat::profile::{ONBOARDINGS_AN_HOUR, PROFILES_PER_ORGANIZATION};
use domain::chat::{TEXT_LENGTH, template_draft};
use domain::events::delivery::{
    ATTEMPTS, BODY_KEPT, DAYS_TO_DISABLE, FAILURES_TO_DISABLE, FAILURES_TO_WAIT, LONGEST_RETRY_AFTER,
};
use domain::events::feed::READABLE;
use domain::events::recovery::{DRY_RUNS_AN_HOUR, IN_FLIGHT, LONGEST, LOOKED_AT, RECOVERED_PER_DAY};
use domain::events::webhook::{HEADER_BYTES, MANUAL_DELIVERIES_AN_HOUR, MAX_HEADERS, WEBHOOKS_PER_APP};
use domain::media::{MULTIPART_LIMIT, MediaKind, RECEIVED_LIMIT, UPLOAD_WINDOW, URL_SECONDS};
use domain::message::{LONGEST_WAIT, SHORTEST_WAIT, TEST_SENDS_A_DAY};
use domain::number::{APPS_PER_NUMBER, NUMBERS_PER_ORGANIZATION};
use domain::page::{
    DEFAULT_PER_PAGE, DELIVERIES_LOOKED_AT, DELIVERY_BYTES_LOOKED_AT, FEED_ENTRIES_LOOKED_AT, MESSAGES_LOOKED_AT,
    MOST_PER_PAGE,
};
use domain::sms::outgoing::{LARGEST_FILE, LARGEST_IMAGE};
use domain::testing::playground::{
    MESSAGES_A_DAY, SIMULATED_MESSAGE_BYTES, SIMULATED_RECIPIENTS, USERS_PER_ORGANIZATION,
};
use domain::testing::simulation::{DELIVERIES_SHOWN, MAX_DELAY, RUNNING_PER_ORGANIZATION, STEPS};
use domain::text::{SLUG_LENGTH, STRING_LENGTH};
use domain::time::{in_days, in_hours, in_minutes};
use domain::{calling, deletion, erasure, identity::organization, message::pace, sms};
use platform::render::{LARGEST_OBJECT, MOST_MEDIA};
use store::RESPONSE_KEPT;

use super::{assert_page_says, grouped, kib, mib, word};

#[test]
fn the_specification() {
    let (image, file) = (mib(LARGEST_IMAGE), kib(LARGEST_FILE));
    let longest_retention = grouped(organization::LONGEST_MESSAGE_RETENTION_DAYS);
    let said = [
        format!("- **Lists** take `limit` (1 to {MOST_PER_PAGE}, {DEFAULT_PER_PAGE} by default)"),
        format!("(1 to {} visible ASCII characters)", api::idempotency::LONGEST_KEY),
        format!("a POST with a credential safe to repeat for {} hours", in_hours(RESPONSE_KEPT)),
        format!("marked *session* below; {} hours at most |", domain::identity::key::LONGEST_SESSION_SECONDS / 3600),
        format!("Budget: {} seconds,", chat::SIGNUP_BUDGET.as_secs()),
        format!("tried fewer than {REGISTRATIONS} times in {} hours", in_hours(REGISTRATION_WINDOW)),
        format!("| `state` | up to {STATE_LENGTH} characters"),
        format!("an object of at most {} KiB of JSON", kib(METADATA_BYTES)),
        format!("| {SHORTEST_SECONDS} to {} seconds, {}", grouped(LONGEST_SECONDS), grouped(DEFAULT_SECONDS)),
        format!("{OPEN_LINKS_PER_ORGANIZATION} pending links per organization and mode;"),
        format!("kept for {} days after the expiry.", in_days(domain::chat::onboarding_link::KEPT)),
        format!("a signup can be continued for {} hours", in_hours(CONNECTING)),
        format!("`appIds` (at most {APPS_PER_NUMBER})"),
        format!("at most {} characters, no credentials, no fragment", grouped(STRING_LENGTH)),
        format!("at most {MAX_HEADERS} headers and {} KiB in total;", kib(HEADER_BYTES)),
        format!("waits up to {} seconds for it", chat::SYNC_PATIENCE.as_secs()),
        format!("- E9 takes up to {} MiB;", mib(MULTIPART_LIMIT)),
        format!("| `image/jpeg`, `image/png` | {} MB |", mib(MediaKind::Image.limit())),
        format!("| `image/webp` | {} KB |", kib(MediaKind::Sticker.limit())),
        format!("`video/3gpp` | {} MB |", mib(MediaKind::Video.limit())),
        format!("`audio/ogg` | {} MB |", mib(MediaKind::Audio.limit())),
        format!("Microsoft Office types | {} MB |", mib(MediaKind::Document.limit())),
        format!("has at most {SLUG_LENGTH} characters and is unique"),
        format!("stopped after {} seconds because the receiver is slow.", delivery::PROMPT.as_secs()),
        format!("are more than {} days old or the feed was off", in_days(READABLE)),
        format!("within {} s; 429 after {CHECKS_AN_HOUR} in an hour", platform::CHECK_BUDGET.as_secs()),
        format!("or {} times in 30 days |", template_draft::EDITS_PER_30_DAYS),
        format!("A filtered page looks at {MESSAGES_LOOKED_AT} messages at most"),
        format!("at most {MOST_MEDIA} media of the app"),
        format!("in the platform's own format, {} KiB,", kib(LARGEST_OBJECT)),
        format!("with exactly these headers within {} minutes", in_minutes(UPLOAD_WINDOW)),
        format!("`urlExpiresIn` is at most {}.", grouped(URL_SECONDS)),
        format!("own form, at most {} updates,", inbound::MOST_UPDATES),
        format!("the events of the steps and their deliveries, at most {DELIVERIES_SHOWN};"),
        format!("`text` has 1 to {} characters", grouped(sms::TEXT_LENGTH)),
        format!("JPEG or PNG of at most {image} MB, another file of at most {file} KB."),
        format!("are kept: 1 to {} days, ", organization::LONGEST_MEDIA_RETENTION_DAYS),
        format!("days, {} by default |", organization::DEFAULT_MEDIA_RETENTION_DAYS),
        format!("are kept: {} to {longest_retention} days,", organization::SHORTEST_MESSAGE_RETENTION_DAYS),
        format!("days, {} by default |", organization::DEFAULT_MESSAGE_RETENTION_DAYS),
        format!("| {}; 1 to {} seconds", calling::DEFAULT_VOICEMAIL_SECONDS, calling::LONGEST_VOICEMAIL_SECONDS),
        format!("have been fetched ({} MB at most)", mib(RECEIVED_LIMIT)),
    ];
    assert_page_says("docs/specification.md", &said);
}

#[test]
fn pages_about_messages() {
    let text = grouped(sms::TEXT_LENGTH);
    let (image, file) = (mib(LARGEST_IMAGE), kib(LARGEST_FILE));
    let test_sends = grouped(TEST_SENDS_A_DAY);
    let said = [
        format!("your own reference, at most {CLIENT_REFERENCE_LENGTH} characters."),
        format!("1 to {} characters. `previewUrl`", grouped(TEXT_LENGTH)),
        format!("`caption` ({} characters)", grouped(CAPTION_LENGTH)),
        format!("a `body` ({} characters;", grouped(interactive::BODY_LENGTH)),
        format!("characters; {} in a list)", grouped(interactive::LIST_BODY_LENGTH)),
        format!("Up to {} buttons, with unique ids and titles:", word(*interactive::BUTTONS.end())),
        format!("A list of up to {} rows:", word(*interactive::ROWS.end())),
        format!("cloud-api/reference/messages), at most {} KiB.", kib(LARGEST_OBJECT)),
        format!("`mediaId` too, at most {} in a message:", word(MOST_MEDIA)),
        format!("up to {} products in up to {} sections", products::PRODUCTS.end(), products::PRODUCT_SECTIONS.end()),
        format!("titles of {} characters", products::SECTION_TITLE_LENGTH),
        format!("with the same `Idempotency-Key`, within {} hours:", in_hours(RESPONSE_KEPT)),
        format!("{} messages per second and number, {} for a number", pace::STANDARD, pace::COEXISTENCE),
        format!("and {} with the high throughput tier.", grouped(pace::HIGH)),
        format!("`validForSeconds` ({} to {};", SHORTEST_WAIT.as_secs(), grouped(LONGEST_WAIT.as_secs())),
        format!("{test_sends} test messages a day can be sent"),
        format!("A filtered page looks at {MESSAGES_LOOKED_AT} messages at most"),
    ];
    assert_page_says("docs/sending.md", &said);
    let said = [
        format!("| `text` | 1 to {text} characters;"),
        format!("your own reference, at most {CLIENT_REFERENCE_LENGTH} characters:"),
        format!("JPEG and PNG images of at most {image} MB;"),
        format!("and PDF of at most {file} KB."),
        format!("| text | {text} characters |"),
        format!("| MMS | one medium: image {image} MB, other files {file} KB ("),
        format!("in live mode, {test_sends} in test mode; an MMS is one part |"),
        format!("{} numbers per organization, linked ones included |", grouped(NUMBERS_PER_ORGANIZATION)),
        format!("{} per second and number, ", word(pace::LONG_CODE)),
        format!("{} from a toll-free one.", word(pace::TOLL_FREE)),
    ];
    assert_page_says("docs/sms.md", &said);
    assert_page_says("docs/cli.md", &[format!("| `upload FILE` | up to {} MiB in one request", mib(MULTIPART_LIMIT))]);
    let quoted = domain::error::provider::LONGEST_MESSAGE;
    assert_page_says("docs/error-codes.md", &[format!("the provider's own words, of at most {quoted} characters |")]);
    let kept = in_hours(RESPONSE_KEPT);
    assert_page_says("docs/tour.md", &[format!("for {kept} hours you get the first response again")]);
}

#[test]
fn pages_about_events() {
    let deadline = delivery::DEADLINE.as_secs();
    let kept = in_days(domain::events::delivery::KEPT);
    let said = [
        format!("respond with 2xx within {deadline} seconds, and process"),
        format!("A 2xx within {deadline} seconds is success."),
        format!("(in seconds, up to {} h) replaces the wait", in_hours(LONGEST_RETRY_AFTER)),
        format!("| {} failures in a row |", word(FAILURES_TO_WAIT)),
        format!("the first at least {} days ago |", word(DAYS_TO_DISABLE)),
        format!("redelivered for {kept} days ("),
        format!("If there is no response after {} seconds, the attempt", delivery::PROMPT.as_secs()),
        format!("queue*, with the full {deadline} seconds."),
        format!("does not count towards the {}.", word(ATTEMPTS)),
        format!("up to {IN_FLIGHT} deliveries are attempted at the same time, each with {deadline} seconds"),
        format!("A webhook can have {} dry runs per hour.", word(DRY_RUNS_AN_HOUR)),
        format!("| {} recovered deliveries per webhook and day (UTC) |", grouped(RECOVERED_PER_DAY)),
        format!("| {} deliveries looked at, and {} hours, per recovery |", grouped(LOOKED_AT), in_hours(LONGEST)),
        format!("| {MANUAL_DELIVERIES_AN_HOUR} recoveries, redeliveries and tests per webhook and hour |"),
        format!("Recoveries are kept for {} days.", in_days(domain::events::recovery::KEPT)),
        format!("a page with this filter looks at up to {FEED_ENTRIES_LOOKED_AT} events"),
        format!("| `limit` | 1 to {MOST_PER_PAGE} ({DEFAULT_PER_PAGE});"),
        format!("they are more than {} days old, or the feed was off since.", in_days(READABLE)),
        format!("SQS accepted the message within {} seconds.", aws::queue::DESTINATION_LIMIT.as_secs()),
        format!("at most {DELIVERIES_LOOKED_AT} deliveries and {} MiB", mib(DELIVERY_BYTES_LOOKED_AT)),
        format!("{} KiB of response headers and {} KiB of body are read.", kib(delivery::LARGEST_HEAD), kib(BODY_KEPT)),
    ];
    assert_page_says("docs/events.md", &said);
    assert_eq!(FAILURES_TO_DISABLE, 20, "docs/events.md and docs/runbook.md say: at least twenty failures");
    assert_page_says("README.md", &[format!("where a limit is defined ({WEBHOOKS_PER_APP} webhooks per app)")]);
}

#[test]
fn pages_about_accounts() {
    let refused = word(REFUSED_CODES);
    let (shortest, longest) = (SHORTEST_SECONDS / 60, LONGEST_SECONDS / 86_400);
    let said = [
        format!("the same request continues, for {} hours, also past the expiry", in_hours(CONNECTING)),
        format!("If nobody continues within {} hours, it is `FAILED`", in_hours(CONNECTING)),
        format!("Limits: {OPEN_LINKS_PER_ORGANIZATION} open links per organization and mode, {refused} refused codes"),
        format!("{shortest} minutes to {longest} days each, and the {ONBOARDINGS_AN_HOUR} signups per hour"),
        format!("Links are kept for {} days after they expire.", in_days(domain::chat::onboarding_link::KEPT)),
        format!("still counts against the limit of {PROFILES_PER_ORGANIZATION}."),
    ];
    assert_page_says("docs/onboarding.md", &said);
    let said = [
        format!("| 1 to {USERS_PER_REQUEST} users per request"),
        format!("one line of 1 to {ABOUT_LENGTH} characters."),
        format!("| {ADDRESS_LENGTH}, {PROFILE_DESCRIPTION_LENGTH} characters |"),
        format!("| `email` | {EMAIL_LENGTH} characters |"),
        format!("| `websites` | {WEBSITES} URLs with `http://` or `https://`, of {WEBSITE_LENGTH} characters each |"),
        format!("up to {} MB. It should be square", mib(MediaKind::Image.limit())),
    ];
    assert_page_says("docs/managing.md", &said);
    let said = [
        format!("ends within {} days |", in_days(TOKEN_WARNING)),
        format!("| time | {} seconds in all.", platform::CHECK_BUDGET.as_secs()),
        format!("({PROFILES_PER_ORGANIZATION} in each mode)"),
        format!("| {CHECKS_AN_HOUR} per hour in each mode,"),
        format!("the failed ones first, at most {}.", word(PROBLEMS_KEPT)),
    ];
    assert_page_says("docs/platform-check.md", &said);
    let erased = erasure::PAGES_PER_JOB * erasure::PER_PAGE;
    let said = [
        format!("erases up to {} messages", grouped(erased)),
        format!("A job handles {} pages of {} messages", erasure::PAGES_PER_JOB, erasure::PER_PAGE),
        format!("nobody can read them after {} days;", in_days(READABLE)),
        format!("the table removes them after {} |", in_days(erasure::EVENTS_KEPT)),
        format!("after {} days at most |", in_days(erasure::QUEUES_KEPT)),
        format!("| {} days after the table has removed the item |", in_days(erasure::BACKUPS_KEPT)),
        format!("the sweep queues another {} minutes later", in_minutes(store::ERASURE_QUEUED_AGAIN_AFTER)),
        format!("A deletion takes at least {} minutes", in_minutes(deletion::SETTLING)),
        format!("{} hours after the request the deletion stops waiting", in_hours(deletion::PLATFORM_PATIENCE)),
    ];
    assert_page_says("docs/erasure.md", &said);
}

#[test]
fn the_page_about_templates() {
    use template_draft::{Category, EXPIRY_MINUTES};

    let ttl = |category: Category| category.times_to_live().0;
    let [authentication, utility, marketing] =
        [Category::Authentication, Category::Utility, Category::Marketing].map(ttl);
    let said = [
        format!("1 to {} lower-case letters, digits", domain::chat::outgoing::template::NAME_LENGTH),
        format!("`TEXT` of {} characters,", template_draft::HEADER_LENGTH),
        format!("| body | {} characters.", grouped(template_draft::BODY_LENGTH)),
        format!("| footer | {} characters,", template_draft::FOOTER_LENGTH),
        format!("| buttons | {} in all,", template_draft::BUTTONS),
        format!("Texts of {} characters without variables |", template_draft::BUTTON_TEXT_LENGTH),
        format!("| URL of a button | {} characters,", grouped(template_draft::URL_LENGTH)),
        format!("| {}; {} characters |", template_draft::PHONE_NUMBER_LENGTH, template_draft::CODE_LENGTH),
        format!("| {} to {} (`AUTHENTICATION`)", authentication.start(), authentication.end()),
        format!("{} to {} (`UTILITY`)", utility.start(), grouped(*utility.end())),
        format!("{} to {} (`MARKETING`)", grouped(*marketing.start()), grouped(*marketing.end())),
        format!("| JPEG or PNG, {} MiB |", mib(MediaKind::Image.limit())),
        format!("| MP4, {} MiB |", mib(MediaKind::Video.limit())),
        format!("| PDF, {} MiB.", mib(template_draft::SAMPLE_DOCUMENT_LIMIT)),
        format!("| MP4, {} MiB;", template_draft::SAMPLE_GIF_LIMIT as f64 / f64::from(1024 * 1024)),
        format!("all examples of a template together have at most {} MiB", mib(template_draft::SAMPLES_LIMIT)),
        format!("{} to {} cards.", template_draft::CARDS.start(), template_draft::CARDS.end()),
        format!("a body of {} characters,", template_draft::CARD_BODY_LENGTH),
        format!("1 to {} buttons", template_draft::CARD_BUTTONS),
        format!("text of {} characters,", template_draft::OFFER_TEXT_LENGTH),
        format!("a body of {} characters;", template_draft::OFFER_BODY_LENGTH),
        format!("`PRODUCT`; a body of {} characters;", template_draft::PRODUCT_BODY_LENGTH),
        format!("`code_expiration_minutes`, {} to {} |", EXPIRY_MINUTES.start(), EXPIRY_MINUTES.end()),
        format!("have `supported_apps`, 1 to {} of", template_draft::SUPPORTED_APPS),
        format!("{} times in 30 days.", template_draft::EDITS_PER_30_DAYS),
    ];
    assert_page_says("docs/templates.md", &said);
}

#[test]
fn the_page_about_test_mode() {
    let (users, messages) = (grouped(USERS_PER_ORGANIZATION), grouped(MESSAGES_A_DAY));
    let said = [
        format!("of which an organization can have {users}. An app can simulate {messages} messages per day."),
        format!("one of the organization's {users} playground users |"),
        format!("counts as one of the app's {messages} simulated messages per day."),
        format!("0 to {}. Each further step", grouped(MAX_DELAY)),
        format!("than the {DELIVERIES_SHOWN} that are shown;"),
        format!("can have {RUNNING_PER_ORGANIZATION} running simulations, and a simulation has at most {STEPS} steps"),
        format!("or has more than {} updates |", inbound::MOST_UPDATES),
        format!("it can have {SIMULATED_RECIPIENTS} recipients"),
        format!("larger than {} KiB is ignored.", kib(SIMULATED_MESSAGE_BYTES)),
    ];
    assert_page_says("docs/test-mode.md", &said);
}
