//! How a client is made.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;

use crate::client::Client;
use crate::clock::{Clock, SystemClock};
use crate::core::{Core, Settings};
use crate::credential::Credential;
use crate::options::{DEFAULT_RETRIES, DEFAULT_TIMEOUT, insert};
use crate::transport::{HttpTransport, Transport};
use crate::{Error, address};

/// Makes a [`Client`] with other settings than the default ones.
///
/// What is not set comes from the environment: the key from `MESSAGING_API_KEY`, and the address from
/// `MESSAGING_BASE_URL`.
#[must_use = "the client is made by `build`"]
pub struct ClientBuilder {
    credential: Option<Result<Credential, Error>>,
    base_url: Option<String>,
    timeout: Duration,
    max_retries: u32,
    headers: Result<HeaderMap, Error>,
    transport: Option<Arc<dyn Transport>>,
    clock: Arc<dyn Clock>,
}

impl ClientBuilder {
    pub(crate) fn new() -> ClientBuilder {
        ClientBuilder {
            credential: None,
            base_url: None,
            timeout: DEFAULT_TIMEOUT,
            max_retries: DEFAULT_RETRIES,
            headers: Ok(HeaderMap::new()),
            transport: None,
            clock: Arc::new(SystemClock),
        }
    }

    /// A key, or the token of a session.
    pub fn api_key(self, key: &str) -> Self {
        ClientBuilder { credential: Some(Credential::fixed(key)), ..self }
    }

    /// A function that returns the key. It is called once, and again after a 401; then the request is sent once more.
    pub fn api_key_with<F, R>(self, fetch: F) -> Self
    where
        F: Fn() -> R + Send + Sync + 'static,
        R: Future<Output = Result<String, Error>> + Send + 'static,
    {
        let credential = Credential::renewed(Box::new(move || Box::pin(fetch())));
        ClientBuilder { credential: Some(Ok(credential)), ..self }
    }

    /// No key, for the operations that need none.
    pub fn without_api_key(self) -> Self {
        ClientBuilder { credential: Some(Ok(Credential::None)), ..self }
    }

    /// The address of the installation: `https`, or `http` on this machine.
    pub fn base_url(self, address: &str) -> Self {
        ClientBuilder { base_url: Some(address.to_owned()), ..self }
    }

    /// The time limit of each attempt; 35 seconds by default, which is longer than the service takes.
    pub fn timeout(self, timeout: Duration) -> Self {
        ClientBuilder { timeout, ..self }
    }

    /// How often a request is repeated at most, where that has no second effect; 2 by default.
    pub fn max_retries(self, max_retries: u32) -> Self {
        ClientBuilder { max_retries, ..self }
    }

    /// Adds a header to every request.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        insert(&mut self.headers, name, value);
        self
    }

    /// What sends requests instead of an [`HttpTransport`].
    pub fn transport(self, transport: impl Transport + 'static) -> Self {
        ClientBuilder { transport: Some(Arc::new(transport)), ..self }
    }

    /// Time and chance, instead of those of the machine.
    pub fn clock(self, clock: impl Clock + 'static) -> Self {
        ClientBuilder { clock: Arc::new(clock), ..self }
    }

    /// Makes the client.
    ///
    /// # Errors
    ///
    /// `Usage`: a setting is missing or invalid.
    pub fn build(self) -> Result<Client, Error> {
        let credential = match self.credential {
            Some(credential) => credential?,
            None => Credential::fixed(&variable("MESSAGING_API_KEY").ok_or_else(|| {
                Error::usage("api_key (or MESSAGING_API_KEY) is missing. Pass a key, or call without_api_key.")
            })?)?,
        };
        let address = self.base_url.or_else(|| variable("MESSAGING_BASE_URL")).ok_or_else(|| {
            Error::usage("base_url (or MESSAGING_BASE_URL) is missing. Pass the address of the installation, such as https://api.example.com.")
        })?;
        let transport = match self.transport {
            Some(transport) => transport,
            None => Arc::new(HttpTransport::new()?),
        };
        Ok(Client(Arc::new(Core {
            base_url: address::checked(&address)?,
            credential,
            transport,
            clock: self.clock,
            settings: Settings { timeout: self.timeout, max_retries: self.max_retries, headers: self.headers? },
        })))
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Without the key.
impl fmt::Debug for ClientBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ClientBuilder").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}
