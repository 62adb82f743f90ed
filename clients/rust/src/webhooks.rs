//! Verifying deliveries to webhooks: Standard Webhooks 1.0.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use ring::hmac;

use crate::generated::kinds::ErrorKind;
use crate::secret::{key_of, signed};
use crate::types::Event;
use crate::{Error, Resource};

const TOLERANCE: Duration = Duration::from_secs(300);

/// Returns the event of a delivery that the service has signed, at most five minutes ago.
///
/// `body` is what came, byte for byte, not parsed. While the secret of the webhook is being replaced, pass both.
///
/// # Errors
///
/// - `WebhookVerification`: the signature does not match, or the delivery is not recent. Respond with 400.
/// - `Usage`: a secret is none.
pub fn verify(body: &[u8], headers: &HeaderMap, secrets: &[&str]) -> Result<Resource<Event>, Error> {
    verify_at(body, headers, secrets, TOLERANCE, SystemTime::now())
}

/// Like [`verify`], with the time, and with how old or how far in the future a delivery may be.
///
/// # Errors
///
/// Those of [`verify`].
pub fn verify_at(
    body: &[u8],
    headers: &HeaderMap,
    secrets: &[&str],
    tolerance: Duration,
    now: SystemTime,
) -> Result<Resource<Event>, Error> {
    let failed = |text: &str| Error::new(ErrorKind::WebhookVerification, text);
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).filter(|value| !value.is_empty());
    let sent = (header("webhook-id"), header("webhook-timestamp"), header("webhook-signature"));
    let (Some(id), Some(timestamp), Some(signatures)) = sent else {
        return Err(failed("Headers are missing: webhook-id, webhook-timestamp, webhook-signature."));
    };
    if !is_recent(timestamp, tolerance, now) {
        return Err(failed("The delivery is not recent. Check the clock of this machine."));
    }
    let signed = signed(id, timestamp, body);

    let given: Vec<Vec<u8>> = signatures
        .split(' ')
        .filter_map(|signature| signature.strip_prefix("v1,"))
        .filter_map(|signature| STANDARD.decode(signature).ok())
        .collect();

    for secret in secrets {
        let key = key_of(secret)?;
        // Compares in constant time.
        if given.iter().any(|signature| hmac::verify(&key, &signed, signature).is_ok()) {
            let event = serde_json::from_slice(body).map_err(|_| failed("The body is signed, but it is not JSON."))?;
            return Resource::read(event);
        }
    }

    Err(failed("The signature does not match. Check the secret, and that the body is unchanged."))
}

fn is_recent(timestamp: &str, tolerance: Duration, now: SystemTime) -> bool {
    let is_number = timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let Some(sent) = timestamp.parse().ok().filter(|_| is_number) else { return false };
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    now.abs_diff(Duration::from_secs(sent)) <= tolerance
}
