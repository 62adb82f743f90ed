//! The descriptions of the OpenAPI document, most of which are doc comments.

use domain::chat::TEXT_LENGTH;
use domain::chat::blocked::USERS_PER_REQUEST;
use domain::chat::health::PROBLEMS_KEPT;
use domain::chat::number::{REGISTRATION_WINDOW, REGISTRATIONS};
use domain::chat::onboarding_link::{CONNECTING, METADATA_BYTES, OPEN_LINKS_PER_ORGANIZATION};
use domain::chat::outgoing::{card, interactive, products};
use domain::chat::template_draft::{
    BODY_LENGTH, BUTTON_TEXT_LENGTH, BUTTONS, CARD_BODY_LENGTH, CARD_BUTTONS, CARDS, Category, EDITS_PER_30_DAYS,
    FOOTER_LENGTH, HEADER_LENGTH, OFFER_BODY_LENGTH, OFFER_TEXT_LENGTH, SAMPLE_DOCUMENT_LIMIT, SAMPLE_GIF_LIMIT,
    URL_LENGTH,
};
use domain::events::delivery::{ATTEMPTS, ATTEMPTS_SHOWN};
use domain::events::feed::READABLE;
use domain::events::recovery::{IN_FLIGHT, RECOVERED_PER_DAY};
use domain::events::webhook::{MANUAL_DELIVERIES_AN_HOUR, WEBHOOKS_PER_APP};
use domain::identity::app::{APPS_PER_ORGANIZATION, NUMBERS_PER_APP};
use domain::identity::key::{ADMIN_KEYS_PER_ORGANIZATION, KEYS_PER_APP, LONGEST_SESSION_SECONDS};
use domain::media::{FILE_NAME_LENGTH, MULTIPART_LIMIT, MediaKind, UPLOAD_WINDOW};
use domain::message::LONGEST_WAIT;
use domain::number::{APPS_PER_NUMBER, NUMBERS_PER_ORGANIZATION};
use domain::page::{
    DEFAULT_PER_PAGE, DELIVERIES_LOOKED_AT, DELIVERY_BYTES_LOOKED_AT, MOST_PER_PAGE, TEMPLATES_LOOKED_AT,
};
use domain::testing::playground::{
    FLOW_RESPONSE_BYTES, MESSAGES_A_DAY, SYSTEM_NUMBERS_PER_APP, USERS_PER_ORGANIZATION,
};
use domain::testing::simulation::{DELIVERIES_SHOWN, RUNNING_PER_ORGANIZATION};
use domain::time::{in_days, in_hours, in_minutes};
use platform::render::LARGEST_OBJECT;
use serde_json::Value;
use store::RESPONSE_KEPT;

use super::{assert_says, grouped, kib, mib, word};

/// Returns all descriptions of a part of the document.
fn descriptions(part: &Value, found: &mut Vec<String>) {
    match part {
        Value::Object(fields) => {
            found.extend(fields.get("description").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|field| descriptions(field, found));
        }
        Value::Array(parts) => parts.iter().for_each(|part| descriptions(part, found)),
        _ => {}
    }
}

fn assert_described(phrases: &[String]) {
    let mut found = Vec::new();
    descriptions(&contract::document(), &mut found);
    assert_says("the OpenAPI document", &found.join("\n"), phrases);
}

#[test]
fn operations_name_the_limits_of_the_code() {
    let (users, messages) = (grouped(USERS_PER_ORGANIZATION), grouped(MESSAGES_A_DAY));
    let said = [
        format!("up to {APPS_PER_ORGANIZATION} apps. A test app"),
        format!("created with {} SMS system numbers", word(SYSTEM_NUMBERS_PER_APP)),
        format!("can have up to {ADMIN_KEYS_PER_ORGANIZATION} admin keys."),
        format!("An app can have up to {KEYS_PER_APP} keys."),
        format!("An app can have up to {WEBHOOKS_PER_APP} webhooks."),
        format!("up to {} phone numbers, and an app up to {NUMBERS_PER_APP}.", grouped(NUMBERS_PER_ORGANIZATION)),
        format!("up to {OPEN_LINKS_PER_ORGANIZATION} open links."),
        format!("Links are kept for {} days after they expire.", in_days(domain::chat::onboarding_link::KEPT)),
        format!("it continues where it stopped, for up to {} hours.", in_hours(CONNECTING)),
        format!("the customer can continue then, for up to {} hours.", in_hours(CONNECTING)),
        format!("was attempted {} times in {} hours.", word(REGISTRATIONS), in_hours(REGISTRATION_WINDOW)),
        format!("Takes at most {} seconds; a profile", platform::CHECK_BUDGET.as_secs()),
        format!("waits up to {} seconds for it", chat::SYNC_PATIENCE.as_secs()),
        format!("A page looks at up to {TEMPLATES_LOOKED_AT} templates"),
        format!("a page looks at up to {TEMPLATES_LOOKED_AT} templates"),
        format!("can be edited once in 24 hours and {EDITS_PER_30_DAYS} times in 30 days."),
        format!("a request takes at most {USERS_PER_REQUEST}."),
        format!("Uploads a file of at most {} MiB in one part", mib(MULTIPART_LIMIT)),
        format!("within {} minutes. Then complete the upload", in_minutes(UPLOAD_WINDOW)),
        format!("the webhook's deliveries of the last {} days", in_days(domain::events::delivery::KEPT)),
        format!("at most {DELIVERIES_LOOKED_AT} deliveries and {} MiB", mib(DELIVERY_BYTES_LOOKED_AT)),
        format!("up to {MANUAL_DELIVERIES_AN_HOUR} test events, redeliveries and recoveries per hour."),
        format!("up to {IN_FLIGHT} at the same time once the receiver has responded"),
        format!("up to {} recovered deliveries per day", grouped(RECOVERED_PER_DAY)),
        format!("Recoveries are kept for {} days.", in_days(domain::events::recovery::KEPT)),
        format!("Returns an event of the last {} days", in_days(READABLE)),
        format!("is a playground user of the organization, of which there can be {users}."),
        format!("WhatsApp messages. An organization can have up to {users}."),
        format!("at most {} updates at once", inbound::MOST_UPDATES),
        format!("An organization can have {RUNNING_PER_ORGANIZATION} running simulations"),
        format!("one of the app's {messages} simulated messages per day."),
        format!("At most {DELIVERIES_SHOWN} deliveries are shown."),
        format!("Simulations are kept for {} days.", in_days(domain::testing::simulation::KEPT)),
        format!("Respond within {} seconds; the response body is ignored.", delivery::DEADLINE.as_secs()),
        format!("up to {} attempts in total.", word(ATTEMPTS)),
    ];
    assert_described(&said);
}

