//! What a key may do, and from where. A key without limits may do all that its kind can.

use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::identity::credential_kind::CredentialKind;
use crate::identity::scope::{Scope, Scopes};

/// The longest network: an IPv6 address with a prefix.
pub const NETWORK_LENGTH: usize = 43;
/// The maximum number of networks of a key.
pub const NETWORKS_PER_KEY: usize = 20;

/// The limits of a key, which its credential carries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// The scopes of the key; `None` if it has every scope of its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Scopes>,
    /// The networks that the key may be used from; `None` if it may be used from anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_ips: Option<Vec<IpNet>>,
}

impl Grant {
    /// Reads the limits of a new key of some kind.
    pub fn of(scopes: Option<&[String]>, networks: Option<&[String]>, kind: CredentialKind) -> Result<Grant, Failure> {
        Ok(Grant {
            scopes: scopes.map(|names| scopes_of(names, kind)).transpose()?,
            allowed_ips: networks.map(networks_of).transpose()?,
        })
    }

    /// Whether the key may do what needs a scope.
    pub fn allows(&self, scope: Scope) -> bool {
        self.scopes.is_none_or(|scopes| scopes.allow(scope))
    }

    /// Fails with 403 if the key may not do what needs a scope.
    pub fn expect(&self, scope: Scope) -> Result<(), Failure> {
        if self.allows(scope) {
            return Ok(());
        }
        let name = scope.as_str();
        Err(Failure::forbidden(format!(
            "This key does not have the scope {name}, which this operation needs. Use a key that has it; the scopes of a key cannot be changed."
        )))
    }

    /// Fails with 403 if the key may not be used from an address. A key with networks is useless where the address is unknown.
    pub fn expect_from(&self, address: Option<IpAddr>) -> Result<(), Failure> {
        let Some(networks) = &self.allowed_ips else { return Ok(()) };
        let seen = address.map(|address| address.to_canonical());
        if seen.is_some_and(|seen| networks.iter().any(|network| network.contains(&seen))) {
            return Ok(());
        }
        let seen = seen.map_or_else(|| "an unknown address".to_owned(), |seen| seen.to_string());
        Err(Failure::forbidden(format!(
            "This key may not be used from {seen}. Use it from one of its networks, or change its allowedIps."
        )))
    }

    /// Fails with 403 unless a key with this grant may give a key of some kind the other grant: nobody hands on more than they
    /// have.
    pub fn expect_covers(&self, other: &Grant, kind: CredentialKind) -> Result<(), Failure> {
        self.expect_covers_scopes(other, kind)?;
        self.expect_covers_networks(other)
    }

    fn expect_covers_scopes(&self, other: &Grant, kind: CredentialKind) -> Result<(), Failure> {
        if self.scopes.is_none() {
            return Ok(());
        }
        let wanted: Vec<Scope> = match other.scopes {
            Some(scopes) => scopes.iter().collect(),
            None => Scope::of_kind(kind).to_vec(),
        };
        match wanted.into_iter().find(|scope| !self.allows(*scope)) {
            None => Ok(()),
            Some(missing) => {
                let name = missing.as_str();
                let message = format!(
                    "Your key does not have the scope {name}, which the other key has. Leave it out, or use a key that has it."
                );
                Err(Failure::forbidden(message).with_param("scopes"))
            }
        }
    }

    fn expect_covers_networks(&self, other: &Grant) -> Result<(), Failure> {
        let Some(own) = &self.allowed_ips else { return Ok(()) };
        let is_within = |network: &IpNet| own.iter().any(|wider| wider.contains(network));
        if other.allowed_ips.as_ref().is_some_and(|networks| networks.iter().all(is_within)) {
            return Ok(());
        }
        let own: Vec<String> = own.iter().map(ToString::to_string).collect();
        let message = format!(
            "Your key may only be used from {}, so the other key needs allowedIps within these networks.",
            own.join(", ")
        );
        Err(Failure::forbidden(message).with_param("allowedIps"))
    }
}

