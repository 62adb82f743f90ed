use api::Rejection;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use domain::Failure;
use http::HeaderValue;
use http::header::CONTENT_TYPE;

use crate::NotificationContext;
use crate::signature::are_equal;

const LONGEST_CHALLENGE: usize = 1024;

fn forbidden() -> Failure {
    Failure::forbidden("The request is not a subscription with the verify token of this installation.")
}

/// Confirm the platform's subscription
///
/// Returns `hub.challenge` if the verify token is correct. Meta sends this request when the URL of this endpoint is
/// entered in the settings of the Meta app.
#[utoipa::path(get, path = "/v1/platform/notifications",
    operation_id = "platform.notifications.confirm", tag = "Reference",
    params(("hub.mode" = String, Query), ("hub.challenge" = String, Query), ("hub.verify_token" = String, Query)),
    responses((status = 200, description = "The challenge", body = String, content_type = "text/plain"),
        (status = 403, description = "The verify token is wrong, or the request is not a subscription")))]
pub(crate) async fn confirm_subscription(
    State(notifications): State<NotificationContext>,
    RawQuery(query): RawQuery,
) -> Result<Response, Rejection> {
    let query = query.unwrap_or_default();
    let parameter = |wanted: &str| {
        let mut pairs = url::form_urlencoded::parse(query.as_bytes());
        pairs.find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned()).unwrap_or_default()
    };
    let app = notifications.vault.app().await?;
    let expected = app.verify_token.expose();
    let is_expected = !expected.is_empty() && are_equal(parameter("hub.verify_token").as_bytes(), expected.as_bytes());
    let challenge = parameter("hub.challenge");
    if parameter("hub.mode") != "subscribe" || !is_expected || challenge.len() > LONGEST_CHALLENGE {
        return Err(forbidden().into());
    }
    let mut response = Response::new(Body::from(challenge));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    Ok(response)
}
