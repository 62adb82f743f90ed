//! Verifies `X-Hub-Signature-256`: the HMAC-SHA256 of the unparsed body with the app's secret.

use domain::identity::credential::Secret;
use ring::hmac;
use ring::rand::SystemRandom;

/// Verifies a header of the form `sha256=` and 64 hexadecimal digits. Both secrets are accepted during a rotation.
pub(crate) fn is_signed(header: Option<&str>, body: &[u8], app_secrets: &[Secret]) -> bool {
    let Some(signature) = header.and_then(|header| header.trim().strip_prefix("sha256=")).and_then(unhex) else {
        return false;
    };
    app_secrets.iter().any(|secret| {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes());
        hmac::verify(&key, body, &signature).is_ok()
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

/// Compares in constant time: both texts are signed with a temporary key, and ring compares signatures in constant time.
pub(crate) fn are_equal(a: &[u8], b: &[u8]) -> bool {
    let Ok(key) = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new()) else { return false };
    hmac::verify(&key, a, hmac::sign(&key, b).as_ref()).is_ok()
}

#[cfg(test)]
mod tests {
    use domain::identity::credential::hex;

    use super::*;

    #[test]
    fn the_unparsed_body_is_verified_with_either_secret() {
        let secrets = [Secret::new("new"), Secret::new("old")];
        let body = br#"{"text":"\u00fc"}"#;
        for secret in &secrets {
            let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes());
            let header = format!("sha256={}", hex(hmac::sign(&key, body).as_ref()));
            assert!(is_signed(Some(&header), body, &secrets));
            assert!(is_signed(Some(&header.to_uppercase().replace("SHA256", "sha256")), body, &secrets));
            assert!(!is_signed(Some(&header), "{\"text\":\"ü\"}".as_bytes(), &secrets));
            assert!(!is_signed(Some(&header[..70]), body, &secrets));
            assert!(!is_signed(Some(&header.replace("sha256=", "sha1=")), body, &secrets));
            assert!(!is_signed(Some(&header), body, &[]));
        }
        assert!(!is_signed(None, body, &secrets));
        assert!(!is_signed(Some(&format!("sha256={}", "é".repeat(32))), body, &secrets));
        assert!(are_equal(b"a", b"a") && !are_equal(b"a", b"b") && !are_equal(b"a", b""));
    }
}
