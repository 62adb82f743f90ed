//! The address of an installation.

use std::net::IpAddr;

use url::{Host, Url};

use crate::Error;

/// Returns the address without a slash at its end. It must be `https`, or `http` on this machine, because a credential
/// travels with every request.
pub(crate) fn checked(address: &str) -> Result<String, Error> {
    let invalid = |reason: &str| Error::usage(format!("The base URL {reason}, such as https://api.example.com."));
    let url: Url = address.trim().parse().map_err(|_| invalid("is not a URL. Use the address of the installation"))?;
    let is_plain = match url.scheme() {
        "https" => false,
        "http" => true,
        _ => return Err(invalid("must begin with https://")),
    };
    if is_plain && !is_this_machine(&url) {
        return Err(invalid(
            "must begin with https://, because the key would travel unencrypted. Only addresses of this machine may use http. Use an address",
        ));
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(invalid("must not contain credentials, a query or a fragment. Use an address"));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Whether a URL may be plain http: its host is the loopback interface.
pub(crate) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::checked;

    #[test]
    fn a_key_travels_encrypted_or_stays_on_this_machine() {
        for (address, expected) in [
            ("https://api.example.com/", Some("https://api.example.com")),
            (" https://api.example.com/stage ", Some("https://api.example.com/stage")),
            ("http://localhost:4566/_aws/x", Some("http://localhost:4566/_aws/x")),
            ("http://127.0.0.1:1", Some("http://127.0.0.1:1")),
            ("http://[::1]:1", Some("http://[::1]:1")),
            ("http://api.localhost:1", Some("http://api.localhost:1")),
            ("http://api.example.com", None),
            ("http://localhost.example.com", None),
            ("http://128.0.0.1", None),
            ("ftp://localhost", None),
            ("https://key@api.example.com", None),
            ("https://api.example.com?x", None),
            ("api.example.com", None),
        ] {
            assert_eq!(checked(address).ok().as_deref(), expected, "{address}");
        }
    }
}
