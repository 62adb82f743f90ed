//! Sends events to a receiver as the service does: signed by Standard Webhooks.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http_body_util::{Either, Full};
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use url::Url;

use crate::Error;
use crate::transport::Transport;

/// A receiver has as long as the service gives it.
const LIMIT: Duration = Duration::from_secs(15);
const PREFIX: &str = "whsec_";

/// Posts events to one address, with signatures of one secret.
#[derive(Clone, Debug)]
pub struct Forwarder {
    transport: Transport,
    url: String,
    key: hmac::Key,
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
        Ok(Forwarder { transport: Transport::new()?, url: url.into(), key: hmac::Key::new(hmac::HMAC_SHA256, &key) })
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
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().to_string();
        let signed = [event_id.as_bytes(), b".", now.as_bytes(), b".", &body].concat();
        let signature = format!("v1,{}", STANDARD.encode(hmac::sign(&self.key, &signed)));
        let request = http::Request::post(&self.url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", event_id)
            .header("webhook-timestamp", now)
            .header("webhook-signature", signature)
            .body(Either::Left(Full::new(body)))
            .map_err(|error| Error::Invalid(error.to_string()))?;
        Ok(self.transport.send(request, LIMIT).await?.status().as_u16())
    }
}
