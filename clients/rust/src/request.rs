//! A request to the API. It is sent when it is awaited.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Method};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::clock::random_text;
use crate::core::Core;
use crate::options::{Options, insert, option_methods};
use crate::path::{pairs, with_query};
use crate::plan::{Payload, Plan};
use crate::{Error, Response};

pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// A request, made by a method of the client. It is sent when it is awaited, and leads to a [`Response`].
#[must_use = "a request is sent when it is awaited"]
pub struct Request<T> {
    pub(crate) core: Arc<Core>,
    method: Method,
    path: Result<String, Error>,
    query: Result<Vec<(String, String)>, Error>,
    body: Result<Option<Bytes>, Error>,
    idempotency_key: Option<String>,
    pub(crate) options: Options,
    result: PhantomData<fn() -> T>,
}

impl<T> Request<T> {
    pub(crate) fn new(core: &Arc<Core>, method: Method, path: Result<String, Error>) -> Self {
        Request {
            core: Arc::clone(core),
            method,
            path,
            query: Ok(Vec::new()),
            body: Ok(None),
            idempotency_key: None,
            options: Options::default(),
            result: PhantomData,
        }
    }

    option_methods!();

    /// Sets the `Idempotency-Key` instead of a random one: with the same key and body, a request has no second effect for
    /// 24 hours, not even in another process. Only requests that create or send something have one.
    pub fn idempotency_key(self, key: &str) -> Self {
        Request { idempotency_key: Some(key.to_owned()), ..self }
    }

    /// Adds a query parameter, or replaces it.
    pub fn query(mut self, name: &str, value: impl ToString) -> Self {
        if let Ok(query) = &mut self.query {
            query.retain(|(known, _)| known != name);
            query.push((name.to_owned(), value.to_string()));
        }
        self
    }

    /// Sets the body.
    pub fn json(self, body: &impl Serialize) -> Self {
        let bytes = serde_json::to_vec(body).map_err(|error| Error::usage(format!("The body is not JSON: {error}.")));
        Request { body: bytes.map(|bytes| Some(bytes.into())), ..self }
    }

    /// Sets a body that is JSON already.
    pub fn json_bytes(self, body: impl Into<Bytes>) -> Self {
        Request { body: Ok(Some(body.into())), ..self }
    }

    /// Makes the result JSON instead of a type.
    pub fn untyped(self) -> Request<Value> {
        self.with_result()
    }

    pub(crate) fn with_result<U>(self) -> Request<U> {
        let Request { core, method, path, query, body, idempotency_key, options, .. } = self;
        Request { core, method, path, query, body, idempotency_key, options, result: PhantomData }
    }

    /// Adds the fields of a query that are set.
    pub(crate) fn queries(self, query: &impl Serialize) -> Self {
        Request { query: pairs(query), ..self }
    }

    /// Gives the request a random `Idempotency-Key`, so that it can be repeated without a second effect.
    pub(crate) fn keyed(self) -> Self {
        Request { idempotency_key: Some(random_text()), ..self }
    }

    /// Sends the request, and returns the response as it came, for responses that are not JSON.
    ///
    /// # Errors
    ///
    /// Those of any request.
    pub async fn send_bytes(self) -> Result<http::Response<Bytes>, Error> {
        let (core, plan) = self.into_plan()?;
        core.send(&plan).await
    }

    pub(crate) fn into_plan(self) -> Result<(Arc<Core>, Plan), Error> {
        let path = self.path?;
        if !path.starts_with('/') {
            let text = format!("The path \"{path}\" must begin with a slash, such as /v1/health.");
            return Err(Error::usage(text));
        }
        let mut headers = Ok(HeaderMap::new());
        if let Some(key) = &self.idempotency_key {
            insert(&mut headers, IDEMPOTENCY_KEY, key);
        }
        let mut headers = headers?;
        let body = self.body?;

        if body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let plan = Plan {
            url: with_query(&format!("{}{path}", self.core.base_url), &self.query?),
            is_safe: self.idempotency_key.is_some() || matches!(self.method, Method::GET | Method::HEAD | Method::PUT),
            method: self.method,
            headers,
            is_for_storage: false,
            payload: Payload::Bytes(body.unwrap_or_default()),
            options: self.options,
        };

        Ok((self.core, plan))
    }
}

impl<T: DeserializeOwned + 'static> IntoFuture for Request<T> {
    type Output = Result<Response<T>, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let sent = send(self.into_plan());
        Box::pin(async move { Response::read(sent.await?) })
    }
}

/// The same for all types, so that it is compiled once.
async fn send(plan: Result<(Arc<Core>, Plan), Error>) -> Result<Response<Value>, Error> {
    let (core, plan) = plan?;
    core.json(&plan).await
}

impl<T> Clone for Request<T> {
    fn clone(&self) -> Self {
        Request {
            core: Arc::clone(&self.core),
            method: self.method.clone(),
            path: self.path.clone(),
            query: self.query.clone(),
            body: self.body.clone(),
            idempotency_key: self.idempotency_key.clone(),
            options: self.options.clone(),
            result: PhantomData,
        }
    }
}

/// Without the body.
impl<T> fmt::Debug for Request<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method, self.path.as_deref().unwrap_or_default())
    }
}
