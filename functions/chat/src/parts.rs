//! Requests whose parts succeed or fail by themselves ([ADR 40](../../../docs/adr/0040-managing-numbers.md)): the platform performs
//! them, nothing is stored, and the response is 200 with the outcome of each part.

use api::error_body::{ErrorBody, ErrorDetails};
use api::idempotency::Planned;
use api::{Answer, AppCaller, Once, Rejection};
use axum::response::Response;
use domain::Failure;
use domain::id::OrganizationId;
use platform::PlatformError;
use serde::Serialize;
use store::Change;

use crate::ChatContext;

/// Returns the failed parts with their errors, in the format of an error response.
pub(crate) fn failures<P, F>(
    chat: &ChatContext,
    failed: Vec<(P, PlatformError)>,
    shown: impl Fn(P, ErrorDetails) -> F,
) -> Vec<F> {
    let docs_url = &chat.context.installation.docs_url;
    failed.into_iter().map(|(part, error)| shown(part, ErrorBody::new(&error.into(), docs_url).error)).collect()
}

/// Makes a call once per `Idempotency-Key` of an app, and returns its outcome, or that of the first request with the key.
pub(crate) async fn once<T: Serialize>(
    chat: &ChatContext,
    caller: &AppCaller,
    once: Once,
    fingerprint: String,
    call: impl Future<Output = Result<T, Failure>>,
) -> Result<Response, Rejection> {
    once_of(chat, &caller.organization, once, fingerprint, call).await
}

/// Makes a call once per `Idempotency-Key` of a caller of the organization, like [`once`].
pub(crate) async fn once_of<T: Serialize>(
    chat: &ChatContext,
    organization: &OrganizationId,
    once: Once,
    fingerprint: String,
    call: impl Future<Output = Result<T, Failure>>,
) -> Result<Response, Rejection> {
    let attempt = match once.begin(&chat.context, fingerprint).await {
        Ok(attempt) => attempt,
        Err(answer) => return Ok(*answer),
    };
    let planned = call.await.map(|body| Planned { change: Change::new(organization), answer: Answer::ok(body) });
    attempt.finish(planned).await
}
