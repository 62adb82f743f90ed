//! Credentials. Line 1 is the value of an `Authorization` header, in which `~` stands for the checksum of the credential before
//! it; line 2 is the value of an `Idempotency-Key` header.
//!
//! An accepted credential has the documented form and the right checksum, computed here by independent code; a change of one
//! character is detected; no credential is printed. Headers are accepted exactly where RFC 6750 and docs/api-design.md say so.

use api::{Once, Rejection};
use axum::extract::FromRequestParts as _;
use domain::identity::credential::Bearer;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::unauthenticated::Unauthenticated;
use domain::{ErrorKind, Mode};
use http::header::AUTHORIZATION;
use http::{HeaderValue, Request};

use super::{expect_param, line, now};

const BASE62: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

pub fn run(input: &[u8]) {
    let (header, key) = line(input);
    let header = signed(header);
    let value = value_in(&header);
    if let Some(value) = value {
        expect_documented(value, header.len());
    }
    let (Ok(header), Ok(key)) = (HeaderValue::from_bytes(&header), HeaderValue::from_bytes(key)) else { return };
    let request = Request::post("/v1/organization/apps").header(AUTHORIZATION, header).header("Idempotency-Key", &key);
    let (mut parts, ()) = request.body(()).expect("a request").into_parts();
    let taken = now(Once::from_request_parts(&mut parts, &()));
    let Err(rejection) = taken else {
        assert!(is_key(&key), "{key:?}");
        assert!(value.is_some_and(|value| Bearer::parse(value).is_some()), "{value:?}");
        return;
    };
    if !is_key(&key) {
        assert_eq!(expect_param(&rejection, &[ErrorKind::InvalidRequest]), Some("Idempotency-Key"));
        return;
    }
    let Rejection::Unauthenticated(why) = rejection else { panic!("{rejection:?}") };
    let is_bearer = is_bearer(parts.headers[AUTHORIZATION].as_bytes());
    let expected = if is_bearer { Unauthenticated::InvalidKey } else { Unauthenticated::WrongScheme };
    assert_eq!(why, expected);
    assert!(value.is_none_or(|value| Bearer::parse(value).is_none()), "{value:?}");
}

/// Replaces each `~` by the checksum of the credential before it.
fn signed(header: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    for byte in header {
        if *byte == b'~' {
            let from = whole.iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
            whole.extend_from_slice(checksum(&whole[from..]).as_bytes());
        } else {
            whole.push(*byte);
        }
    }
    whole
}

fn is_bearer(header: &[u8]) -> bool {
    let header = header.trim_ascii();
    header.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"bearer "))
}

fn value_in(header: &[u8]) -> Option<&str> {
    let value = is_bearer(header).then(|| header.trim_ascii()[7..].trim_ascii())?;
    std::str::from_utf8(value).ok()
}

fn is_key(header: &HeaderValue) -> bool {
    let Ok(text) = header.to_str() else { return false };
    let text = text.trim();
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    (1..=255).contains(&text.len()) && text.bytes().all(|byte| (b'!'..=b'~').contains(&byte))
}

fn expect_documented(value: &str, seed: usize) {
    let kinds = [
        ("sk_test_app_", CredentialKind::AppKey(Mode::Test)),
        ("sk_live_app_", CredentialKind::AppKey(Mode::Live)),
        ("sk_admin_", CredentialKind::AdminKey),
        ("session_", CredentialKind::Session),
        ("onboarding_", CredentialKind::OnboardingLink),
    ];
    let documented = kinds.iter().find_map(|(prefix, kind)| {
        let rest = value.strip_prefix(prefix)?;
        let well_formed = rest.len() == 27 + 30 + 6 && rest.bytes().all(|byte| BASE62.contains(&byte));
        let (signed, sum) = value.split_at_checked(value.len().checked_sub(6)?)?;
        (well_formed && checksum(signed.as_bytes()) == sum).then(|| (*kind, rest[..27].to_owned()))
    });
    let parsed = Bearer::parse(value);
    let found = parsed.as_ref().map(|bearer| (bearer.kind, bearer.organization.ksuid().to_owned()));
    assert_eq!(found, documented, "{value}");
    let Some(bearer) = parsed else { return };
    assert_eq!(bearer.secret.expose(), value);
    assert_eq!(bearer.secret.last_four(), &value[value.len() - 4..]);
    assert!(!format!("{bearer:?}").contains(&value[value.len() - 20..]));
    // The position and the character depend on the input.
    let at = seed * 31 % value.len();
    let other = BASE62[(usize::from(value.as_bytes()[at]) + seed) % BASE62.len()];
    if other != value.as_bytes()[at] {
        let mut damaged = value.to_owned();
        damaged.replace_range(at..=at, &char::from(other).to_string());
        assert!(Bearer::parse(&damaged).is_none(), "{damaged}");
    }
}

/// CRC-32 (IEEE 802.3), computed bit by bit, as six base-62 digits.
fn checksum(bytes: &[u8]) -> String {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    let crc = u64::from(!crc);
    let digit = |place: u32| char::from(BASE62[usize::try_from(crc / 62_u64.pow(place) % 62).unwrap_or_default()]);
    (0..6).rev().map(digit).collect()
}
