//! Resolves host names. All addresses of a name are checked before a connection is made to one of them.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;

use domain::events::address::is_public;
use url::{Host, Url};

/// A future that resolves to the addresses of a host name.
pub type Addresses = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Resolves host names. A trait, so that tests can replace DNS.
pub trait Resolver: Send + Sync {
    /// Returns the addresses of a name.
    fn resolve(&self, name: String) -> Addresses;
}

/// The resolver of the operating system.
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve(&self, name: String) -> Addresses {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Returns the addresses to connect to. One forbidden address rejects the whole name.
pub(crate) async fn checked_addresses(
    url: &Url,
    resolver: &dyn Resolver,
    allow_local: bool,
) -> Result<Vec<SocketAddr>, &'static str> {
    let port = url.port_or_known_default().ok_or("The URL has no port.")?;
    let found = match url.host().ok_or("The URL has no host.")? {
        Host::Ipv4(address) => vec![IpAddr::V4(address)],
        Host::Ipv6(address) => vec![IpAddr::V6(address)],
        Host::Domain(name) => {
            resolver.resolve(name.to_owned()).await.map_err(|_| "The host name could not be resolved.")?
        }
    };
    if found.is_empty() {
        return Err("The host name has no address.");
    }
    let is_allowed = |address: &IpAddr| is_public(*address) || (allow_local && address.is_loopback());
    if !found.iter().all(is_allowed) {
        return Err("The host name resolves to an address outside the public internet.");
    }
    Ok(found.into_iter().map(|address| SocketAddr::new(address, port)).collect())
}
