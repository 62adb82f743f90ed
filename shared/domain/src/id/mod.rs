//! Identifiers (docs/specification.md, "Identifiers"). They are only created by parsing and minting, so every value
//! matches its pattern, and none contains the `#` that separates the parts of a table key.

mod kinds;
mod ksuid;

use std::fmt;
use std::str::FromStr;

use crate::Failure;
use crate::schema::builder::EXAMPLE_KSUID;

pub use kinds::{
    AdminKeyId, AppId, AppKeyId, AuditEntryId, ChatBusinessProfileId, ChatGroupId, ChatMessageId, ChatPhoneNumberId,
    ContactId, DeliveryId, EventId, MediaId, MemberId, OnboardingLinkId, OrganizationId, PhoneNumberId, RecoveryId,
    SessionId, SimulationId, SmsMessageId, WebhookId,
};
pub use ksuid::{KSUID_LENGTH, first_ksuid_at, ksuid_time, mint_ksuid};

/// The error of parsing an identifier that does not match its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the identifier does not match its pattern")]
pub struct InvalidId;

/// The interface of all identifiers, for code that is generic over them: extractors of path parameters and table keys.
pub trait Identifier: FromStr<Err = InvalidId> + fmt::Display + Clone + Send + Sync + 'static {
    /// The kind of object that it identifies, with its article: `an app`.
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

/// The prefixes of all identifiers, with the kind of object that each identifies.
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

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;

    use super::*;
    use crate::{Mode, Timestamp};

    #[test]
    fn minted_ids_match_their_pattern_and_show_their_mode() {
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
    fn texts_that_do_not_match_the_pattern_are_rejected() {
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
