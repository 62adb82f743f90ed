//! The error reference page. `doc_url` of every error with a code links to it.

use std::sync::OnceLock;

use api::status;
use axum::response::Response;
use domain::chat::platform_error::translate;
use domain::chat::platform_words;
use domain::sms::carrier_error::{REFUSALS, RESULTS};
use domain::testing::simulated_recipient::SimulatedRecipient;
use domain::{ErrorCode, ErrorType};
use http::HeaderMap;
use maud::{Markup, html};

use super::producers::producers;
use super::{html_response, page};
use crate::encoded::Encoded;

/// The platform's code of the example: "Message undeliverable".
const UNDELIVERABLE: i64 = 131_026;

/// Read the error reference
///
/// Returns a page with all error codes. `doc_url` of an error links to the entry of its code.
#[utoipa::path(get, path = "/api_reference/error-codes", operation_id = "pages.errorCodes", tag = "Reference",
    security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html")))]
pub(crate) async fn read_errors(request: HeaderMap) -> Response {
    static PAGE: OnceLock<Encoded> = OnceLock::new();
    html_response(PAGE.get_or_init(render), &request, None)
}

fn render() -> Encoded {
    let (reserved, in_use): (Vec<ErrorCode>, Vec<ErrorCode>) =
        ErrorCode::ALL.iter().partition(|code| code.is_reserved());
    let body = html! {
        div .page {
        header { nav aria-label="Pages" { a href="../api_reference" { "API reference" } } }
        main {
            h1 { "Error codes" }
            p {
                "Errors in the situations listed here have a code in " code { "error.code" }
                " and a link to its entry on this page in " code { "error.doc_url" }
                ". Other errors have no code. Treat a code that you do not know like an error without a code: by its status. "
                a href="#reserved" { "Reserved codes" } " come last. The same list as JSON: " a href="../v1/errors" { "GET /v1/errors" } "."
            }
            (index("Error codes", &in_use))
            h2 #test-mode { "In test mode" }
            p {
                "Send any request with a test key and the header " code { "Playground-Error: <code>" }
                ": the response is the error with that code, and nothing else happens. Requests of a test app also fail as live ones do, most of them because of the recipient's number. "
                "A WhatsApp message to " code { (SimulatedRecipient::refusing(UNDELIVERABLE)) } " is refused with WhatsApp's code " (UNDELIVERABLE)
                ", and one to " code { (SimulatedRecipient::failing(UNDELIVERABLE)) }
                " is accepted and fails later; so it is with each of WhatsApp's codes, in seven digits, except that after 1, 2, 131000 and 131016 the outcome is unknown. Each entry links to such requests."
            }
            h2 { "Codes" }
            @for code in in_use { (entry(code)) }
            h2 #reserved { "Reserved codes" }
            p {
                "These codes belong to calls, which this version does not have. No operation returns them, except on demand in "
                a href="#test-mode" { "test mode" } "."
            }
            (index("Reserved codes", &reserved))
            @for code in reserved { (entry(code)) }
        }
        }
    };
    page("Error codes", "assets/", &body)
}

fn index(name: &str, codes: &[ErrorCode]) -> Markup {
    html! {
        nav aria-label=(name) {
            ul .index { @for code in codes { li { a href={ "#" (code) } { (code) } } } }
        }
    }
}

fn entry(code: ErrorCode) -> Markup {
    let entry = code.entry();
    html! {
        section #(entry.code) tabindex="-1" {
            h3 { a href={ "#" (entry.code) } { code { (entry.code) } } }
            p { (with_code(entry.description)) }
            p .remedy { strong { "What to do: " } (with_code(code.remedy())) }
            dl {
                dt { "HTTP status" } dd { (status::of(entry.kind).as_u16()) }
                dt { "Type" } dd { code { (type_name(entry.error_type)) } }
                dt { "Retry" } dd { (if entry.retryable { "The same request can succeed later." } else { "Change the request first." }) }
                dt { "In test mode" } dd { (in_test_mode(code)) }
                (of_provider("WhatsApp", &platform_codes(code)))
                (of_provider("Carrier", &carrier_codes(code)))
            }
        }
    }
}

/// Renders what produces the code in test mode.
fn in_test_mode(code: ErrorCode) -> Markup {
    html! {
        ul .codes {
            @for producer in producers(code) {
                li { a href={ "../api_reference#tag/" (producer.operation) } { (producer.action) } (with_code(&producer.how)) }
            }
            li { a href="#test-mode" { "Send any request" } " with " code { "Playground-Error: " (code) } "." }
        }
    }
}

/// Renders the codes of a provider that become a code of this API, each with the provider's words.
fn of_provider(name: &str, codes: &[(String, &str)]) -> Markup {
    html! {
        @if !codes.is_empty() {
            dt { (name) " codes" }
            dd { ul .codes { @for (code, words) in codes { li { code { (code) } " " (words) } } } }
        }
    }
}

fn platform_codes(code: ErrorCode) -> Vec<(String, &'static str)> {
    let is_of_code = |platform| translate(platform).unwrap_or(ErrorCode::PlatformApiError) == code;
    let of_code = platform_words::all().filter(|words| is_of_code(words.code));
    of_code.map(|words| (words.code.to_string(), words.title)).collect()
}

fn carrier_codes(code: ErrorCode) -> Vec<(String, &'static str)> {
    let of_code = REFUSALS.iter().chain(RESULTS).filter(|entry| entry.code == code);
    of_code.map(|entry| (entry.name.to_owned(), entry.words)).collect()
}

/// Renders text in backticks as code.
fn with_code(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn type_name(error_type: ErrorType) -> &'static str {
    match error_type {
        ErrorType::InvalidRequestError => "invalid_request_error",
        ErrorType::AuthenticationError => "authentication_error",
        ErrorType::ProviderError => "provider_error",
        ErrorType::ApiError => "api_error",
    }
}
