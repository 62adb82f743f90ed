//! Names to addresses, every one of which is judged before one of them is connected to.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;

use domain::address::is_public;
use url::{Host, Url};

pub type Addresses = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// A port, so that tests have names of their own.
pub trait Resolver: Send + Sync {
    fn resolve(&self, name: String) -> Addresses;
}

/// The system's.
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve(&self, name: String) -> Addresses {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Where to connect to. One address that must not be reached refuses the name.
pub(crate) async fn judged(
    url: &Url,
    resolver: &dyn Resolver,
    allow_local: bool,
) -> Result<Vec<SocketAddr>, &'static str> {
    let port = url.port_or_known_default().ok_or("the address has no port")?;
    let found = match url.host().ok_or("the address has no host")? {
        Host::Ipv4(address) => vec![IpAddr::V4(address)],
        Host::Ipv6(address) => vec![IpAddr::V6(address)],
        Host::Domain(name) => {
            resolver.resolve(name.to_owned()).await.map_err(|_| "the host name could not be resolved")?
        }
    };
    if found.is_empty() {
        return Err("the host name has no address");
    }
    let is_allowed = |address: &IpAddr| is_public(*address) || (allow_local && address.is_loopback());
    if !found.iter().all(is_allowed) {
        return Err("the host name leads to an address outside the public internet");
    }
    Ok(found.into_iter().map(|address| SocketAddr::new(address, port)).collect())
}
