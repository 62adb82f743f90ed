//! Identifiers (docs/specification.md, "Identifiers"). They are only created by parsing and minting, so every value
//! matches its pattern, and none contains the `#` that separates the parts of a table key.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use svix_ksuid::{Ksuid, KsuidLike};

use crate::port::{Random, random_bytes};
use crate::{Mode, Timestamp};

pub const KSUID_LENGTH: usize = 27;

/// Returns a new KSUID whose payload begins with the milliseconds of its second. Ids that are minted later in the same
/// second therefore sort later, which lists ordered by "newest first" need.
pub fn mint_ksuid(now: Timestamp, random: &dyn Random) -> String {
    const EPOCH_SECONDS: i64 = 1_400_000_000;
    let seconds = u32::try_from(now.seconds() - EPOCH_SECONDS).unwrap_or(0);
    let milliseconds = u16::try_from(now.millis().rem_euclid(1000)).unwrap_or(0);
    let mut bytes = [0; 20];
    bytes[..4].copy_from_slice(&seconds.to_be_bytes());
    bytes[4..6].copy_from_slice(&milliseconds.to_be_bytes());
    bytes[6..].copy_from_slice(&random_bytes::<14>(random));
    Ksuid::from_bytes(bytes).to_base62()
}

/// The error of parsing an identifier that does not match its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the identifier does not match its pattern")]
pub struct InvalidId;

/// The interface of all identifiers, for code that is generic over them: extractors of path parameters and table keys.
pub trait Identifier: FromStr<Err = InvalidId> + fmt::Display + Clone + Send + Sync + 'static {
    const PREFIX: &'static str;
    /// The regular expression that the documentation shows.
    const PATTERN: &'static str;

    fn as_str(&self) -> &str;
}

fn all_alphanumeric(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_ksuid(text: &str) -> bool {
    text.len() == KSUID_LENGTH && all_alphanumeric(text)
}

fn is_moded_ksuid(text: &str) -> bool {
    is_ksuid(text.strip_prefix("test_").unwrap_or(text))
}

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $pattern:literal, $matches:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl Identifier for $name {
            const PREFIX: &'static str = $prefix;
            const PATTERN: &'static str = $pattern;

            fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let matches: fn(&str) -> bool = $matches;
                match text.strip_prefix($prefix) {
                    Some(rest) if matches(rest) => Ok($name(text.to_owned())),
                    _ => Err(InvalidId),
                }
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                crate::schema_builder::identifier($prefix, $pattern)
            }
        }

        impl utoipa::ToSchema for $name {}

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    };
}

