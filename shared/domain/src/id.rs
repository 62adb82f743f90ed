//! Identifiers (docs/specification.md, "Identifiers"). They are only created by parsing and minting, so every value
//! matches its pattern, and none contains the `#` that separates the parts of a table key.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use svix_ksuid::{Ksuid, KsuidLike};

use crate::port::{Random, random_bytes};
use crate::schema_builder::EXAMPLE_KSUID;
use crate::{Failure, Mode, Timestamp};

pub const KSUID_LENGTH: usize = 27;

/// Returns a new KSUID whose payload begins with the milliseconds of its second. Ids that are minted in a later
/// millisecond of the same second therefore sort later, as lists that show the newest first require.
pub fn mint_ksuid(now: Timestamp, random: &dyn Random) -> String {
    ksuid(now, random_bytes::<14>(random))
}

/// Returns the lowest KSUID that can be minted at this time: all earlier ones sort before it.
pub fn first_ksuid_at(time: Timestamp) -> String {
    ksuid(time, [0; 14])
}

/// The second from which ksuids count.
const EPOCH_SECONDS: i64 = 1_400_000_000;

/// Returns the time of a KSUID, to the millisecond; `None` if the text is not a KSUID.
pub fn ksuid_time(text: &str) -> Option<Timestamp> {
    let ksuid = Ksuid::from_base62(text).ok()?;
    let [a, b, c, d, e, f, ..] = *ksuid.bytes();
    let seconds = EPOCH_SECONDS + i64::from(u32::from_be_bytes([a, b, c, d]));
    Some(Timestamp::from_millis(seconds * 1000 + i64::from(u16::from_be_bytes([e, f]))))
}

fn ksuid(time: Timestamp, rest: [u8; 14]) -> String {
    let seconds = (time.seconds() - EPOCH_SECONDS).clamp(0, u32::MAX.into());
    let milliseconds = u16::try_from(time.millis().rem_euclid(1000)).unwrap_or(0);
    let mut bytes = [0; 20];
    bytes[..4].copy_from_slice(&u32::try_from(seconds).unwrap_or(u32::MAX).to_be_bytes());
    bytes[4..6].copy_from_slice(&milliseconds.to_be_bytes());
    bytes[6..].copy_from_slice(&rest);
    Ksuid::from_bytes(bytes).to_base62()
}

/// The error of parsing an identifier that does not match its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the identifier does not match its pattern")]
pub struct InvalidId;

/// The interface of all identifiers, for code that is generic over them: extractors of path parameters and table keys.
pub trait Identifier: FromStr<Err = InvalidId> + fmt::Display + Clone + Send + Sync + 'static {
    /// What the identifier identifies, with its article: `an app`.
    const KIND: &'static str;
    const PREFIX: &'static str;
    /// The regular expression that the documentation shows.
    const PATTERN: &'static str;

    fn as_str(&self) -> &str;

    /// Parses the identifier in `param`. The failure says what `param` must be, with an example, and, if it is the id of
    /// another kind of object, which kind.
    fn in_param(text: &str, param: &str) -> Result<Self, Failure> {
        text.parse().map_err(|_| {
            let (kind, pattern) = (Self::KIND, Self::PATTERN);
            let example = format!("{}{EXAMPLE_KSUID}", Self::PREFIX);
            let other = KINDS.iter().find(|(prefix, other)| text.starts_with(prefix) && *other != kind);
            let given = other.map(|(_, other)| format!(" This is the id of {other}.")).unwrap_or_default();
            let message = format!("{param} must be the id of {kind}, such as {example}, and match {pattern}.{given}");
            Failure::invalid(param, message)
        })
    }
}

