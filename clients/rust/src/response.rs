//! What comes back: typed, and as the JSON that came.

use std::ops::Deref;

use http::HeaderMap;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::generated::kinds::ErrorKind;
use crate::{Error, failure};

/// An object: typed through `Deref`, and as the JSON that came.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource<T> {
    /// The object as this version of the crate knows it.
    pub value: T,
    /// The JSON as it came, with fields that this version of the crate does not know.
    pub raw: Value,
}

impl<T: DeserializeOwned> Resource<T> {
    /// Reads an object.
    pub(crate) fn read(raw: Value) -> Result<Resource<T>, Error> {
        let value = T::deserialize(&raw).map_err(|error| {
            let text = format!("The response is not of the form that this version of the crate expects: {error}.");
            Error::new(ErrorKind::Internal, text).with_body(raw.clone())
        })?;
        Ok(Resource { value, raw })
    }
}

impl<T> Deref for Resource<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// A response: an object, and how it came.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response<T> {
    /// Status and headers. They have a place of their own because objects have fields of these names.
    pub http: Http,
    /// The object as this version of the crate knows it.
    pub value: T,
    /// The JSON as it came, with fields that this version of the crate does not know.
    pub raw: Value,
}

/// How a response came.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Http {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// Quote it when you report a problem.
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

impl<T: DeserializeOwned> Response<T> {
    pub(crate) fn read(response: Response<Value>) -> Result<Response<T>, Error> {
        let Resource { value, raw } = Resource::read(response.value)?;
        Ok(Response { http: response.http, value, raw })
    }
}

impl Response<Value> {
    pub(crate) fn new(status: u16, headers: HeaderMap, value: Value) -> Self {
        let request_id = failure::request_id(&headers);
        let is_replayed = headers.get("idempotency-replayed").is_some_and(|value| value == "true");
        Response { http: Http { status, headers, request_id, is_replayed }, raw: value.clone(), value }
    }
}
