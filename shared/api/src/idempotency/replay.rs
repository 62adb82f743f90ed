//! The response to a repeated request: the stored response, or the message that the first request created.

use axum::response::{IntoResponse, Response};
use domain::Failure;
use domain::message::MessageId;
use http::{HeaderValue, StatusCode};
use store::{ResponseRecord, SealedResponse};

use super::{Attempt, HEADER, JsonResponse, REPLAYED, Scope};
use crate::answer::{Rejection, json};

impl Attempt<'_> {
    /// Returns the message that an earlier request with this key created; `None` if it created none and its response
    /// is stored. Fails if that request had different input.
    pub fn earlier_message<'r>(&self, record: &'r ResponseRecord) -> Result<Option<&'r MessageId>, Failure> {
        self.expect_same_input(record)?;
        Ok(record.message_id.as_ref())
    }

    /// Returns the stored response of an earlier request with this key.
    pub fn replay(&self, record: &ResponseRecord) -> Response {
        let Some(scope) = &self.scope else {
            return Rejection::from(Failure::internal("a request without a key has a stored response")).into_response();
        };
        match self.stored_response(scope, record) {
            Ok(JsonResponse { status, body }) => {
                let mut response = json(status, body);
                response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
                response
            }
            Err(failure) => Rejection::from(failure).into_response(),
        }
    }

    fn expect_same_input(&self, record: &ResponseRecord) -> Result<(), Failure> {
        if record.fingerprint != self.fingerprint {
            let message =
                "This Idempotency-Key was already used with different input. Use a new key for a new request.";
            return Err(Failure::unprocessable(message).with_param(HEADER));
        }
        Ok(())
    }

    fn stored_response(&self, scope: &Scope, record: &ResponseRecord) -> Result<JsonResponse, Failure> {
        self.expect_same_input(record)?;
        let Some(SealedResponse { status, body }) = &record.response else {
            let message = "The first request with this Idempotency-Key is still running. Retry shortly.";
            return Err(Failure::conflict(message).with_param(HEADER).with_retry_after(1));
        };
        let status = StatusCode::from_u16(*status).map_err(Failure::internal)?;
        let body = scope.open(body).map_err(|_| {
            let message = "The request with this Idempotency-Key was executed, with another value of your key, and its response can only be read with that value. Read the object instead.";
            Failure::conflict(message).with_param(HEADER)
        })?;
        Ok(JsonResponse { status, body })
    }
}
