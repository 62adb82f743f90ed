//! The error reference page. `doc_url` of every error with a code links to it.

use std::sync::OnceLock;

use api::status;
use axum::response::Response;
use domain::ErrorCode;
use http::HeaderMap;
use maud::{Markup, html};

use super::error_words::{INTRODUCTION, RESERVED, carrier_codes, platform_codes, retry, test_mode, type_name};
use super::producers::producers;
use super::{html_response, page};
use crate::encoded::Encoded;

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
                (with_code(INTRODUCTION)) " "
                a href="#reserved" { "Reserved codes" } " come last. The same list as JSON: " a href="../v1/errors" { "GET /v1/errors" } "."
            }
            (index("Error codes", &in_use))
            h2 #test-mode { "Test mode" }
            p { (with_code(&test_mode())) " Each entry links to such requests." }
            h2 { "Codes" }
            @for code in in_use { (entry(code)) }
            h2 #reserved { "Reserved codes" }
            p { (with_code(RESERVED)) }
            (index("Reserved codes", &reserved))
            @for code in reserved { (entry(code)) }
        }
        }
    };
    page("Error codes", "assets/", Some("error-codes.md"), &body)
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
                dt { "Retry" } dd { (retry(entry.retryable)) }
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

/// Renders text in backticks as code.
fn with_code(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}
