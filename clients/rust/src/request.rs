//! A request to the API: any operation, typed or not.

use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, Method};
use http_body_util::{Either, Full};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::connection::Connection;
use crate::retry::{idempotency_key, wait};
use crate::{ApiError, Error, Response};

/// What needs no encoding in a query or a part of a path. A dot is encoded in paths, so that an id cannot climb.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

/// Returns an id as a part of a path.
pub fn segment(id: &str) -> String {
    utf8_percent_encode(id, PLAIN).to_string()
}

/// A request, made by [`crate::Client::request`] and sent by [`Request::send`].
#[derive(Clone, Debug)]
pub struct Request<'a> {
    connection: &'a Connection,
    method: Method,
    path: String,
    query: Vec<(String, String)>,
    headers: Result<HeaderMap, String>,
    body: Result<Bytes, String>,
    idempotency_key: Option<String>,
    repeats_500: bool,
}

impl<'a> Request<'a> {
    pub(crate) fn new(connection: &'a Connection, method: Method, path: &str) -> Self {
        Request {
            connection,
            // POSTs carry a key, so that they can be repeated without a second effect.
            idempotency_key: (method == Method::POST).then(idempotency_key),
            method,
            path: path.to_owned(),
            query: Vec::new(),
            headers: Ok(HeaderMap::new()),
            body: Ok(Bytes::new()),
            repeats_500: true,
        }
    }

    /// Adds a query parameter.
    pub fn query(mut self, name: &str, value: impl ToString) -> Self {
        self.query.push((name.to_owned(), value.to_string()));
        self
    }

    /// Adds a query parameter if there is a value.
    pub fn query_opt(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    pub(crate) fn set_query(&mut self, name: &str, value: &str) {
        match self.query.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => value.clone_into(known),
            None => self.query.push((name.to_owned(), value.to_owned())),
        }
    }

    pub(crate) fn query_value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Leaves a failure with status 500 to the caller, who has a better way than to repeat the same request.
    pub(crate) fn without_repeating_500(self) -> Self {
        Request { repeats_500: false, ..self }
    }

    /// Sets the body.
    pub fn json(self, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(bytes) => self.bytes("application/json", bytes),
            Err(error) => Request { body: Err(format!("The body is not JSON: {error}.")), ..self },
        }
    }

    /// Sets a body of another type.
    pub fn bytes(self, content_type: &str, body: impl Into<Bytes>) -> Self {
        let request = Request { body: Ok(body.into()), ..self };
        request.header(CONTENT_TYPE.as_str(), content_type)
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match (&mut self.headers, name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
            (Ok(headers), Ok(name), Ok(value)) => {
                headers.insert(name, value);
            }
            (headers, ..) => *headers = Err(format!("\"{name}\" is not a header with a valid value.")),
        }
        self
    }

    /// Sets the `Idempotency-Key` of a POST instead of a random one: a repeated run with the same key has no second effect.
    pub fn idempotency_key(self, key: &str) -> Self {
        Request { idempotency_key: Some(key.to_owned()), ..self }
    }

    /// Sends the request, repeats it where that is safe, and reads the response.
    pub async fn send<T: DeserializeOwned>(self) -> Result<Response<T>, Error> {
        let response = self.send_bytes().await?;
        let (head, body) = response.into_parts();
        let unreadable = |reason: String| Error::Unreadable { address: self.connection.base_url.clone(), reason };
        let raw = match body.is_empty() {
            true => Value::Null,
            false => serde_json::from_slice(&body).map_err(|error| unreadable(format!("{error}.")))?,
        };
        let value = T::deserialize(&raw).map_err(|error| unreadable(format!("{error}.")))?;
        Ok(Response {
            status: head.status.as_u16(),
            value,
            raw,
            request_id: text(&head.headers, "x-request-id"),
            is_replayed: head.headers.get("idempotency-replayed").is_some_and(|value| value == "true"),
        })
    }

    /// Like [`Request::send`], for responses that are not JSON.
    pub async fn send_bytes(&self) -> Result<http::Response<Bytes>, Error> {
        let mut attempt = 1;
        loop {
            let error = match self.attempt().await {
                Ok(response) => return Ok(response),
                Err(error) if error.status() == Some(500) && !self.repeats_500 => return Err(error),
                Err(error) => error,
            };
            match wait(&self.method, self.idempotency_key.is_some(), &error, attempt) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(error),
            }
            attempt += 1;
        }
    }

    async fn attempt(&self) -> Result<http::Response<Bytes>, Error> {
        let response = self.connection.transport.send(self.build()?, self.connection.time_limit).await?;
        if response.status().is_success() || response.status().is_redirection() {
            return Ok(response);
        }
        let headers = response.headers();
        let retry_after = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let id = text(headers, "x-request-id").or_else(|| text(headers, "apigw-requestid"));
        let body = serde_json::from_slice(response.body()).unwrap_or(Value::Null);
        let error = ApiError::new(response.status().as_u16(), body, id, retry_after.map(Duration::from_secs));
        Err(Error::Api(Box::new(error)))
    }

    fn build(&self) -> Result<http::Request<crate::transport::Outgoing>, Error> {
        if !self.path.starts_with('/') {
            return Err(Error::Invalid(format!(
                "The path \"{}\" must begin with a slash, such as /v1/health.",
                self.path
            )));
        }
        let mut uri = format!("{}{}", self.connection.base_url, self.path);
        for (index, (name, value)) in self.query.iter().enumerate() {
            let separator = if index == 0 && !self.path.contains('?') { '?' } else { '&' };
            uri.push(separator);
            uri.extend([segment(name), "=".to_owned(), segment(value)]);
        }
        let mut request = http::Request::builder().method(self.method.clone()).uri(uri);
        if let Some(headers) = request.headers_mut() {
            headers.extend(self.headers.clone().map_err(Error::Invalid)?);
            headers.insert(USER_AGENT, self.connection.user_agent.clone());
            headers.insert("accept", HeaderValue::from_static("application/json"));
            if let Some(authorization) = &self.connection.authorization {
                headers.insert(AUTHORIZATION, authorization.clone());
            }
        }
        if let Some(key) = &self.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        let body = Full::new(self.body.clone().map_err(Error::Invalid)?);
        request
            .body(Either::Left(body))
            .map_err(|error| Error::Invalid(format!("The request cannot be sent: {error}.")))
    }
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}
