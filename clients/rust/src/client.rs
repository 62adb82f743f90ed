//! The client.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use http::Method;

use crate::core::Core;
use crate::{ClientBuilder, Error, Request};

/// A client of one installation with one credential. Clones share their connections.
///
/// Its methods return a [`Request`], which is sent when it is awaited.
#[derive(Clone)]
pub struct Client(pub(crate) Arc<Core>);

impl Client {
    /// Makes a client for the address of an installation (`https`, or `http` on this machine) and a key or session token.
    ///
    /// # Errors
    ///
    /// `Usage`: the address or the key is invalid.
    pub fn new(base_url: &str, api_key: &str) -> Result<Client, Error> {
        Client::builder().base_url(base_url).api_key(api_key).build()
    }

    /// Makes a client with the key in `MESSAGING_API_KEY` and the address in `MESSAGING_BASE_URL`.
    ///
    /// # Errors
    ///
    /// `Usage`: one of them is missing or invalid.
    pub fn from_env() -> Result<Client, Error> {
        Client::builder().build()
    }

    /// Makes a client with other settings than the default ones.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// The address without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.0.base_url
    }

    /// Makes a request for any path: `client.request::<Value>(Method::GET, "/v1/health")`. A POST gets a random
    /// `Idempotency-Key`. Ids in paths need [`crate::segment`].
    pub fn request<T>(&self, method: Method, path: &str) -> Request<T> {
        let is_post = method == Method::POST;
        let request = Request::new(&self.0, method, Ok(path.to_owned()));
        if is_post { request.keyed() } else { request }
    }

    /// Makes the request of a method; `ids` take the place of the braces.
    pub(crate) fn call<T>(&self, method: Method, template: &str, ids: &[&str]) -> Request<T> {
        Request::new(&self.0, method, crate::path::filled(template, ids))
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.0.clock.now()
    }
}

/// Shows the address only.
impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Client({})", self.0.base_url)
    }
}
