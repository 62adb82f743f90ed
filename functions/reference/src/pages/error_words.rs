//! What the reference of error codes says, in HTML and in Markdown. Code is in backticks.

use domain::chat::platform_error::translate;
use domain::chat::platform_words;
use domain::sms::carrier_error::{REFUSALS, RESULTS};
use domain::testing::simulated_recipient::SimulatedRecipient;
use domain::{ErrorCode, ErrorType};

pub(super) const INTRODUCTION: &str = "Errors in the situations listed here have a code in `error.code` and a link to its entry in the error reference in `error.doc_url`. Other errors have no code. Treat a code that you do not know like an error without a code: by its status.";
pub(super) const RESERVED: &str = "These codes belong to calls, which this version does not have. No operation returns them, except on demand in test mode.";

/// The platform's code of the example: "Message undeliverable".
const UNDELIVERABLE: i64 = 131_026;

/// Returns what produces errors in test mode.
pub(super) fn test_mode() -> String {
    format!(
        "Send any request with a test key and the header `Playground-Error: <code>`: the response is the error with that code, and nothing else happens. Requests of a test app also fail as live ones do, most of them because of the recipient's number. A WhatsApp message to `{}` is refused with WhatsApp's code {UNDELIVERABLE}, and one to `{}` is accepted and fails later; so it is with each of WhatsApp's codes, in seven digits, except that after 1, 2, 131000 and 131016 the outcome is unknown.",
        SimulatedRecipient::refusing(UNDELIVERABLE),
        SimulatedRecipient::failing(UNDELIVERABLE)
    )
}

pub(super) fn retry(is_retryable: bool) -> &'static str {
    if is_retryable { "The same request can succeed later." } else { "Change the request first." }
}

/// Returns the codes of the platform that become this code, each with its title.
pub(super) fn platform_codes(code: ErrorCode) -> Vec<(String, &'static str)> {
    let is_of_code = |platform| translate(platform).unwrap_or(ErrorCode::PlatformApiError) == code;
    let of_code = platform_words::all().filter(|words| is_of_code(words.code));
    of_code.map(|words| (words.code.to_string(), words.title)).collect()
}

/// Returns the names of the carrier's errors that become this code, each with its words.
pub(super) fn carrier_codes(code: ErrorCode) -> Vec<(String, &'static str)> {
    let of_code = REFUSALS.iter().chain(RESULTS).filter(|entry| entry.code == code);
    of_code.map(|entry| (entry.name.to_owned(), entry.words)).collect()
}

pub(super) fn type_name(error_type: ErrorType) -> &'static str {
    match error_type {
        ErrorType::InvalidRequestError => "invalid_request_error",
        ErrorType::AuthenticationError => "authentication_error",
        ErrorType::ProviderError => "provider_error",
        ErrorType::ApiError => "api_error",
    }
}
