//! Webhooks: where events go, and the rules for their address, events and headers.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::address::is_public;
use crate::event::EventName;
use crate::id::{AppId, WebhookId};
use crate::text::{self, STRING_LENGTH};
use crate::{Failure, Open, Timestamp};

pub const WEBHOOKS_PER_APP: u32 = 20;
pub const HEADERS: usize = 20;
const HEADER_BYTES: usize = 8 * 1024;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    pub id: WebhookId,
    pub app_id: AppId,
    pub url: String,
    pub events: Vec<Open<EventName>>,
    /// The values are secrets and lie with the signing secret.
    pub header_names: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<String>,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Webhook {
    pub fn listens_to_organization(&self) -> bool {
        self.events.iter().filter_map(Open::known).any(EventName::is_of_organization)
    }
}

/// What only the management of webhooks and the delivery may read.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSecrets {
    /// `whsec_` and the base64 of 32 bytes (Standard Webhooks 1.0).
    pub signing_secret: String,
    /// The one before, which signs too until `previous_until`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_secret: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_until: Option<Timestamp>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

/// Seconds for which a replaced signing secret goes on signing.
pub const GRACE_SECONDS: u32 = 86_400;
pub const MOST_GRACE_SECONDS: u32 = 604_800;

impl WebhookSecrets {
    /// The secrets to sign with, the current one first.
    pub fn signing(&self, now: Timestamp) -> Vec<&str> {
        let previous = self.previous_secret.as_deref().filter(|_| self.previous_until.is_some_and(|until| now < until));
        std::iter::once(self.signing_secret.as_str()).chain(previous).collect()
    }

    pub fn rotate(&mut self, fresh: String, grace: std::time::Duration, now: Timestamp) {
        let replaced = std::mem::replace(&mut self.signing_secret, fresh);
        let keeps = !grace.is_zero();
        self.previous_secret = keeps.then_some(replaced);
        self.previous_until = keeps.then(|| now.plus(grace));
    }
}

/// Where an installation lets webhooks go.
#[derive(Clone, Debug)]
pub struct AddressPolicy {
    /// Where this API answers: no webhook may drive it. A port narrows it to that port.
    pub own: Vec<(String, Option<u16>)>,
    /// The local stack's receivers are plain HTTP servers on loopback.
    pub allow_local: bool,
}

/// The address as sent but for white space around it, once every rule holds.
pub fn webhook_url(text: &str, param: &str, policy: &AddressPolicy) -> Result<String, Failure> {
    let refuse = |message: &str| Failure::invalid(param, format!("{param} {message}"));
    let text = text.trim();
    if text.chars().count() > STRING_LENGTH {
        return Err(refuse("may have at most 2048 characters."));
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
        return Err(refuse("must not contain credentials; use headers for them."));
    }
    if url.fragment().is_some() {
        return Err(refuse("must not have a fragment."));
    }
    if url.port().is_some_and(|port| port < 1024) {
        return Err(refuse("must use port 443 or one from 1024."));
    }
    allowed_host(&url, policy).map_err(refuse)?;
    Ok(text.to_owned())
}

fn allowed_host(url: &Url, policy: &AddressPolicy) -> Result<(), &'static str> {
    const NOT_PUBLIC: &str = "must not lead to an address outside the public internet.";
    let literal = match url.host() {
        None => return Err("must have a host."),
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
            // Resolvers differ in what they make of an empty label.
            if name.split('.').any(str::is_empty) {
                return Err("must have a host name without empty parts.");
            }
            let is_own = |(host, port): &(String, Option<u16>)| {
                name.eq_ignore_ascii_case(host) && port.is_none_or(|port| url.port_or_known_default() == Some(port))
            };
            if policy.own.iter().any(is_own) {
                return Err("must not lead back to this API.");
            }
            let is_local = name == "localhost" || name.ends_with(".localhost");
            return if is_local && !policy.allow_local { Err(NOT_PUBLIC) } else { Ok(()) };
        }
        Some(Host::Ipv4(address)) => IpAddr::V4(address),
        Some(Host::Ipv6(address)) => IpAddr::V6(address),
    };
    if is_public(literal) || (policy.allow_local && literal.is_loopback()) { Ok(()) } else { Err(NOT_PUBLIC) }
}

