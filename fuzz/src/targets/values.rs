//! Simple values: phone numbers, times, ids, names, slugs, message texts, file names and media types, each parsed from the whole
//! input.
//!
//! An accepted value has its documented form and bounds, checked here by independent code, and its normalized form is accepted
//! unchanged.

use std::time::Duration;

use domain::events::event::EventName;
use domain::id::{
    AdminKeyId, AppId, AppKeyId, ChatBusinessProfileId, ChatGroupId, ChatMessageId, ChatPhoneNumberId, ContactId,
    DeliveryId, EventId, Identifier, MediaId, OrganizationId, PhoneNumberId, SessionId, SmsMessageId, WebhookId,
};
use domain::media::{MediaType, file_name};
use domain::{E164, ErrorCode, ErrorKind, Failure, Mode, Timestamp, text};
use serde::de::DeserializeOwned;

use super::expect_shown;

pub fn run(input: &[u8]) {
    let whole = String::from_utf8_lossy(input);
    phone_number(&whole);
    time(&whole, input);
    identifiers(&whole);
    texts(&whole);
    slugs(&whole);
    files(&whole);
    if let Ok(event) = whole.parse::<EventName>() {
        assert_eq!(event.as_str(), whole);
    }
}

fn digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn phone_number(text: &str) {
    let documented = text
        .strip_prefix('+')
        .is_some_and(|rest| (7..=15).contains(&rest.len()) && digits(rest) && !rest.starts_with('0'));
    let parsed = text.parse::<E164>();
    assert_eq!(parsed.is_ok(), documented, "{text:?}");
    match E164::in_field(text, "number") {
        Ok(number) => {
            assert_eq!(Some(&number), parsed.as_ref().ok());
            assert_eq!((number.to_string().as_str(), number.digits()), (text, &text[1..]));
            assert_eq!(E164::from_digits_in(number.digits()), Some(number.clone()));
            expect_serde(&number, text);
        }
        Err(failure) => expect_refusal(&failure, "number", Some(ErrorCode::InvalidPhoneNumber)),
    }
    if let Some(found) = E164::from_digits_in(text) {
        let kept: String = text.chars().filter(char::is_ascii_digit).collect();
        assert_eq!(found.digits(), kept);
        assert_eq!(found.as_str().parse(), Ok(found.clone()));
    }
}

fn time(text: &str, input: &[u8]) {
    if let Some(time) = Timestamp::parse(text) {
        expect_written(time);
    }
    let eight = |at: usize| input.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
    let millis = i64::from_le_bytes(eight(0));
    let time = Timestamp::from_millis(millis);
    expect_written(time);
    assert!(millis < 0 || time.millis() <= millis);
    let span = Duration::from_millis(u64::from_le_bytes(eight(8)));
    let (later, earlier) = (time.plus(span), time.minus(span));
    assert!(earlier <= time && time <= later);
    assert!(u128::from(time.seconds_until(later)) <= span.as_millis() / 1000);
    assert_eq!(later.seconds_until(earlier), 0);
    expect_written(later);
    expect_written(earlier);
    expect_written(time.plus_days(u32::from_le_bytes([input.len() as u8; 4])));
}

fn expect_written(time: Timestamp) {
    let text = time.to_string();
    assert_eq!(Timestamp::parse(&text), Some(time), "{text}");
    let form: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(form, "0000-00-00T00:00:00.000Z");
    expect_serde(&time, &text);
}

fn identifiers(text: &str) {
    // `moded!` checks ids that contain a mode, also their mode and ksuid; `plain!` checks the other ids.
    macro_rules! moded {
        ($($id:ty)+) => {$(
            let rest = text.strip_prefix(<$id>::PREFIX);
            let ksuid = rest.map(|rest| rest.strip_prefix("test_").unwrap_or(rest)).filter(|rest| is_ksuid(rest));
            if let Some(id) = expect_id::<$id>(text, ksuid.is_some()) {
                let mode = if rest.is_some_and(|rest| rest.len() > 27) { Mode::Test } else { Mode::Live };
                assert_eq!((id.mode(), Some(id.ksuid())), (mode, ksuid));
                assert_eq!(<$id>::from_ksuid(mode, id.ksuid()), Ok(id));
            }
        )+};
    }
    macro_rules! plain {
        ($($id:ty)+) => {$(
            expect_id::<$id>(text, text.strip_prefix(<$id>::PREFIX).is_some_and(is_ksuid));
        )+};
    }
    moded! { AppId AppKeyId AdminKeyId WebhookId PhoneNumberId ChatPhoneNumberId ChatMessageId SmsMessageId MediaId }
    plain! { OrganizationId SessionId EventId DeliveryId ContactId }
    let rest = |prefix: &str| text.strip_prefix(prefix).filter(|rest| (1..=255).contains(&rest.len()));
    let is_group = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
    expect_id::<ChatGroupId>(text, rest("grp_wa_").is_some_and(is_group));
    let is_profile = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if let Some(id) = expect_id::<ChatBusinessProfileId>(text, rest("wabp_").is_some_and(is_profile)) {
        assert!(text.ends_with(id.ksuid()) && id.ksuid().len() <= 27);
        assert_eq!(id.mode() == Mode::Live, text.len() == "wabp_".len() + 27);
    }
}

