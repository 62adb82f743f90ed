//! Responses: the message with a status that says what became of it, or the failure with the id of the message.

use api::idempotency::REPLAYED;
use api::{Answer, Rejection};
use axum::response::{IntoResponse, Response};
use domain::Failure;
use domain::message::{MessageId, Outcome};
use http::{HeaderName, HeaderValue, StatusCode};
use outbound::Channel;
use store::{MessageKind, Stored};

/// The header that names the message of a failed request, if it was stored.
const MESSAGE_ID: HeaderName = HeaderName::from_static("x-message-id");

/// Returns the response for a message that the provider took.
pub(super) fn accepted<C: Channel>(message: &Stored<C::Record>) -> Response {
    Answer::created(C::shown(message)).into_response()
}

/// Returns the response for a message that waits in the queue, or whose outcome is unknown.
pub(super) fn undecided<C: Channel>(message: &Stored<C::Record>) -> Response {
    Answer::accepted(C::shown(message)).into_response()
}

/// Returns the response for a message that was refused.
pub(super) fn refused<M: MessageKind>(message: &Stored<M>, failure: Failure) -> Response {
    let mut response = Rejection::from(failure).into_response();
    let id: MessageId = message.id().clone().into();
    if let Ok(id) = HeaderValue::try_from(id.as_str()) {
        response.headers_mut().insert(MESSAGE_ID, id);
    }
    response
}

/// Returns the response to a repeated request, from the state of the message that the first one created. `None` if the
/// provider refused that message for now: the repeated request sends a new one.
pub(super) fn repeated<C: Channel>(message: &Stored<C::Record>) -> Result<Option<Response>, Failure> {
    let mut response = match (message.outcome(), message.refusal()?) {
        (_, Some(failure)) if matches!(failure.status(), 429 | 503) => return Ok(None),
        (_, Some(failure)) => refused(message, failure),
        (Some(Outcome::Accepted | Outcome::Expired), None) => {
            Answer { status: StatusCode::OK, body: C::shown(message) }.into_response()
        }
        _ => undecided::<C>(message),
    };
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    Ok(Some(response))
}
