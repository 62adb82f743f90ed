//! A response, in both forms.

use std::ops::Deref;

use serde_json::Value;

/// A response: typed through `Deref`, and as the JSON that came.
#[derive(Clone, Debug)]
pub struct Response<T> {
    pub status: u16,
    pub value: T,
    /// The body as it came, with fields that this version of the crate does not know.
    pub raw: Value,
    pub request_id: Option<String>,
    /// Whether this is the recorded response to an earlier request with the same `Idempotency-Key`.
    pub is_replayed: bool,
}

impl<T> Deref for Response<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
