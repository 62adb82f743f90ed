//! Validation of a webhook's address: an https URL, or the ARN of a queue.

use std::net::IpAddr;

use url::{Host, Url};

use super::QueueArn;
use crate::Failure;
use crate::events::address::is_public;
use crate::text::{self, STRING_LENGTH};

/// The lowest port besides 443.
const LOWEST_PORT: u16 = 1024;

/// The hosts that an installation allows in webhook URLs.
#[derive(Clone, Debug)]
pub struct AddressPolicy {
    /// The hosts of this API, to which no webhook may send requests. With a port, only that port is excluded.
    pub own: Vec<(String, Option<u16>)>,
    /// Whether plain http and loopback addresses are allowed, as the receivers of the local stack need.
    pub allow_local: bool,
}

/// Validates the address of a webhook, and returns it unchanged. Whether the organization may use a
/// queue is not checked here.
pub fn webhook_address(text: &str, param: &str, policy: &AddressPolicy) -> Result<String, Failure> {
    if QueueArn::looks_like_arn(text) {
        QueueArn::in_field(text, param).map(|queue| queue.to_string())
    } else {
        webhook_url(text, param, policy)
    }
}

/// Validates a webhook URL, and returns it unchanged.
pub fn webhook_url(text: &str, param: &str, policy: &AddressPolicy) -> Result<String, Failure> {
    let refuse = |message: &str| Failure::invalid(param, format!("{param} {message}"));
    if text.chars().count() > STRING_LENGTH {
        return Err(refuse(&format!("may have at most {STRING_LENGTH} characters.")));
    }
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(refuse("must not contain white space or control characters."));
    }

    let url = text::absolute_url(text)
        .ok_or_else(|| refuse("must be an absolute URL, such as https://example.com/hooks."))?;
    match url.scheme() {
        "https" => {}
        "http" if policy.allow_local => {}
        _ => return Err(refuse("must begin with https://.")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("must not contain credentials. Use headers for them."));
    }
    if url.fragment().is_some() {
        return Err(refuse("must not have a fragment."));
    }
    if url.port().is_some_and(|port| port < LOWEST_PORT) {
        return Err(refuse(&format!("must use port 443, or a port from {LOWEST_PORT} to {}.", u16::MAX)));
    }
    allowed_host(&url, policy).map_err(refuse)?;
    Ok(text.to_owned())
}

fn allowed_host(url: &Url, policy: &AddressPolicy) -> Result<(), &'static str> {
    const NOT_PUBLIC: &str = "must point to an address on the public internet.";
    let literal = match url.host() {
        None => return Err("must have a host."),
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
            // Resolvers interpret empty labels differently.
            if name.split('.').any(str::is_empty) {
                return Err("must have a host name without empty parts.");
            }
            let is_own = |(host, port): &(String, Option<u16>)| {
                name.eq_ignore_ascii_case(host) && port.is_none_or(|port| url.port_or_known_default() == Some(port))
            };
            if policy.own.iter().any(is_own) {
                return Err("must not point to this API.");
            }
            let is_local = name == "localhost" || name.ends_with(".localhost");
            return if is_local && !policy.allow_local { Err(NOT_PUBLIC) } else { Ok(()) };
        }
        Some(Host::Ipv4(address)) => IpAddr::V4(address),
        Some(Host::Ipv6(address)) => IpAddr::V6(address),
    };
    if is_public(literal) || (policy.allow_local && literal.is_loopback()) { Ok(()) } else { Err(NOT_PUBLIC) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn deployed() -> AddressPolicy {
        AddressPolicy {
            own: vec![("api.example.com".into(), None), ("docs.example.com".into(), Some(8443))],
            allow_local: false,
        }
    }

    #[test]
    fn addresses_of_the_public_internet_are_accepted() {
        for url in [
            "https://example.com",
            "https://example.com/a?b=c",
            "https://example.com:8443/x",
            "https://example.com:443/",
            "https://8.8.8.8/hook",
            "https://[2606:4700:4700::1111]/",
            "HTTPS://EXAMPLE.COM/",
        ] {
            assert!(webhook_url(url, "url", &deployed()).is_ok(), "{url}");
        }
    }

    #[test]
    fn hostile_addresses_are_rejected() {
        let long = format!("https://example.com/{}", "a".repeat(2048));
        for url in [
            "",
            "example.com",
            "/hook",
            "http://example.com",
            "ftp://example.com",
            "https://",
            "https://user@example.com",
            "https://user:pw@example.com",
            "https://example.com/#top",
            "https://example.com:80/",
            "https://example.com:22/",
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://127.1/",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://169.254.169.254/latest",
            "https://localhost/",
            "https://a.localhost/",
            "https://LOCALHOST./",
            "https://LOCALHOST../",
            "https://./",
            "https://.example.com/",
            "https://a..example.com/",
            "https://api.example.com/v1",
            "https://API.example.com./",
            "https://exa mple.com/",
            "https://example.com/\u{0}",
            "javascript:alert(1)",
            "https:example.com",
            "https:///example.com",
            "https:\\\\example.com",
            "https://a\\@b/",
            "https://@example.com/",
            "https://:@example.com/",
            "https://example..com/",
            "https:/a.example://b.example/",
            "https:a.example://b.example/",
            "https://docs.example.com:8443/hook",
            "file:///etc/passwd",
            &long,
        ] {
            let failure = webhook_url(url, "url", &deployed()).expect_err(url);
            assert_eq!((failure.kind(), failure.param()), (ErrorKind::InvalidRequest, Some("url")), "{url}");
        }
    }

    #[test]
    fn an_address_is_a_url_or_a_queue_and_deliveries_are_posted_to_urls_only() {
        let queue = "arn:aws:sqs:eu-central-1:123456789012:events.fifo";
        assert_eq!(webhook_address(queue, "url", &deployed()).ok().as_deref(), Some(queue));
        for spaced in [format!(" {queue}"), format!("{queue}\n"), "https://example.com/a ".to_owned()] {
            assert!(webhook_address(&spaced, "url", &deployed()).is_err(), "{spaced:?}");
        }
        assert!(webhook_address("https://example.com", "url", &deployed()).is_ok());
        for wrong in ["arn:aws:sqs:eu-central-1:123456789012", "arn://example.com", "ARN:aws:sqs:x:123456789012:y"] {
            let failure = webhook_address(wrong, "url", &deployed()).expect_err(wrong);
            assert_eq!((failure.kind(), failure.param()), (ErrorKind::InvalidRequest, Some("url")), "{wrong}");
        }
        assert!(webhook_url(queue, "url", &deployed()).is_err());
    }

    #[test]
    fn the_local_stack_reaches_loopback_and_nothing_else_private() {
        let local = AddressPolicy { own: vec![("localhost".into(), Some(4566))], allow_local: true };
        assert!(webhook_url("http://127.0.0.1:9000/hook", "url", &local).is_ok());
        assert!(webhook_url("http://localhost:9000/hook", "url", &local).is_ok());
        assert!(webhook_url("http://10.0.0.1:9000/hook", "url", &local).is_err());
        assert!(webhook_url("http://localhost:4566/v1/media", "url", &local).is_err());
    }
}
