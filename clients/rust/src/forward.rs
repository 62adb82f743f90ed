//! Sends events to a receiver as the service does: signed by Standard Webhooks.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use ring::hmac;
use url::Url;

use crate::Error;
use crate::clock::random;
use crate::generated::kinds::ErrorKind;
use crate::secret::{PREFIX, key_of, signed};
use crate::transport::{Body, HttpTransport, Transport as _};

/// A receiver has as long as the service gives it.
const LIMIT: Duration = Duration::from_secs(15);

/// Posts events to one address, with signatures of one secret, to try a receiver. [`crate::webhooks::verify`] accepts them.
#[derive(Clone)]
pub struct Forwarder {
    transport: HttpTransport,
    url: String,
    key: hmac::Key,
}

impl Forwarder {
    /// `secret` is `whsec_` and the key in base64, as webhooks have it.
    ///
    /// # Errors
    ///
    /// `Usage`: the address is no URL, or the secret is none.
    pub fn new(url: &str, secret: &str) -> Result<Forwarder, Error> {
        let parsed: Option<Url> = url.parse().ok().filter(|url: &Url| ["http", "https"].contains(&url.scheme()));
        let url = parsed.ok_or_else(|| {
            Error::usage(
                "The address to forward to must be an http or https URL, such as http://localhost:3000/webhooks.",
            )
        })?;
        Ok(Forwarder { transport: HttpTransport::new()?, url: url.into(), key: key_of(secret)? })
    }

    /// Returns a new secret.
    pub fn new_secret() -> String {
        format!("{PREFIX}{}", STANDARD.encode(random::<24>()))
    }

    /// Posts a body once, and returns the status of the response.
    ///
    /// # Errors
    ///
    /// `Connection` and `Timeout`: the receiver did not respond.
    pub async fn send(&self, event_id: &str, body: impl Into<Bytes>) -> Result<u16, Error> {
        let body = body.into();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().to_string();
        let signature = hmac::sign(&self.key, &signed(event_id, &now, &body));
        let request = http::Request::post(&self.url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", event_id)
            .header("webhook-timestamp", now)
            .header("webhook-signature", format!("v1,{}", STANDARD.encode(signature)))
            .body(Body::whole(body))
            .map_err(|error| Error::usage(error.to_string()))?;
        match tokio::time::timeout(LIMIT, self.transport.send(request)).await {
            Ok(Ok(response)) => Ok(response.status().as_u16()),
            Ok(Err(error)) => {
                let text = format!("{} cannot be reached: {}.", self.url, error.reason.trim_end_matches('.'));
                Err(Error::new(ErrorKind::Connection, text))
            }
            Err(_) => {
                let text = format!("{} did not respond within {} s.", self.url, LIMIT.as_secs());
                Err(Error::new(ErrorKind::Timeout, text))
            }
        }
    }
}

/// Without the key.
impl fmt::Debug for Forwarder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forwarder").field("url", &self.url).finish_non_exhaustive()
    }
}
