//! Validation of the headers that a webhook adds to its deliveries.

use std::collections::{BTreeMap, BTreeSet};

use crate::Failure;

/// The highest number of headers of a webhook.
pub const MAX_HEADERS: usize = 20;
/// The largest size of all names and values together, in bytes.
pub const HEADER_BYTES: usize = 8 * 1024;

/// Validates headers: not too many, not too large in total, valid HTTP names and values, and none that the service sets
/// itself.
pub fn webhook_headers(headers: &BTreeMap<String, String>, param: &str) -> Result<(), Failure> {
    if headers.len() > MAX_HEADERS {
        return Err(Failure::invalid(param, format!("{param} may have at most {MAX_HEADERS} entries.")));
    }
    let mut lower = BTreeSet::new();
    for (name, value) in headers {
        let at = format!("{param}.{name}");
        // An invalid name may be hostile, so the message does not repeat it.
        if !is_token(name) {
            return Err(Failure::invalid(
                param,
                format!(
                    "{param} contains a name that is not a valid HTTP header name. Allowed: letters, digits and \
                     !#$%&'*+-.^_`|~."
                ),
            ));
        }
        if is_reserved(name) {
            return Err(Failure::invalid(at, format!("The header {name} is set by the service. Remove it.")));
        }
        if !lower.insert(name.to_ascii_lowercase()) {
            return Err(Failure::invalid(
                at,
                format!("The header {name} is given twice. Header names are case-insensitive."),
            ));
        }
        if !is_field_value(value) {
            return Err(Failure::invalid(
                at,
                format!(
                    "The value of header {name} may contain only visible ASCII characters, with spaces and tabs between."
                ),
            ));
        }
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > HEADER_BYTES {
        return Err(Failure::invalid(
            param,
            format!("{param} may have at most {HEADER_BYTES} bytes in total. These have {bytes}."),
        ));
    }
    Ok(())
}

/// Returns whether a name is a token (RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Returns whether a value is valid (RFC 9110, section 5.5), without the obsolete bytes above 127.
fn is_field_value(value: &str) -> bool {
    value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) && value.trim_matches([' ', '\t']) == value
}

fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(name.as_str(), "host" | "connection" | "transfer-encoding")
        || name.starts_with("content-")
        || name.starts_with("webhook-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_must_be_valid_and_not_reserved() {
        let one = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
        assert!(webhook_headers(&one("X-Team", "blue green"), "headers").is_ok());
        for (name, value, param) in [
            ("Host", "a", "headers.Host"),
            ("content-type", "a", "headers.content-type"),
            ("Webhook-Id", "a", "headers.Webhook-Id"),
            ("Connection", "a", "headers.Connection"),
            ("transfer-encoding", "a", "headers.transfer-encoding"),
            ("X-Team", "a\r\nb: c", "headers.X-Team"),
            ("X-Team", " a", "headers.X-Team"),
            ("X-Team", "é", "headers.X-Team"),
            ("", "a", "headers"),
            ("X Team", "a", "headers"),
        ] {
            assert_eq!(webhook_headers(&one(name, value), "headers").expect_err(name).param(), Some(param));
        }
        let many = (0..21).map(|i| (format!("X-{i}"), String::new())).collect();
        assert!(webhook_headers(&many, "headers").is_err());
        assert!(webhook_headers(&one("X-Big", &"a".repeat(8192)), "headers").is_err());
        let twice = BTreeMap::from([("X-Team".to_owned(), "a".to_owned()), ("x-team".to_owned(), "b".to_owned())]);
        assert!(webhook_headers(&twice, "headers").is_err());
    }
}