fn is_ksuid(text: &str) -> bool {
    text.len() == 27 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn expect_id<T: Identifier + DeserializeOwned + serde::Serialize + PartialEq + std::fmt::Debug>(
    text: &str,
    documented: bool,
) -> Option<T> {
    let parsed = text.parse::<T>().ok();
    assert_eq!(parsed.is_some(), documented, "{text:?}");
    let read = serde_json::from_value::<T>(text.into()).ok();
    assert_eq!(read, parsed);
    let id = parsed?;
    assert_eq!((id.as_str(), id.to_string().as_str()), (text, text));
    // Ids are parts of table keys, whose separator is `#`.
    assert!(!text.contains('#'));
    expect_serde(&id, text);
    Some(id)
}

fn expect_serde<T: serde::Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, text: &str) {
    let written = serde_json::to_value(value).expect("JSON");
    assert_eq!(written, serde_json::Value::from(text));
    assert_eq!(serde_json::from_value::<T>(written).ok().as_ref(), Some(value));
}

fn expect_refusal(failure: &Failure, param: &str, code: Option<ErrorCode>) {
    expect_shown(failure);
    assert_eq!((failure.kind(), failure.param()), (ErrorKind::InvalidRequest, Some(param)));
    assert_eq!(failure.code(), code);
}

fn texts(sent: &str) {
    for most in [1, 20, text::NAME_LENGTH, text::STRING_LENGTH] {
        match text::bounded(sent, "name", most) {
            Err(failure) => expect_refusal(&failure, "name", None),
            Ok(kept) => {
                assert_eq!(kept, sent.trim());
                assert!((1..=most).contains(&kept.chars().count()) && !kept.chars().any(char::is_control), "{kept:?}");
                assert_eq!(text::bounded(&kept, "name", most).ok(), Some(kept));
            }
        }
        match text::message_text(sent, "text", most) {
            Err(failure) => expect_refusal(&failure, "text", None),
            Ok(kept) => {
                assert_eq!(kept, sent);
                assert!((1..=most).contains(&kept.chars().count()) && !kept.trim().is_empty());
                assert!(!kept.chars().any(|c| c.is_control() && !"\r\n\t".contains(c)), "{kept:?}");
            }
        }
    }
}

fn slugs(sent: &str) {
    let is_slug = |text: &str| {
        (1..=63).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !text.starts_with('-')
            && !text.ends_with('-')
            && !text.contains("--")
    };
    match text::slug(sent, "slug") {
        Err(failure) => {
            expect_refusal(&failure, "slug", None);
            assert!(!is_slug(sent), "{sent:?}");
        }
        Ok(slug) => assert!(is_slug(&slug) && slug == sent, "{sent:?}"),
    }
    let suggested = text::slug_of_name(sent, "app");
    assert!(is_slug(&suggested), "{suggested:?} of {sent:?}");
    let with_suffix = text::slug_with_suffix(&suggested, "k3x9");
    assert!(is_slug(&with_suffix) && with_suffix.ends_with("-k3x9"), "{with_suffix:?}");
}

fn files(sent: &str) {
    let name = file_name(sent, "file");
    assert!((1..=255).contains(&name.chars().count()), "{name:?}");
    assert!(!name.chars().any(|c| c.is_control() || matches!(c, '/' | '\\' | '\u{202e}' | '\u{2066}')), "{name:?}");
    assert!(name != "." && name != "..");
    assert_eq!(file_name(&name, "file"), name, "of {sent:?}");
    if let Some(found) = MediaType::parse(sent) {
        assert!(MediaType::accepted().any(|mime| mime == found.mime));
        assert_eq!(MediaType::parse(found.mime), Some(found));
        assert!(sent.trim_start().to_ascii_lowercase().starts_with(found.mime), "{sent:?}");
    }
}