#[test]
fn fields_name_the_limits_of_the_code() {
    let ttl = |category: Category| category.times_to_live().0;
    let [authentication, utility, marketing] =
        [Category::Authentication, Category::Utility, Category::Marketing].map(ttl);
    let (image, video) = (mib(MediaKind::Image.limit()), mib(MediaKind::Video.limit()));
    let (largest, document) = (kib(LARGEST_OBJECT), mib(SAMPLE_DOCUMENT_LIMIT));
    let said = [
        format!("for {} hours, a request with the same key", in_hours(RESPONSE_KEPT)),
        format!("at most {}, those with the worst status first", word(PROBLEMS_KEPT)),
        format!("Header: {HEADER_LENGTH} characters and one variable"),
        format!("(JPEG or PNG, {image} MiB), a `VIDEO` (MP4, {video} MiB) or a `DOCUMENT` (PDF, {document} MiB)."),
        format!("Body: {BODY_LENGTH} characters. Footer: {FOOTER_LENGTH} characters."),
        format!("Buttons: {BUTTONS}, with texts of {BUTTON_TEXT_LENGTH} characters and URLs of {URL_LENGTH};"),
        format!("a `GIF` (MP4, {} MiB) as the header;", kib(SAMPLE_GIF_LIMIT) as f64 / 1024.0),
        format!("a `CAROUSEL` of {} to {} cards, with bodies of", CARDS.start(), CARDS.end()),
        format!("bodies of {CARD_BODY_LENGTH} characters and up to {CARD_BUTTONS} buttons;"),
        format!("with a text of {OFFER_TEXT_LENGTH} and a body of {OFFER_BODY_LENGTH} characters;"),
        format!("The body has at most {} characters.", card::CARD_VALUE_LENGTH),
        format!("at most {} in all sections.", products::PRODUCTS.end()),
        format!("{} to {} seconds for `AUTHENTICATION`", authentication.start(), authentication.end()),
        format!("{} to {} for `UTILITY`", utility.start(), utility.end()),
        format!("{} to {} for `MARKETING`", marketing.start(), marketing.end()),
        format!("An object of your own, of at most {} KiB", kib(METADATA_BYTES)),
        format!("Apps to assign the number to, at most {APPS_PER_NUMBER};"),
        format!("{} minutes after it was created.", in_minutes(UPLOAD_WINDOW)),
        format!("more deliveries than the {DELIVERIES_SHOWN} that are shown."),
        format!("What the user filled in, up to {} KiB of JSON.", kib(FLOW_RESPONSE_BYTES)),
        format!("Counts the matching deliveries, up to {},", grouped(RECOVERED_PER_DAY)),
        format!("in seconds; {} hours by default", in_hours(LONGEST_WAIT)),
        format!("At most {} rows in total.", interactive::ROWS.end()),
        format!("at most {largest} KiB. Media must be links"),
        format!("at most {largest} KiB. Media parameters"),
        format!("The bytes of the file, at most {} MiB.", mib(MULTIPART_LIMIT)),
        format!("only the last {FILE_NAME_LENGTH} characters are kept."),
        format!("The latest attempts, at most {ATTEMPTS_SHOWN}, oldest first"),
    ];
    assert_described(&said);
    assert_eq!(interactive::LIST_BODY_LENGTH, TEXT_LENGTH, "the schema of a body has the length of a list's");
}

#[test]
fn the_introduction_names_the_limits_of_the_code() {
    let said = [
        format!("Upload files over {} MiB directly to storage", mib(MULTIPART_LIMIT)),
        format!("it expires after at most {} hours |", LONGEST_SESSION_SECONDS / 3600),
        format!("**Lists** take `limit` (1 to {MOST_PER_PAGE}, default {DEFAULT_PER_PAGE})"),
        format!("For {} hours, a request with the same key", in_hours(RESPONSE_KEPT)),
        format!("**Respond with 2xx within {} seconds.**", delivery::DEADLINE.as_secs()),
        format!("retried {} times over about three days", word(ATTEMPTS - 1)),
    ];
    assert_described(&said);
}
