//! The form of keys and tokens: prefix, the organization's ksuid, 30 random base62 characters, and 6 base62 characters of
//! CRC-32 over all that precedes. A mistyped or invented value is refused without a read; the organization in it tells
//! where an object would lie before the credential is proven.

use std::fmt;

use ring::digest::{SHA256, digest};

use crate::Mode;
use crate::id::{KSUID_LENGTH, OrganizationId};
use crate::port::Random;

const RANDOM_LENGTH: usize = 30;
const CHECKSUM_LENGTH: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A value that must not be printed: no `Display`, and `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Self {
        Secret(value.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn last_four(&self) -> &str {
        self.0.get(self.0.len().saturating_sub(4)..).unwrap_or_default()
    }

    /// Lower-case hexadecimal SHA-256, the only form in which credentials are stored.
    pub fn sha256(&self) -> String {
        hex(digest(&SHA256, self.0.as_bytes()).as_ref())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialKind {
    AppKey(Mode),
    AdminKey,
    Session,
}

impl CredentialKind {
    const ALL: [CredentialKind; 4] = [
        CredentialKind::AppKey(Mode::Test),
        CredentialKind::AppKey(Mode::Live),
        CredentialKind::AdminKey,
        CredentialKind::Session,
    ];

    pub fn prefix(self) -> &'static str {
        match self {
            CredentialKind::AppKey(Mode::Test) => "sk_test_app_",
            CredentialKind::AppKey(Mode::Live) => "sk_live_app_",
            CredentialKind::AdminKey => "sk_admin_",
            CredentialKind::Session => "session_",
        }
    }
}

/// A credential whose form and checksum are right. Whether it is known is for the table to say.
#[derive(Clone, Debug)]
pub struct Bearer {
    pub kind: CredentialKind,
    pub organization: OrganizationId,
    pub secret: Secret,
}

impl Bearer {
    pub fn mint(kind: CredentialKind, organization: &OrganizationId, random: &dyn Random) -> Self {
        let mut value = format!("{}{}{}", kind.prefix(), organization.ksuid(), random_base62(random, RANDOM_LENGTH));
        value.push_str(&checksum(&value));
        Bearer { kind, organization: organization.clone(), secret: Secret(value) }
    }

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

/// Six base62 characters of CRC-32: notices accidents, proves nothing.
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
    // 248 is the largest multiple of 62 in a byte: what lies above is drawn again, so that every character is as likely.
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
    fn a_minted_credential_reads_back() {
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
