//! Addresses that are never connected to, and names that resolve to them, change, or do not resolve.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use delivery::{Addresses, Poster, Resolver};
use domain::events::webhook::AddressPolicy;
use http::HeaderMap;
use tests::receiver::{Receiver, status};

use super::{Names, local, poster};

/// The policy of a deployed installation.
fn deployed() -> AddressPolicy {
    AddressPolicy { own: vec![("api.example.com".to_owned(), None)], allow_local: false }
}

#[tokio::test]
async fn hostile_addresses_are_never_connected_to() {
    let names = Names::of(vec![
        ("inside.example.com", vec![vec!["10.0.0.1"]]),
        ("loopback.example.com", vec![vec!["127.0.0.1"]]),
        ("metadata.example.com", vec![vec!["169.254.169.254"]]),
        ("mixed.example.com", vec![vec!["93.184.216.34", "127.0.0.1"]]),
        ("mapped.example.com", vec![vec!["::ffff:127.0.0.1"]]),
        ("nat64.example.com", vec![vec!["64:ff9b::7f00:1"]]),
        ("compatible.example.com", vec![vec!["::127.0.0.1"]]),
        ("unique-local.example.com", vec![vec!["fd00::1"]]),
        ("link-local.example.com", vec![vec!["fe80::1"]]),
        ("nowhere.example.com", vec![vec![]]),
    ]);
    let poster = poster(names, deployed());

    for url in [
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://127.1/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[::127.0.0.1]/",
        "https://0.0.0.0/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[fd00:ec2::254]/",
        "https://10.1.2.3/",
        "https://192.168.0.1/",
        "https://172.16.0.1/",
        "https://100.64.0.1/",
        "https://localhost/",
        "https://a.localhost/",
        "https://inside.example.com/",
        "https://loopback.example.com/",
        "https://metadata.example.com/",
        "https://mixed.example.com/",
        "https://mapped.example.com/",
        "https://nat64.example.com/",
        "https://compatible.example.com/",
        "https://unique-local.example.com/",
        "https://link-local.example.com/",
        "https://nowhere.example.com/",
        "https://unknown.example.com/",
        "https://api.example.com/v1/media",
        "http://example.com/",
        "https://example.com:22/",
        "https://user:pw@example.com/",
        "ftp://example.com/",
        "nonsense",
    ] {
        let started = Instant::now();
        let refused = poster.post(url, HeaderMap::new(), "{}".into()).await.unwrap_err();
        assert!(started.elapsed() < Duration::from_secs(5), "{url} was connected to: {refused}");
        assert!(!refused.contains("within 15 seconds") && !refused.contains("connection"), "{url}: {refused}");
    }
}

/// The connection uses the validated address: the name is resolved only once.
#[tokio::test]
async fn a_name_that_changes_between_check_and_connect_changes_nothing() {
    let receiver = Receiver::start(status(200));
    let port = receiver.url.split(':').nth(2).unwrap().split('/').next().unwrap().to_owned();
    let names = Names::of(vec![("rebinding.example.com", vec![vec!["127.0.0.1"], vec!["10.0.0.1"]])]);
    let poster = poster(names.clone(), local());
    let url = format!("http://rebinding.example.com:{port}/");

    poster.post(&url, HeaderMap::new(), "{}".into()).await.unwrap();
    assert_eq!(names.lookups.load(Ordering::SeqCst), 1);
    assert_eq!(receiver.got()[0].headers["host"], format!("rebinding.example.com:{port}"));

    // The second lookup returns another address, which is validated again.
    poster.post(&url, HeaderMap::new(), "{}".into()).await.unwrap_err();
    assert_eq!(receiver.got().len(), 1);
}

/// A name whose lookup never ends.
struct Endless;

impl Resolver for Endless {
    fn resolve(&self, _name: String) -> Addresses {
        Box::pin(std::future::pending())
    }
}

/// The deadline of fifteen seconds covers the lookup and everything after it.
#[tokio::test]
async fn a_name_that_does_not_resolve_ends_with_the_deadline() {
    assert_eq!(delivery::DEADLINE, Duration::from_secs(15));

    let poster = Poster::new(Arc::new(Endless), local(), Duration::from_millis(300)).unwrap();
    let posted = poster.post("https://endless.example.com/", HeaderMap::new(), "{}".into());
    let refused = tokio::time::timeout(Duration::from_secs(5), posted).await.unwrap().unwrap_err();
    assert_eq!(refused, "No complete response within 15 seconds.");
}
