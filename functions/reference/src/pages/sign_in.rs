//! The page on which members sign in, with a link or the identity provider, and see that they are signed in. It is static, and calls the operations under
//! `/v1/sign-in` and `/v1/session`. Whoever has signed in goes on to the console, if there is one.

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use maud::html;

use super::onboarding::response;
use super::page;
use crate::assets::SIGN_IN;
use crate::context::ReferenceContext;
use crate::encoded::Encoded;

/// Open the sign-in page
///
/// Returns the page behind the `url` of a sign-in link. Without a link, it shows who is signed in.
#[utoipa::path(get, path = "/sign-in", operation_id = "pages.signIn", tag = "Reference", security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html")))]
pub(crate) async fn open_sign_in(State(reference): State<ReferenceContext>, request: HeaderMap) -> Response {
    response(reference.sign_in.get_or_init(|| render(&reference)), &request)
}

fn render(reference: &ReferenceContext) -> Encoded {
    let provider = reference.identity_provider.as_deref();
    let console = reference.console.files().map(|_| "console");
    let body = html! {
        div .page {
            main # "sign-in" .onboarding data-provider=[provider] data-console=[console] {
                h1 { "Sign in" }
                noscript { p { "This page needs JavaScript." } }
            }
        }
        script src={ "api_reference/assets/" (SIGN_IN.name) } {}
    };
    page("Sign in", "api_reference/assets/", None, &body)
}
