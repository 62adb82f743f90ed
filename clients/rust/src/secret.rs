//! The signing secret of a webhook.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac::{HMAC_SHA256, Key};

use crate::Error;

pub(crate) const PREFIX: &str = "whsec_";

/// Returns the key of a secret, which is `whsec_` and the key in base64.
pub(crate) fn key_of(secret: &str) -> Result<Key, Error> {
    let text = secret.trim();
    let key = STANDARD.decode(text.strip_prefix(PREFIX).unwrap_or(text)).unwrap_or_default();
    if key.is_empty() {
        return Err(Error::usage("The secret must be the signing secret of the webhook: whsec_ and base64."));
    }
    Ok(Key::new(HMAC_SHA256, &key))
}

/// Returns what is signed.
pub(crate) fn signed(id: &str, timestamp: &str, body: &[u8]) -> Vec<u8> {
    [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat()
}
