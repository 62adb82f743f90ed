//! The identifiers of all kinds of objects.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Identifier, InvalidId, KSUID_LENGTH, ksuid_time, mint_ksuid};
use crate::port::Random;
use crate::{Mode, Timestamp};

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
                crate::schema::builder::identifier($prefix, $pattern)
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
    ($(#[$doc:meta])* $name:ident, $kind:literal, $prefix:literal, $pattern:literal) => {
        identifier!($(#[$doc])* $name, $kind, $prefix, $pattern, is_ksuid);

        impl $name {
            pub fn mint(now: Timestamp, random: &dyn Random) -> Self {
                $name(format!("{}{}", $prefix, mint_ksuid(now, random)))
            }

            pub fn from_ksuid(ksuid: &str) -> Result<Self, InvalidId> {
                format!("{}{ksuid}", $prefix).parse()
            }

            pub fn ksuid(&self) -> &str {
                &self.0[$prefix.len()..]
            }
        }
    };
}

plain_identifier!(OrganizationId, "an organization", "org_", "^org_[a-zA-Z0-9]{27}$");
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
plain_identifier!(SessionId, "a session", "ses_", "^ses_[a-zA-Z0-9]{27}$");
plain_identifier!(EventId, "an event", "evt_", "^evt_[a-zA-Z0-9]{27}$");
plain_identifier!(DeliveryId, "a delivery", "dlv_", "^dlv_[a-zA-Z0-9]{27}$");
plain_identifier!(SimulationId, "a simulation", "sim_", "^sim_[a-zA-Z0-9]{27}$");
plain_identifier!(MemberId, "a member", "mem_", "^mem_[a-zA-Z0-9]{27}$");
plain_identifier!(AuditEntryId, "an entry of the audit log", "aud_", "^aud_[a-zA-Z0-9]{27}$");
plain_identifier!(RecoveryId, "a recovery", "rcv_", "^rcv_[a-zA-Z0-9]{27}$");
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

impl AuditEntryId {
    /// Returns when the entry was made.
    pub fn time(&self) -> Timestamp {
        ksuid_time(self.ksuid()).unwrap_or(Timestamp::from_millis(0))
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