/// Reads the scopes of a new key of some kind.
fn scopes_of(names: &[String], kind: CredentialKind) -> Result<Scopes, Failure> {
    let known = Scope::of_kind(kind);
    let invalid = |message: String| {
        let all: Vec<&str> = known.iter().map(|scope| scope.as_str()).collect();
        Failure::invalid("scopes", format!("{message} Allowed are {}.", all.join(", ")))
    };
    if names.is_empty() {
        return Err(invalid("scopes must have at least one scope; leave it out for every scope.".to_owned()));
    }
    let mut scopes = Vec::new();
    for name in names {
        let scope = name.parse().ok().filter(|scope| known.contains(scope));
        let scope = scope.ok_or_else(|| invalid(format!("\"{name}\" is not a scope that such a key can use.")))?;
        if scopes.contains(&scope) {
            return Err(invalid(format!("scopes has {name} twice.")));
        }
        scopes.push(scope);
    }
    Ok(scopes.into_iter().collect())
}

/// Reads the networks of a key: addresses, or networks in CIDR notation.
pub fn networks_of(texts: &[String]) -> Result<Vec<IpNet>, Failure> {
    let invalid = |message: String| Failure::invalid("allowedIps", message);
    if texts.is_empty() || texts.len() > NETWORKS_PER_KEY {
        return Err(invalid(format!(
            "allowedIps must have 1 to {NETWORKS_PER_KEY} networks; leave it out to allow every address."
        )));
    }
    let parse = |text: &String| {
        let network = text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
        let network = network.ok_or_else(|| {
            invalid(format!(
                "\"{text}\" is not an IPv4 or IPv6 address or network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32."
            ))
        })?;
        match network.trunc() == network {
            true => Ok(network),
            false => Err(invalid(format!("{text} has bits behind its prefix. Use {}.", network.trunc()))),
        }
    };
    texts.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;

    const ADMIN: CredentialKind = CredentialKind::AdminKey;

    fn grant(scopes: Option<&[&str]>, networks: Option<&[&str]>) -> Grant {
        let names = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let parsed = |texts: &[&str]| texts.iter().map(|text| text.parse().expect("a scope")).collect();
        Grant {
            scopes: scopes.map(parsed),
            allowed_ips: networks.map(|texts| networks_of(&names(texts)).expect("networks")),
        }
    }

    #[test]
    fn a_grant_does_not_cover_a_wider_one() {
        let all = Grant::default();
        let keys = grant(Some(&["keys:write", "apps:read"]), None);
        let office = grant(None, Some(&["203.0.113.0/24"]));
        for (caller, other, kind, is_allowed) in [
            (&all, &all, ADMIN, true),
            (&all, &keys, ADMIN, true),
            (&keys, &all, ADMIN, false),
            (&keys, &keys, ADMIN, true),
            (&keys, &grant(Some(&["keys:read"]), None), ADMIN, true),
            (&keys, &grant(Some(&["apps:write"]), None), ADMIN, false),
            (&keys, &all, CredentialKind::AppKey(Mode::Live), false),
            (&office, &all, ADMIN, false),
            (&office, &grant(None, Some(&["203.0.113.7"])), ADMIN, true),
            (&office, &grant(None, Some(&["203.0.113.7", "198.51.100.1"])), ADMIN, false),
            (&office, &grant(None, Some(&["203.0.112.0/23"])), ADMIN, false),
        ] {
            assert_eq!(caller.expect_covers(other, kind).is_ok(), is_allowed, "{caller:?} {other:?}");
        }
    }

    #[test]
    fn an_address_is_compared_in_either_form() {
        let office = grant(None, Some(&["203.0.113.0/24", "2001:db8::/32"]));
        for (address, is_allowed) in [
            ("203.0.113.7", true),
            ("::ffff:203.0.113.7", true),
            ("203.0.114.7", false),
            ("2001:db8::1", true),
            ("2001:db9::1", false),
        ] {
            assert_eq!(office.expect_from(address.parse().ok()).is_ok(), is_allowed, "{address}");
        }
        assert!(office.expect_from(None).is_err());
        assert!(Grant::default().expect_from(None).is_ok());
    }

    #[test]
    fn networks_are_exact() {
        let read = |text: &str| networks_of(&[text.to_owned()]).map(|networks| networks[0].to_string());
        assert_eq!(read("203.0.113.7").ok().as_deref(), Some("203.0.113.7/32"));
        assert_eq!(read("::1").ok().as_deref(), Some("::1/128"));
        for wrong in ["203.0.113.7/24", "203.0.113.0/33", "203.0.113", "example.com", "", " 203.0.113.7"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(networks_of(&[]).is_err() && networks_of(&vec!["::1".to_owned(); 21]).is_err());
    }
}
