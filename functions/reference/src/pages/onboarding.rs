//! The page of an onboarding link, and the page that takes the place of the platform's signup for test links. Both are static:
//! the first one calls the operations under `/v1/onboarding` with the token in its fragment.

use std::sync::OnceLock;

use axum::response::Response;
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderMap, HeaderValue};
use maud::html;

use super::{html_response, page};
use crate::assets::{CONSENT, ONBOARDING};
use crate::encoded::Encoded;

/// Stricter than the policy of the API reference, because these pages have no inline styles.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);

pub(super) fn response(page: &Encoded, request: &HeaderMap) -> Response {
    let mut response = html_response(page, request, None);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}

/// Open an onboarding link
///
/// Returns the page behind the `url` of an onboarding link, with which a customer connects a WhatsApp business account.
/// Meta sends customers back to it after the signup.
#[utoipa::path(get, path = "/onboarding", operation_id = "pages.onboarding", tag = "Reference",
    security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html")))]
pub(crate) async fn open_onboarding(request: HeaderMap) -> Response {
    static PAGE: OnceLock<Encoded> = OnceLock::new();
    response(PAGE.get_or_init(render_onboarding), &request)
}

fn render_onboarding() -> Encoded {
    let body = html! {
        div .page {
            main #onboarding .onboarding {
                h1 { "Connect your WhatsApp Business account" }
                noscript { p { "This page needs JavaScript." } }
            }
        }
        script src={ "api_reference/assets/" (ONBOARDING.name) } {}
    };
    page("Connect your WhatsApp Business account", "api_reference/assets/", None, &body)
}

/// Open the simulated consent
///
/// Returns the page that replaces Meta's signup for onboarding links that were created in test mode.
#[utoipa::path(get, path = "/onboarding/simulated-consent", operation_id = "pages.simulatedConsent", tag = "Reference",
    security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html")))]
pub(crate) async fn open_simulated_consent(request: HeaderMap) -> Response {
    static PAGE: OnceLock<Encoded> = OnceLock::new();
    response(PAGE.get_or_init(render_consent), &request)
}

fn render_consent() -> Encoded {
    let body = html! {
        div .page {
            main .onboarding {
                h1 { "Simulated signup" }
                p { "With a live link, this is Meta's page, where the customer signs in and chooses an account. Choose how the signup ends." }
                p .actions {
                    button #give type="button" disabled { "Give permission" }
                    button #refused type="button" disabled { "Give permission, and Meta rejects the code" }
                    button #deny type="button" disabled { "Give no permission" }
                }
                noscript { p { "This page needs JavaScript." } }
            }
        }
        script src={ "../api_reference/assets/" (CONSENT.name) } {}
    };
    page("Simulated signup", "../api_reference/assets/", None, &body)
}
