//! The error reference, which `doc_url` of every error with a code leads to.

use std::sync::OnceLock;

use axum::response::Response;
use bytes::Bytes;
use domain::{ErrorCode, ErrorType};
use maud::{Markup, html};

use super::{page, shown};

/// Read the error reference
///
/// All error codes as a page; `doc_url` of an error leads to its entry.
#[utoipa::path(get, path = "/api_reference/error-codes", tag = "Reference", security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html")))]
pub(crate) async fn read_errors() -> Response {
    static PAGE: OnceLock<Bytes> = OnceLock::new();
    shown(PAGE.get_or_init(made))
}

fn made() -> Bytes {
    let body = html! {
        div .page {
        header { nav aria-label="Pages" { a href="../api_reference" { "API reference" } } }
        main {
            h1 { "Error codes" }
            p {
                "An error whose situation is in this closed list carries its code in " code { "error.code" }
                " and the address of its entry here in " code { "error.doc_url" }
                ". The same list as JSON: " a href="../v1/errors" { "GET /v1/errors" } "."
            }
            nav aria-label="Error codes" {
                ul .index { @for code in ErrorCode::ALL { li { a href={ "#" (code) } { (code) } } } }
            }
            @for code in ErrorCode::ALL { (entry(*code)) }
        }
        }
    };
    page("Error codes", "assets/", &body)
}

fn entry(code: ErrorCode) -> Markup {
    let entry = code.entry();
    html! {
        section #(entry.code) tabindex="-1" {
            h2 { a href={ "#" (entry.code) } { code { (entry.code) } } }
            p { (with_code(entry.description)) }
            dl {
                dt { "HTTP status" } dd { (entry.status) }
                dt { "Type" } dd { code { (type_name(entry.kind)) } }
                dt { "Try again" } dd { (if entry.retryable { "The same request can succeed later." } else { "Only after a change." }) }
            }
        }
    }
}

/// Descriptions mark code with backticks.
fn with_code(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn type_name(kind: ErrorType) -> &'static str {
    match kind {
        ErrorType::InvalidRequestError => "invalid_request_error",
        ErrorType::AuthenticationError => "authentication_error",
        ErrorType::ProviderError => "provider_error",
        ErrorType::ApiError => "api_error",
    }
}
