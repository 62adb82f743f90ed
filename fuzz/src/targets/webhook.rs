//! Webhooks. Line 1 is the URL; each following line names an event or, if it contains a colon, is a header.
//!
//! In an accepted URL, other parsers find the same public host; it uses https, has no credentials, fragment or white space; a
//! request to it can be built; and it is accepted again unchanged. Accepted headers are valid and do not replace the service's.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use domain::ErrorKind;
use domain::events::webhook::{AddressPolicy, webhook_events, webhook_headers, webhook_url};
use domain::text::{absolute_url, https_url};
use http::{HeaderName, HeaderValue, Uri};
use url::{Position, Url};

use super::expect_shown;

pub fn run(input: &[u8]) {
    let input = String::from_utf8_lossy(input);
    let mut lines = input.split('\n');
    let address = lines.next().unwrap_or_default();
    let own = vec![("api.example.com".to_owned(), None), ("docs.example.com".to_owned(), Some(8443))];
    let deployed = AddressPolicy { own, allow_local: false };
    expect_safe(address, &deployed);
    expect_safe(address, &AddressPolicy { own: vec![("localhost".to_owned(), Some(4566))], allow_local: true });
    expect_https(address);
    if webhook_url(address, "url", &deployed).is_ok() {
        assert!(https_url(address, "url").is_ok(), "{address:?}");
    }
    let (headers, events): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.contains(':'));
    expect_headers(&headers.iter().filter_map(|line| line.split_once(':')).collect::<Vec<_>>());
    expect_events(&events.into_iter().map(str::to_owned).collect::<Vec<_>>());
}

fn expect_safe(address: &str, policy: &AddressPolicy) {
    let taken = match webhook_url(address, "url", policy) {
        Ok(taken) => taken,
        Err(failure) => {
            expect_shown(&failure);
            assert_eq!((failure.kind(), failure.param()), (ErrorKind::InvalidRequest, Some("url")));
            // The URL may contain credentials, which must not be in the message.
            let is_telling = address.contains(['@', '?', '=', '&', '%']);
            assert!(!is_telling || address.len() < 12 || !failure.message().contains(address), "{failure:?}");
            return;
        }
    };
    assert_eq!(taken, address.trim());
    assert!(taken.chars().count() <= 2048 && !taken.chars().any(|c| c.is_whitespace() || c.is_control()), "{taken:?}");
    let (scheme, rest) = taken.split_once("://").expect("a scheme");
    let is_plain = policy.allow_local && scheme.eq_ignore_ascii_case("http");
    assert!(is_plain || scheme.eq_ignore_ascii_case("https"), "{taken:?}");
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    assert!(!authority.contains('@') && !taken.contains(['#', '\\']), "{taken:?}");
    let url = Url::parse(&taken).expect("a URL");
    assert!(url.username().is_empty() && url.password().is_none() && url.fragment().is_none(), "{taken:?}");
    let port = url.port_or_known_default().expect("a port");
    assert!(port >= 1024 || port == 443 || (is_plain && port == 80), "{taken:?}");
    let host = url.host_str().expect("a host");
    expect_public(host, policy, &taken);
    assert!(!policy.own.iter().any(|(own, at)| is_same_name(own, host) && at.is_none_or(|at| at == port)), "{taken:?}");
    expect_delivery(&url, authority, policy, &taken);
    assert_eq!(webhook_url(&taken, "url", policy).ok(), Some(taken));
}

fn is_same_name(a: &str, b: &str) -> bool {
    a.trim_end_matches('.').eq_ignore_ascii_case(b.trim_end_matches('.'))
}

/// Checks how the system would interpret a host: as an allowed address, or as a name that is not local.
fn expect_public(host: &str, policy: &AddressPolicy, taken: &str) {
    // Resolvers treat empty labels differently.
    assert!(!host.starts_with('.') && !host.contains(".."), "{taken:?}");
    let literal = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    if let Ok(address) = literal.parse::<IpAddr>() {
        let may = is_public(address) || (policy.allow_local && address.is_loopback());
        assert!(may, "{taken:?} leads to {address}");
        return;
    }
    let name = literal.to_ascii_lowercase();
    let is_local = name == "localhost" || name.ends_with(".localhost");
    assert!(!is_local || policy.allow_local, "{taken:?}");
    // Other forms that inet_aton and some resolvers accept: 127.1, 0x7f.1, 2130706433.
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit())
        || last.strip_prefix("0x").is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert!(!is_number, "{taken:?} may be read as an address");
    assert!(
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && !b"@/?#\\:[]%<>^|".contains(&byte)),
        "{taken:?}"
    );
}

