//! Requests of test mode that produce each error code. The page of error codes links to their operations.

use domain::ErrorCode;
use domain::chat::platform_error::{Means, TRANSLATIONS};
use domain::testing::simulated_recipient::SimulatedRecipient;

/// The operations that send, as the API reference addresses them.
const SEND_CHAT: &str = "messages/POST/v1/chat/messages";
const SEND_SMS: &str = "messages/POST/v1/sms";
/// A code of the platform without a translation.
const UNTRANSLATED: i64 = 100;

/// A request of test mode that gets an error, or sends a message that fails with it.
pub(super) struct Producer {
    /// Tag, method and path of the operation, as the API reference addresses it.
    pub operation: &'static str,
    /// What the operation does.
    pub action: &'static str,
    /// How to call it, and what happens; code is in backticks.
    pub how: String,
}

/// Returns the requests that produce the code; none if it is reserved.
pub(super) fn producers(code: ErrorCode) -> Vec<Producer> {
    let sms = sms_recipients(code).iter().map(|(to, outcome)| message(SEND_SMS, "Send an SMS message", to, outcome));
    own(code).into_iter().chain(chat_recipients(code)).chain(sms).collect()
}

fn message(operation: &'static str, action: &'static str, to: &str, outcome: &str) -> Producer {
    Producer { operation, action, how: format!(" to `{to}`: {outcome}.") }
}

/// Returns messages to the recipients that a code of the platform belongs to.
fn chat_recipients(code: ErrorCode) -> Vec<Producer> {
    let entry = TRANSLATIONS.iter().find(|(_, own, means)| *own == code && *means != Means::Failed);
    let translated = entry.and_then(|(codes, _, means)| Some((*codes.first()?, *means)));
    let untranslated = (code == ErrorCode::PlatformApiError).then_some((UNTRANSLATED, Means::Rejected));
    let Some((platform, means)) = translated.or(untranslated) else { return Vec::new() };
    let send = |to: String, outcome| message(SEND_CHAT, "Send a WhatsApp message", &to, outcome);
    let mut all = vec![send(SimulatedRecipient::refusing(platform), "it is refused")];
    if means == Means::Rejected {
        all.push(send(SimulatedRecipient::failing(platform), "it is accepted, and fails a second later"));
    }
    all
}

/// Returns the recipients of the simulated carrier (docs/test-mode.md) that the code belongs to, and what happens.
fn sms_recipients(code: ErrorCode) -> &'static [(&'static str, &'static str)] {
    match code {
        ErrorCode::MessageUndeliverable => &[
            ("+99940001", "it is refused, because the recipient has opted out"),
            ("+99940002", "it is accepted, and fails a second later"),
        ],
        ErrorCode::CarrierApiError => &[
            ("+99940014", "it is refused, because the account is disabled"),
            ("+99940012", "it is accepted, and fails a second later"),
        ],
        ErrorCode::CarrierApiUnavailable => &[("+99940017", "it is refused")],
        ErrorCode::RateLimitExceeded => &[("+99940005", "three messages are refused, and the fourth is accepted")],
        _ => &[],
    }
}

/// Returns the request that gets an error of this service itself.
fn own(code: ErrorCode) -> Option<Producer> {
    let call = |operation, action, how: &str| Some(Producer { operation, action, how: how.to_owned() });
    let send = |how| call(SEND_CHAT, "Send a WhatsApp message", how);
    match code {
        ErrorCode::PhoneNumberNotAssigned => send(" with a number as `from` that the app does not have."),
        ErrorCode::InvalidPhoneNumber => send(" to `12025550123`, without the `+`."),
        ErrorCode::TemplateNotFound => send(" with a template that does not exist."),
        ErrorCode::MediaTooLarge => {
            let how = " of a picture with `\"fileSize\": 6000000`.";
            call("media/POST/v1/media/uploads", "Create a direct upload", how)
        }
        ErrorCode::ResourceAlreadyExists => {
            call("apps-and-keys/POST/v1/organization/apps", "Create an app", " with the `slug` of another one.")
        }
        ErrorCode::TestAppRequired => {
            let operation = "test-mode/GET/v1/playground/phone-numbers/system";
            call(operation, "List the system numbers", " with the key of a live app.")
        }
        ErrorCode::CallingNotConfigured => {
            let operation = "apps-and-keys/GET/v1/organization/apps/{appId}/calling";
            call(operation, "Get the calling configuration", " of a new app.")
        }
        _ => None,
    }
}
