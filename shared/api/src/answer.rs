//! Responses of handlers: a status with a JSON body, or a rejection that `HttpService` renders.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use domain::identity::unauthenticated::Unauthenticated;
use domain::{ErrorKind, Failure};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use crate::status;

/// The content type of every JSON response.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A successful response: its status and the value of its JSON body.
#[derive(Debug)]
pub struct Answer<T> {
    pub status: StatusCode,
    pub body: T,
}

impl<T> Answer<T> {
    /// Returns a response with status 200.
    pub fn ok(body: T) -> Self {
        Answer { status: StatusCode::OK, body }
    }

    /// Returns a response with status 202: the work has started and finishes later.
    pub fn accepted(body: T) -> Self {
        Answer { status: StatusCode::ACCEPTED, body }
    }

    /// Returns a response with status 201.
    pub fn created(body: T) -> Self {
        Answer { status: StatusCode::CREATED, body }
    }
}

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.body) {
            Ok(body) => json(self.status, body),
            Err(error) => Rejection::from(Failure::internal(error)).into_response(),
        }
    }
}

/// Returns a response with the given status and JSON text.
pub fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// Why a request failed. Carried in the response's extensions to `HttpService`, which renders the error body.
#[derive(Clone, Debug)]
pub enum Rejection {
    Unauthenticated(Unauthenticated),
    Failed(Arc<Failure>),
}

impl From<Failure> for Rejection {
    fn from(failure: Failure) -> Self {
        match failure.is_of_credential() {
            true => Rejection::Unauthenticated(Unauthenticated::InvalidKey),
            false => Rejection::Failed(Arc::new(failure)),
        }
    }
}

impl From<Unauthenticated> for Rejection {
    fn from(why: Unauthenticated) -> Self {
        Rejection::Unauthenticated(why)
    }
}

impl Rejection {
    /// Returns the HTTP status of the error response.
    pub fn status(&self) -> StatusCode {
        match self {
            Rejection::Unauthenticated(_) => status::of(ErrorKind::Unauthenticated),
            Rejection::Failed(failure) => status::of(failure.kind()),
        }
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status();
        response.extensions_mut().insert(self);
        response
    }
}

/// A message that confirms success, as deletions return it.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = DeletedMessage)]
pub struct Message {
    /// A confirmation, as text.
    pub message: &'static str,
}

impl Answer<Message> {
    /// Returns a response with status 200 and `{"message": ...}`.
    pub fn message(message: &'static str) -> Self {
        Answer::ok(Message { message })
    }
}
