//! The query parameters of operations that return no list.

use axum::extract::FromRequestParts;
use domain::Failure;
use http::request::Parts;

use crate::answer::Rejection;
use crate::list::{Filters, Sent};

/// The query parameters of an operation that returns no list. Unknown and repeated ones are rejected.
#[derive(Debug)]
pub struct Query<F>(pub F);

impl<S: Send + Sync, F: Filters> FromRequestParts<S> for Query<F> {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        Ok(Query(F::parse(&Sent::read(parts, F::NAMES).filters_alone(F::NAMES)?)?))
    }
}

/// Parses a parameter that is `true` or `false`.
pub fn flag(sent: &str, name: &str) -> Result<bool, Failure> {
    sent.parse().map_err(|_| Failure::invalid(name, format!("{name} must be true or false.")))
}