macro_rules! moded_identifier {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $pattern:literal) => {
        identifier!($(#[$doc])* $name, $prefix, $pattern, is_moded_ksuid);

        impl $name {
            pub fn mint(mode: Mode, now: Timestamp, random: &dyn Random) -> Self {
                let infix = if mode.is_test() { "test_" } else { "" };
                $name(format!("{}{infix}{}", $prefix, mint_ksuid(now, random)))
            }

            /// Returns the id of that mode with this ksuid. The sort keys of lists contain only the ksuid.
            pub fn from_ksuid(mode: Mode, ksuid: &str) -> Result<Self, InvalidId> {
                let infix = if mode.is_test() { "test_" } else { "" };
                format!("{}{infix}{ksuid}", $prefix).parse()
            }

            pub fn mode(&self) -> Mode {
                if self.0[$prefix.len()..].starts_with("test_") { Mode::Test } else { Mode::Live }
            }

            pub fn ksuid(&self) -> &str {
                &self.0[self.0.len() - KSUID_LENGTH..]
            }
        }
    };
}

macro_rules! plain_identifier {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $pattern:literal, $matches:expr) => {
        identifier!($(#[$doc])* $name, $prefix, $pattern, $matches);

        impl $name {
            pub fn mint(now: Timestamp, random: &dyn Random) -> Self {
                $name(format!("{}{}", $prefix, mint_ksuid(now, random)))
            }
        }
    };
}

plain_identifier!(OrganizationId, "org_", "^org_[a-zA-Z0-9]{27}$", is_ksuid);
moded_identifier!(AppId, "app_", "^app_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(AppKeyId, "key_app_", "^key_app_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(AdminKeyId, "key_admin_", "^key_admin_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(WebhookId, "whk_", "^whk_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(PhoneNumberId, "ph_", "^ph_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(ChatPhoneNumberId, "wapn_", "^wapn_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(ChatMessageId, "msg_wa_", "^msg_wa_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(SmsMessageId, "msg_sms_", "^msg_sms_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(MediaId, "media_", "^media_(?:test_)?[a-zA-Z0-9]{27}$");
plain_identifier!(SessionId, "ses_", "^ses_[a-zA-Z0-9]{27}$", is_ksuid);
plain_identifier!(EventId, "evt_", "^evt_[a-zA-Z0-9]{27}$", is_ksuid);
plain_identifier!(DeliveryId, "dlv_", "^dlv_[a-zA-Z0-9]{27}$", is_ksuid);
plain_identifier!(ContactId, "con_", "^con_[a-zA-Z0-9]{27}$", is_ksuid);
identifier!(
    /// The specification requires nothing beyond the prefix; characters that a table key cannot contain are excluded.
    ChatGroupId, "grp_wa_", "^grp_wa_.+$", |rest| {
    !rest.is_empty() && rest.len() <= 255 && rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
});
identifier!(
    /// The format has no underscore for `test_`: a live profile has a bare ksuid, a simulated one has a word before it.
    ChatBusinessProfileId, "wabp_", "^wabp_[a-zA-Z0-9]+$", |rest| {
    !rest.is_empty() && rest.len() <= 255 && all_alphanumeric(rest)
});

impl OrganizationId {
    pub fn ksuid(&self) -> &str {
        &self.0[Self::PREFIX.len()..]
    }

    pub fn from_ksuid(ksuid: &str) -> Result<Self, InvalidId> {
        format!("{}{ksuid}", Self::PREFIX).parse()
    }
}

impl DeliveryId {
    pub fn ksuid(&self) -> &str {
        &self.0[Self::PREFIX.len()..]
    }

    pub fn from_ksuid(ksuid: &str) -> Result<Self, InvalidId> {
        format!("{}{ksuid}", Self::PREFIX).parse()
    }
}

impl ChatGroupId {
    pub fn mint(mode: Mode, now: Timestamp, random: &dyn Random) -> Self {
        let infix = if mode.is_test() { "test_" } else { "" };
        ChatGroupId(format!("grp_wa_{infix}{}", mint_ksuid(now, random)))
    }
}

impl ChatBusinessProfileId {
    pub fn mint(mode: Mode, now: Timestamp, random: &dyn Random) -> Self {
        let word = if mode.is_test() { "test" } else { "" };
        ChatBusinessProfileId(format!("wabp_{word}{}", mint_ksuid(now, random)))
    }

    pub fn mode(&self) -> Mode {
        if self.0.len() == Self::PREFIX.len() + KSUID_LENGTH { Mode::Live } else { Mode::Test }
    }

    /// Returns the ksuid, by which lists are sorted. Shorter ids match the pattern, but no profile has one.
    pub fn ksuid(&self) -> &str {
        let rest = &self.0[Self::PREFIX.len()..];
        &rest[rest.len().saturating_sub(KSUID_LENGTH)..]
    }

    /// Returns the id of the organization's playground profile. It is derived from the organization, so that creating
    /// the first test app needs no read.
    pub fn of_playground(organization: &OrganizationId) -> Self {
        ChatBusinessProfileId(format!("wabp_playground{}", organization.ksuid()))
    }
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;

    use super::*;

    #[test]
    fn minted_ids_match_their_pattern_and_tell_their_mode() {
        let now = Timestamp::from_millis(1_790_000_000_123);
        for mode in Mode::ALL {
            let id = AppId::mint(mode, now, &SystemRandom::new());
            assert_eq!(id.as_str().parse::<AppId>().as_ref(), Ok(&id));
            assert_eq!(id.mode(), mode);
            assert_eq!(AppId::from_ksuid(mode, id.ksuid()), Ok(id));
        }
    }

    #[test]
    fn ids_of_later_milliseconds_sort_later() {
        let random = SystemRandom::new();
        let minted: Vec<String> =
            (0..2000).map(|ms| mint_ksuid(Timestamp::from_millis(1_790_000_000_000 + ms), &random)).collect();
        assert!(minted.is_sorted());
    }

    #[test]
    fn what_does_not_match_the_pattern_is_refused() {
        let ksuid = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";
        assert!(format!("app_{ksuid}").parse::<AppId>().is_ok());
        for text in [
            "",
            "app_",
            "app",
            "App_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
            "app_0ujtsYcgvSTl8PAuAdqWYSMnLO",
            "app_0ujtsYcgvSTl8PAuAdqWYSMnLOvv",
            "app_test_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
            "app_0ujtsYcgvSTl8PAuAdqWYSMnLO#",
            "app_0ujtsYcgvSTl8PAuAdqWYSMnLO%",
            "whk_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
            "app_0ujtsYcgvSTl8PAuAdqWYSMnLOé",
        ] {
            assert!(text.parse::<AppId>().is_err(), "{text}");
        }
        assert!("wabp_".parse::<ChatBusinessProfileId>().is_err());
        assert!("wabp_a1".parse::<ChatBusinessProfileId>().is_ok());
    }
}