/// Whether an address is public, according to std and to ranges that std does not cover.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_shared = first == 100 && (64..128).contains(&second);
    let is_benchmark = first == 198 && (second == 18 || second == 19);
    let is_protocol = first == 192 && second == 0 && third == 0;
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || first == 0
        || first >= 240
        || is_shared
        || is_benchmark
        || is_protocol)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let is_nat64 = segments[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    let [.., a, b, c, d] = address.octets();
    if address.to_ipv4().is_some() || is_nat64 {
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    let is_six_to_four = segments[0] == 0x2002;
    let is_documentation = segments[0] == 0x2001 && segments[1] == 0xdb8;
    let is_local = address.is_loopback() || address.is_unspecified() || address.is_unique_local();
    !(is_local || address.is_unicast_link_local() || address.is_multicast() || is_documentation || is_six_to_four)
        && segments[0] & 0xe000 == 0x2000
}

/// Checks that a request to the URL names this host and no other.
fn expect_delivery(url: &Url, authority: &str, policy: &AddressPolicy, taken: &str) {
    let target = url[Position::BeforePath..Position::AfterQuery].parse::<Uri>();
    assert!(target.is_ok_and(|target| target.host().is_none()), "{taken:?} is not a valid request target");
    assert!(HeaderValue::from_str(&url[Position::BeforeHost..Position::AfterPort]).is_ok(), "{taken:?}");
    // Another parser must find the same host in the request, otherwise it could reach another receiver.
    let Ok(uri) = taken.parse::<Uri>() else { return };
    let host = uri.host().unwrap_or_default();
    assert!(authority.starts_with(host), "{taken:?}");
    let text = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    match text.parse::<IpAddr>() {
        Ok(address) => assert!(is_public(address) || (policy.allow_local && address.is_loopback()), "{taken:?}"),
        // Numbers in other forms and percent-encoded names resolve as the URL standard defines.
        Err(_) if text.contains('%') || url.host_str().is_some_and(|host| host.parse::<Ipv4Addr>().is_ok()) => {}
        Err(_) => assert!(is_same_name(host, url.host_str().unwrap_or_default()), "{taken:?}"),
    }
}

fn expect_https(address: &str) {
    match https_url(address, "greeting") {
        Err(failure) => {
            expect_shown(&failure);
            assert_eq!((failure.kind(), failure.param()), (ErrorKind::InvalidRequest, Some("greeting")));
        }
        Ok(taken) => {
            assert_eq!(taken, address.trim());
            assert!(taken.to_ascii_lowercase().starts_with("https://"), "{taken:?}");
            let url = Url::parse(&taken).expect("a URL");
            assert!(url.scheme() == "https" && url.username().is_empty() && url.password().is_none(), "{taken:?}");
            assert!(taken.chars().count() <= 2048 && absolute_url(&taken).is_some());
            assert_eq!(https_url(&taken, "greeting").ok(), Some(taken));
        }
    }
}

fn expect_headers(sent: &[(&str, &str)]) {
    let headers: BTreeMap<String, String> =
        sent.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    if let Err(failure) = webhook_headers(&headers, "headers") {
        expect_shown(&failure);
        let param = failure.param().unwrap_or_default();
        let is_named = |name: &String| format!("headers.{name}").chars().take(100).collect::<String>() == param;
        assert_eq!(failure.kind(), ErrorKind::InvalidRequest);
        assert!(param == "headers" || headers.keys().any(is_named), "{failure:?}");
        // Values are secrets: the message must not depend on them.
        let others = headers.iter().map(|(name, value)| (name.clone(), value.chars().map(other).collect())).collect();
        let of_others = webhook_headers(&others, "headers").expect_err("values of the same form");
        assert_eq!(of_others.message(), failure.message());
        return;
    }
    assert!(headers.len() <= 20);
    assert!(headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() <= 8 * 1024);
    let mut names = BTreeSet::new();
    for (name, value) in &headers {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header's name");
        assert!(HeaderValue::from_str(value).is_ok_and(|value| value.to_str().is_ok()), "{value:?}");
        assert!(!["host", "connection", "transfer-encoding"].contains(&name.as_str()), "{name}");
        assert!(!name.as_str().starts_with("content-") && !name.as_str().starts_with("webhook-"), "{name}");
        assert!(names.insert(name.as_str().to_owned()));
    }
}

/// Another character that is as valid in a header.
fn other(c: char) -> char {
    match c {
        'x' => 'y',
        '!'..='~' => 'x',
        _ => c,
    }
}

fn expect_events(names: &[String]) {
    match webhook_events(names, "events") {
        Err(failure) => {
            expect_shown(&failure);
            let param = failure.param().unwrap_or_default();
            let is_one = (0..names.len()).any(|index| param == format!("events[{index}]"));
            assert_eq!(failure.kind(), ErrorKind::InvalidRequest);
            assert!(is_one || (param == "events" && names.is_empty()), "{failure:?}");
        }
        Ok(events) => {
            assert_eq!(serde_json::json!(events), serde_json::json!(names));
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        }
    }
}
