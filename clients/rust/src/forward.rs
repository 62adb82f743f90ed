//! Sends events to a receiver as the service does: signed by Standard Webhooks.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http_body_util::{Either, Full};
use ring::rand::{SecureRandom as _, SystemRandom};
use standardwebhooks::Webhook;
use url::Url;

use crate::Error;
use crate::transport::Transport;

/// A receiver has as long as the service gives it.
const LIMIT: Duration = Duration::from_secs(15);
const PREFIX: &str = "whsec_";

/// Posts events to one address, with signatures of one secret.
#[derive(Clone)]
pub struct Forwarder {
    transport: Transport,
    url: String,
    webhook: Arc<Webhook>,
}

impl Forwarder {
    /// `secret` is `whsec_` and the key in base64, as webhooks have it.
    pub fn new(url: &str, secret: &str) -> Result<Forwarder, Error> {
        let parsed: Option<Url> = url.parse().ok().filter(|url: &Url| ["http", "https"].contains(&url.scheme()));
        let url = parsed.ok_or_else(|| {
            Error::Invalid(
                "The address to forward to must be an http or https URL, such as http://localhost:3000/webhooks."
                    .to_owned(),
            )
        })?;
        let key = secret.strip_prefix(PREFIX).and_then(|text| STANDARD.decode(text).ok()).filter(|key| key.len() >= 24);
        let key = key.ok_or_else(|| {
            Error::Invalid(format!("The signing secret must be {PREFIX} and at least 24 bytes in base64."))
        })?;
        let webhook = Webhook::from_bytes(key).map_err(invalid)?;
        Ok(Forwarder { transport: Transport::new()?, url: url.into(), webhook: Arc::new(webhook) })
    }

    /// Returns a new secret.
    pub fn new_secret() -> Result<String, Error> {
        let mut key = [0; 24];
        let filled = SystemRandom::new().fill(&mut key);
        filled.map_err(|_| Error::Invalid("The system gives out no random numbers.".to_owned()))?;
        Ok(format!("{PREFIX}{}", STANDARD.encode(key)))
    }

    /// Posts a body once, and returns the status of the response.
    pub async fn send(&self, event_id: &str, body: impl Into<Bytes>) -> Result<u16, Error> {
        let body = body.into();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().cast_signed();
        let signature = self.webhook.sign(event_id, now, &body).map_err(invalid)?;
        let request = http::Request::post(&self.url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", event_id)
            .header("webhook-timestamp", now.to_string())
            .header("webhook-signature", signature)
            .body(Either::Left(Full::new(body)))
            .map_err(invalid)?;
        Ok(self.transport.send(request, LIMIT).await?.status().as_u16())
    }
}

/// Without the key.
impl fmt::Debug for Forwarder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forwarder").field("url", &self.url).finish_non_exhaustive()
    }
}

fn invalid(error: impl fmt::Display) -> Error {
    Error::Invalid(error.to_string())
}