/// The prefixes of all identifiers, with what each identifies.
const KINDS: &[(&str, &str)] = &[
    (OrganizationId::PREFIX, OrganizationId::KIND),
    (AppId::PREFIX, AppId::KIND),
    (AppKeyId::PREFIX, AppKeyId::KIND),
    (AdminKeyId::PREFIX, AdminKeyId::KIND),
    (WebhookId::PREFIX, WebhookId::KIND),
    (PhoneNumberId::PREFIX, PhoneNumberId::KIND),
    (ChatPhoneNumberId::PREFIX, ChatPhoneNumberId::KIND),
    (ChatMessageId::PREFIX, ChatMessageId::KIND),
    (SmsMessageId::PREFIX, SmsMessageId::KIND),
    (MediaId::PREFIX, MediaId::KIND),
    (SessionId::PREFIX, SessionId::KIND),
    (EventId::PREFIX, EventId::KIND),
    (DeliveryId::PREFIX, DeliveryId::KIND),
    (SimulationId::PREFIX, SimulationId::KIND),
    (RecoveryId::PREFIX, RecoveryId::KIND),
    (ContactId::PREFIX, ContactId::KIND),
    (ChatGroupId::PREFIX, ChatGroupId::KIND),
    (ChatBusinessProfileId::PREFIX, ChatBusinessProfileId::KIND),
    (OnboardingLinkId::PREFIX, OnboardingLinkId::KIND),
];

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
    ($(#[$doc:meta])* $name:ident, $kind:literal, $prefix:literal, $pattern:literal, $matches:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl Identifier for $name {
            const KIND: &'static str = $kind;
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
    ($(#[$doc:meta])* $name:ident, $kind:literal, $prefix:literal, $pattern:literal) => {
        identifier!($(#[$doc])* $name, $kind, $prefix, $pattern, is_moded_ksuid);

        impl $name {
            pub fn mint(mode: Mode, now: Timestamp, random: &dyn Random) -> Self {
                $name(format!("{}{}{}", $prefix, mode.infix(), mint_ksuid(now, random)))
            }

            /// Returns the id of that mode with this ksuid. The sort keys of lists contain only the ksuid.
            pub fn from_ksuid(mode: Mode, ksuid: &str) -> Result<Self, InvalidId> {
                format!("{}{}{ksuid}", $prefix, mode.infix()).parse()
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
    ($(#[$doc:meta])* $name:ident, $kind:literal, $prefix:literal, $pattern:literal, $matches:expr) => {
        identifier!($(#[$doc])* $name, $kind, $prefix, $pattern, $matches);

        impl $name {
            pub fn mint(now: Timestamp, random: &dyn Random) -> Self {
                $name(format!("{}{}", $prefix, mint_ksuid(now, random)))
            }
        }
    };
}

plain_identifier!(OrganizationId, "an organization", "org_", "^org_[a-zA-Z0-9]{27}$", is_ksuid);
moded_identifier!(AppId, "an app", "app_", "^app_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(AppKeyId, "an app key", "key_app_", "^key_app_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(AdminKeyId, "an admin key", "key_admin_", "^key_admin_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(WebhookId, "a webhook", "whk_", "^whk_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(PhoneNumberId, "a phone number", "ph_", "^ph_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(ChatPhoneNumberId, "a chat phone number", "wapn_", "^wapn_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(ChatMessageId, "a chat message", "msg_wa_", "^msg_wa_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(SmsMessageId, "an SMS message", "msg_sms_", "^msg_sms_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(MediaId, "a media file", "media_", "^media_(?:test_)?[a-zA-Z0-9]{27}$");
moded_identifier!(OnboardingLinkId, "an onboarding link", "onb_", "^onb_(?:test_)?[a-zA-Z0-9]{27}$");
plain_identifier!(SessionId, "a session", "ses_", "^ses_[a-zA-Z0-9]{27}$", is_ksuid);
plain_identifier!(EventId, "an event", "evt_", "^evt_[a-zA-Z0-9]{27}$", is_ksuid);
plain_identifier!(DeliveryId, "a delivery", "dlv_", "^dlv_[a-zA-Z0-9]{27}$", is_ksuid);
plain_identifier!(SimulationId, "a simulation", "sim_", "^sim_[a-zA-Z0-9]{27}$", is_ksuid);
plain_identifier!(RecoveryId, "a recovery", "rcv_", "^rcv_[a-zA-Z0-9]{27}$", is_ksuid);
moded_identifier!(ContactId, "a contact", "con_", "^con_(?:test_)?[a-zA-Z0-9]{27}$");
identifier!(
    /// The id of a chat group. The specification requires only the prefix. After it, this type takes at most 255
    /// visible ASCII characters, without `#`, which separates the parts of a table key.
    ChatGroupId, "a chat group", "grp_wa_", "^grp_wa_.+$", |rest| {
    !rest.is_empty() && rest.len() <= 255 && rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
});
identifier!(
    /// The id of a chat business profile. The pattern does not allow the underscore of `test_`: after the prefix, a
    /// live profile has only the ksuid, and a simulated one has a word before the ksuid.
    ChatBusinessProfileId, "a chat business profile", "wabp_", "^wabp_[a-zA-Z0-9]+$", |rest| {
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

impl RecoveryId {
    pub fn ksuid(&self) -> &str {
        &self.0[Self::PREFIX.len()..]
    }

    pub fn from_ksuid(ksuid: &str) -> Result<Self, InvalidId> {
        format!("{}{ksuid}", Self::PREFIX).parse()
    }
}

impl SessionId {
    pub fn ksuid(&self) -> &str {
        &self.0[Self::PREFIX.len()..]
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
        ChatGroupId(format!("grp_wa_{}{}", mode.infix(), mint_ksuid(now, random)))
    }

    /// Returns the ksuid, by which lists are sorted: what follows the last underscore.
    pub fn ksuid(&self) -> &str {
        self.0.rsplit('_').next().unwrap_or_default()
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

    /// Returns the id of the live profile with this ksuid.
    pub fn live(ksuid: &str) -> Result<Self, InvalidId> {
        format!("{}{ksuid}", Self::PREFIX).parse()
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
        let times: Vec<_> = minted.iter().filter_map(|ksuid| ksuid_time(ksuid)).map(Timestamp::millis).collect();
        assert_eq!(times, (1_790_000_000_000..1_790_000_002_000).collect::<Vec<i64>>());
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
        let message = |text: &str| AppId::in_param(text, "appId").expect_err(text).message().to_owned();
        let expected = "appId must be the id of an app, such as app_0ujtsYcgvSTl8PAuAdqWYSMnLOv, and match \
                        ^app_(?:test_)?[a-zA-Z0-9]{27}$.";
        assert_eq!(message("x"), expected);
        assert_eq!(message("app_x"), expected);
        assert_eq!(message(&format!("whk_{ksuid}")), format!("{expected} This is the id of a webhook."));
        assert!("wabp_".parse::<ChatBusinessProfileId>().is_err());
        assert!("wabp_a1".parse::<ChatBusinessProfileId>().is_ok());
    }
}
