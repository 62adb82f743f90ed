//! Receivers that a webhook must not be able to reach, and receivers that misbehave.

mod addresses;
mod responses;
mod tls;

use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::{Addresses, Poster, Resolver};
use domain::events::webhook::AddressPolicy;

/// A resolver with configured results; each lookup of a name returns its next result.
#[derive(Default)]
struct Names {
    results: Mutex<Vec<Name>>,
    lookups: AtomicUsize,
}

/// A name with the results of successive lookups.
type Name = (&'static str, Vec<Vec<&'static str>>);

impl Names {
    fn of(names: Vec<Name>) -> Arc<Self> {
        Arc::new(Names { results: Mutex::new(names), lookups: AtomicUsize::new(0) })
    }
}

impl Resolver for Names {
    fn resolve(&self, name: String) -> Addresses {
        self.lookups.fetch_add(1, Ordering::SeqCst);
        let mut names = self.results.lock().unwrap();
        let found = names
            .iter_mut()
            .find(|(known, _)| *known == name)
            .map(|(_, answers)| if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() });
        let found: io::Result<Vec<IpAddr>> = match found {
            None => Err(io::Error::other("no such name")),
            Some(found) => Ok(found.into_iter().map(|address| address.parse().unwrap()).collect()),
        };
        Box::pin(async move { found })
    }
}

/// A policy that allows the addresses where the receivers of tests listen.
fn local() -> AddressPolicy {
    AddressPolicy { own: Vec::new(), allow_local: true }
}

fn poster(names: Arc<Names>, policy: AddressPolicy) -> Poster {
    Poster::new(names, policy, Duration::from_secs(5)).unwrap()
}
