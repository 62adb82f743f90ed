//! The format of keys and tokens: prefix, the organization's ksuid, 30 random base62 characters, and the CRC-32 of all
//! these in 6 base62 characters. The checksum allows rejecting mistyped and invented values without a read. Because the
//! value contains the organization, requested objects can be read before the credential is verified.

use std::fmt;

use ring::digest::{SHA256, digest};

use crate::id::{KSUID_LENGTH, OrganizationId};
use crate::identity::credential_kind::CredentialKind;
use crate::port::Random;

const RANDOM_LENGTH: usize = 30;
const CHECKSUM_LENGTH: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A value that must not be printed: it has no `Display`, and `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Self {
        Secret(value.into())
    }

    /// Returns the value itself. Use it only where the value must be known.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the last four characters, by which callers recognize a key.
    pub fn last_four(&self) -> &str {
        self.0.get(self.0.len().saturating_sub(4)..).unwrap_or_default()
    }

    /// Returns the SHA-256 in lower-case hexadecimal, the only form in which credentials are stored.
    pub fn sha256(&self) -> String {
        hex(digest(&SHA256, self.0.as_bytes()).as_ref())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Returns `bytes` in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// A credential with a valid format and checksum. Only a read of the table shows whether it exists.
#[derive(Clone, Debug)]
pub struct Bearer {
    pub kind: CredentialKind,
    pub organization: OrganizationId,
    pub secret: Secret,
}

impl Bearer {
    /// Creates a new random credential.
    pub fn mint(kind: CredentialKind, organization: &OrganizationId, random: &dyn Random) -> Self {
        let mut value = format!("{}{}{}", kind.prefix(), organization.ksuid(), random_base62(random, RANDOM_LENGTH));
        value.push_str(&checksum(&value));
        Bearer { kind, organization: organization.clone(), secret: Secret(value) }
    }

    /// Parses a credential; `None` if prefix, format or checksum are wrong.
    pub fn parse(value: &str) -> Option<Self> {
        let kind = CredentialKind::ALL.into_iter().find(|kind| value.starts_with(kind.prefix()))?;
        let rest = &value[kind.prefix().len()..];
        if rest.len() != KSUID_LENGTH + RANDOM_LENGTH + CHECKSUM_LENGTH
            || !rest.bytes().all(|b| b.is_ascii_alphanumeric())
        {
            return None;
        }
        let (signed, sum) = value.split_at(value.len() - CHECKSUM_LENGTH);
        if checksum(signed) != sum {
            return None;
        }
        let organization = OrganizationId::from_ksuid(&rest[..KSUID_LENGTH]).ok()?;
        Some(Bearer { kind, organization, secret: Secret::new(value) })
    }
}

/// Returns the CRC-32 of a text in six base62 characters. It detects typing errors and is no protection against
/// forgery.
pub fn checksum(text: &str) -> String {
    let mut rest = crc32fast::hash(text.as_bytes()) as usize;
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[rest % 62];
        rest /= 62;
    }
    digits.iter().map(|&digit| char::from(digit)).collect()
}

fn random_base62(random: &dyn Random, length: usize) -> String {
    // The largest multiple of 62 in a byte. This and larger values are dropped, so that all characters are equally
    // likely.
    const UNBIASED: u8 = 248;
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let mut bytes = [0; 64];
        random.fill(&mut bytes);
        let usable = bytes.iter().filter(|&&byte| byte < UNBIASED);
        text.extend(usable.take(length - text.len()).map(|&byte| char::from(BASE62[usize::from(byte) % 62])));
    }
    text
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;

    use super::*;

    fn organization() -> OrganizationId {
        OrganizationId::from_ksuid("0ujtsYcgvSTl8PAuAdqWYSMnLOv").expect("a ksuid")
    }

    #[test]
    fn a_minted_credential_can_be_parsed() {
        for kind in CredentialKind::ALL {
            let minted = Bearer::mint(kind, &organization(), &SystemRandom::new());
            let parsed = Bearer::parse(minted.secret.expose()).expect("well formed");
            assert_eq!((parsed.kind, &parsed.organization), (kind, &organization()));
            assert_eq!(parsed.secret.expose().len(), kind.prefix().len() + 27 + 30 + 6);
        }
    }

    #[test]
    fn every_single_changed_character_is_noticed() {
        let minted = Bearer::mint(CredentialKind::AdminKey, &organization(), &SystemRandom::new());
        let value = minted.secret.expose();
        for at in 0..value.len() {
            let replacement = if value.as_bytes()[at] == b'x' { "y" } else { "x" };
            let mut damaged = value.to_owned();
            damaged.replace_range(at..=at, replacement);
            assert!(Bearer::parse(&damaged).is_none(), "{damaged}");
        }
        assert!(Bearer::parse(&value[1..]).is_none());
        assert!(Bearer::parse(&format!("{value} ")).is_none());
        assert!(Bearer::parse(&format!("{}é{}", &value[..20], &value[22..])).is_none());
    }

    #[test]
    fn a_secret_is_not_printed() {
        let minted = Bearer::mint(CredentialKind::AdminKey, &organization(), &SystemRandom::new());
        assert!(!format!("{minted:?}").contains(minted.secret.expose()));
    }
}
