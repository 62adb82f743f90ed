//! The client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, Method};

use crate::connection::Connection;
use crate::transport::Transport;
use crate::{Error, Request, base_url};

/// Longer than the gateway waits for a function.
const TIME_LIMIT: Duration = Duration::from_secs(35);

/// A client of one installation with one credential. Clones share their connections.
#[derive(Clone)]
pub struct Client(Arc<Connection>);

impl Client {
    /// Makes a client for the address of an installation (`https`, or `http` on this machine) and a key or session token.
    pub fn new(base_url: &str, credential: &str) -> Result<Client, Error> {
        let value = HeaderValue::from_str(&format!("Bearer {}", credential.trim()));
        let mut authorization =
            value.map_err(|_| Error::Invalid("The key contains characters that no key has.".to_owned()))?;
        authorization.set_sensitive(true);
        Client::with(base_url, Some(authorization))
    }

    /// Makes a client without a credential, for the operations that need none.
    pub fn anonymous(base_url: &str) -> Result<Client, Error> {
        Client::with(base_url, None)
    }

    fn with(base_url: &str, authorization: Option<HeaderValue>) -> Result<Client, Error> {
        Ok(Client(Arc::new(Connection {
            base_url: base_url::checked(base_url)?,
            authorization,
            user_agent: HeaderValue::from_static(concat!("messaging-client-rust/", env!("CARGO_PKG_VERSION"))),
            transport: Transport::new()?,
            time_limit: TIME_LIMIT,
        })))
    }

    /// The address without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.0.base_url
    }

    /// Begins a request for any operation: `client.request(Method::GET, "/v1/health")`.
    pub fn request(&self, method: Method, path: &str) -> Request<'_> {
        Request::new(&self.0, method, path)
    }

    pub fn get(&self, path: &str) -> Request<'_> {
        self.request(Method::GET, path)
    }

    pub fn post(&self, path: &str) -> Request<'_> {
        self.request(Method::POST, path)
    }

    pub fn patch(&self, path: &str) -> Request<'_> {
        self.request(Method::PATCH, path)
    }

    pub fn delete(&self, path: &str) -> Request<'_> {
        self.request(Method::DELETE, path)
    }

    pub(crate) fn transport(&self) -> &Transport {
        &self.0.transport
    }
}

/// Shows the address only.
impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Client({})", self.0.base_url)
    }
}