/// One or more of the 18 names, none twice.
pub fn webhook_events(names: &[String], param: &str) -> Result<Vec<Open<EventName>>, Failure> {
    if names.is_empty() {
        return Err(Failure::invalid(param, format!("{param} must name at least one event.")));
    }
    let mut seen = BTreeSet::new();
    let mut events = Vec::with_capacity(names.len().min(EventName::ALL.len()));
    for (index, name) in names.iter().enumerate() {
        let at = format!("{param}[{index}]");
        let event: EventName =
            name.parse().map_err(|_| Failure::invalid(&at, format!("{at} is not the name of an event.")))?;
        if !seen.insert(event) {
            return Err(Failure::invalid(&at, format!("{at} repeats {}.", event.as_str())));
        }
        events.push(event.into());
    }
    Ok(events)
}

/// Valid HTTP names and values, 20 of them and 8 KiB in all, none that the delivery itself sets.
pub fn webhook_headers(headers: &BTreeMap<String, String>, param: &str) -> Result<(), Failure> {
    if headers.len() > HEADERS {
        return Err(Failure::invalid(param, format!("{param} may have at most {HEADERS} entries.")));
    }
    let mut lower = BTreeSet::new();
    for (name, value) in headers {
        let at = format!("{param}.{name}");
        // The name itself may be hostile: it is echoed only once it is known to be a plain token.
        if !is_token(name) {
            return Err(Failure::invalid(
                param,
                format!("{param} contains a name that is not a valid HTTP header name."),
            ));
        }
        if is_reserved(name) {
            return Err(Failure::invalid(at, format!("The header {name} is set by the service itself.")));
        }
        if !lower.insert(name.to_ascii_lowercase()) {
            return Err(Failure::invalid(
                at,
                format!("The header {name} is given twice; names do not depend on case."),
            ));
        }
        if !is_field_value(value) {
            return Err(Failure::invalid(
                at,
                format!(
                    "The value of header {name} may hold visible ASCII characters, and spaces and tabs between them."
                ),
            ));
        }
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > HEADER_BYTES {
        return Err(Failure::invalid(
            param,
            format!("{param} may have at most {HEADER_BYTES} bytes; these are {bytes}."),
        ));
    }
    Ok(())
}

/// RFC 9110, section 5.6.2.
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// RFC 9110, section 5.5, without the obsolete bytes above 127.
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

    fn deployed() -> AddressPolicy {
        AddressPolicy {
            own: vec![("api.example.com".into(), None), ("docs.example.com".into(), Some(8443))],
            allow_local: false,
        }
    }

    #[test]
    fn addresses_of_the_public_internet_are_taken() {
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
    fn hostile_addresses_are_refused() {
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
            assert_eq!((failure.status(), failure.param()), (400, Some("url")), "{url}");
        }
    }

    #[test]
    fn the_local_stack_reaches_loopback_and_nothing_else_private() {
        let local = AddressPolicy { own: vec![("localhost".into(), Some(4566))], allow_local: true };
        assert!(webhook_url("http://127.0.0.1:9000/hook", "url", &local).is_ok());
        assert!(webhook_url("http://localhost:9000/hook", "url", &local).is_ok());
        assert!(webhook_url("http://10.0.0.1:9000/hook", "url", &local).is_err());
        assert!(webhook_url("http://localhost:4566/v1/media", "url", &local).is_err());
    }

    #[test]
    fn events_are_the_18_names_without_repetition() {
        let names: Vec<String> = EventName::ALL.iter().map(|event| event.as_str().to_owned()).collect();
        assert_eq!(webhook_events(&names, "events").map(|events| events.len()).ok(), Some(18));
        let twice = ["messages.sms.sent".to_owned(), "messages.sms.sent".to_owned()];
        assert_eq!(webhook_events(&twice, "events").expect_err("twice").param(), Some("events[1]"));
        assert_eq!(webhook_events(&[], "events").expect_err("none").param(), Some("events"));
        assert_eq!(webhook_events(&["x".into()], "events").expect_err("unknown").param(), Some("events[0]"));
    }

    #[test]
    fn headers_are_valid_and_not_ours() {
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
