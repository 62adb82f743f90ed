//! The classes of keys, and the parser of partition keys.

use std::fmt::{Display, Write};

use domain::id::{Identifier, OrganizationId};

/// The separator between the parts of a partition key. No identifier and no slug contains it.
const SEPARATOR: char = '#';

macro_rules! classes {
    ($($name:ident = $text:literal,)+) => {
        /// The class of a key: the first part of the partition key, which identifies the kind of the item.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum KeyClass { $($name),+ }

        impl KeyClass {
            pub const ALL: &[KeyClass] = &[$(KeyClass::$name),+];

            pub const fn as_str(self) -> &'static str {
                match self { $(KeyClass::$name => $text),+ }
            }
        }
    };
}

classes! {
    Credential = "CRED",
    Organization = "ORG",
    OrganizationSlug = "ORGSLUG",
    OperatorRequest = "ORGREQ",
    AdminKey = "AKEY",
    Session = "SESS",
    Member = "MEMBER",
    MemberAddress = "MEMADDR",
    SignInToken = "SIGNTOKEN",
    Person = "PERSON",
    App = "APP",
    AppSlug = "APPSLUG",
    AppKey = "APPKEY",
    KeyUse = "USED",
    Bucket = "BUCKET",
    OrganizationLimits = "LIMITS",
    AuditEntry = "AUDIT",
    Webhook = "HOOK",
    WebhookSecrets = "SEC",
    Destination = "DEST",
    DeletedApp = "GONE",
    PhoneNumber = "NUM",
    PhoneNumberClaim = "NUMCLAIM",
    FormerNumbers = "NUMWAS",
    CarrierNumber = "CPN",
    Profile = "WABP",
    LiveAccount = "WABA",
    SimulatedAccount = "WABASIM",
    ChatNumber = "WAPN",
    ChatNumberOfProfile = "WAPNOF",
    LiveNumber = "PPN",
    SimulatedNumber = "PPNSIM",
    Onboarding = "ONB",
    OnboardingLink = "LINK",
    OnboardingToken = "LINKTOKEN",
    Disconnection = "DISC",
    TemplateSync = "SYNC",
    Template = "TPL",
    TemplateNamed = "TPLNAME",
    Group = "GRP",
    GroupOfNumber = "GRPOF",
    GroupOfPlatform = "PGRP",
    GroupOfRequest = "PGREQ",
    Contact = "CONTACT",
    ContactOfNumber = "CONTACTOF",
    PlaygroundNumber = "PGNUM",
    PlaygroundUse = "PGUSED",
    SimulatedState = "PGCONV",
    Simulation = "SIM",
    Message = "MSG",
    MessageOfNumber = "MSGLIST",
    MessageOfContact = "CONV",
    MessageOfPlatform = "WAMID",
    FailedMessage = "FAILED",
    Seen = "SEEN",
    Event = "EVT",
    Feed = "FEED",
    EventInFeed = "FEEDREF",
    OrganizationWebhook = "HOOKS",
    Delivery = "DLV",
    Recovery = "RCV",
    ReceiverHealth = "HEALTH",
    Spent = "RATE",
    Pace = "PACE",
    History = "HIST",
    SmsMessage = "SMS",
    Media = "MEDIA",
    IdempotentResponse = "IDEM",
    Erasure = "ERASE",
    Usage = "USAGE",
    RateCard = "RATECARD",
    MeterPosition = "METER",
    Heartbeat = "BEAT",
    Need = "NEED",
}

impl KeyClass {
    /// Returns the partition key of this class with these parts.
    pub(crate) fn partition(self, parts: &[&dyn Display]) -> String {
        let mut key = String::with_capacity(96);
        key.push_str(self.as_str());
        for part in parts {
            // Writing to a string cannot fail.
            let _ = write!(key, "{SEPARATOR}{part}");
        }
        key
    }

    /// Returns the prefix of all partition keys of this class, and of no others.
    pub fn prefix(self) -> String {
        self.partition(&[&""])
    }

    /// Returns whether the organization follows the class in the key. It does, except in classes whose keys are unique
    /// across the installation.
    pub fn is_of_an_organization(self) -> bool {
        use KeyClass::{
            CarrierNumber, Credential, Heartbeat, LiveAccount, LiveNumber, MemberAddress, MeterPosition,
            OperatorRequest, OrganizationLimits, OrganizationSlug, Person,
        };
        !matches!(
            self,
            CarrierNumber
                | Credential
                | Heartbeat
                | LiveAccount
                | LiveNumber
                | MemberAddress
                | MeterPosition
                | OperatorRequest
                | OrganizationLimits
                | OrganizationSlug
                | Person
        )
    }
}

/// A parsed partition key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedKey<'a> {
    pub class: KeyClass,
    /// Everything after the class.
    parts: &'a str,
}

impl<'a> ParsedKey<'a> {
    /// Parses a partition key; `None` if this release does not know its class.
    pub fn parse(partition: &'a str) -> Option<Self> {
        let (class, parts) = partition.split_once(SEPARATOR)?;
        let class = KeyClass::ALL.iter().copied().find(|known| known.as_str() == class)?;
        Some(ParsedKey { class, parts })
    }

    /// Returns the organization that the item belongs to. `None` if keys of the class contain none, or if its id is
    /// malformed.
    pub fn organization(&self) -> Option<OrganizationId> {
        let first = self.class.is_of_an_organization().then(|| self.parts.split(SEPARATOR).next())??;
        first.parse().ok()
    }

    /// Returns the part that identifies the item: in classes with an organization the part after it, else everything
    /// after the class.
    pub fn own_part(&self) -> Option<&'a str> {
        if !self.class.is_of_an_organization() {
            return Some(self.parts);
        }
        self.parts.split(SEPARATOR).nth(1)
    }

    /// Returns `own_part` as an identifier; `None` if it is not one of this type.
    pub fn id<T: Identifier>(&self) -> Option<T> {
        self.own_part()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use domain::id::{AppId, EventId};

    use super::*;

    const ORGANIZATION: &str = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv";

    #[test]
    fn every_class_is_recognized_in_its_keys() {
        let names: HashSet<_> = KeyClass::ALL.iter().map(|class| class.as_str()).collect();
        assert_eq!(names.len(), KeyClass::ALL.len());
        for class in KeyClass::ALL {
            let key = class.partition(&[&ORGANIZATION, &"rest"]);
            let parsed = ParsedKey::parse(&key).expect("a key");
            assert_eq!(parsed.class, *class);
            let (organization, own) = match class.is_of_an_organization() {
                true => (Some(ORGANIZATION), "rest".to_owned()),
                false => (None, format!("{ORGANIZATION}#rest")),
            };
            assert_eq!(parsed.organization().map(|id| id.to_string()).as_deref(), organization);
            assert_eq!(parsed.own_part(), Some(own.as_str()));
            assert!(KeyClass::ALL.iter().all(|other| (other == class) == key.starts_with(&other.prefix())));
        }
    }

    #[test]
    fn identifiers_are_parsed_as_their_own_type() {
        let event = format!("EVT#{ORGANIZATION}#evt_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        let parsed = ParsedKey::parse(&event).expect("a key");
        assert!(parsed.id::<EventId>().is_some() && parsed.id::<AppId>().is_none());
    }

    #[test]
    fn unknown_keys_are_not_parsed() {
        for text in ["", "#", "EVT", "NEW#org", "evt#org"] {
            assert_eq!(ParsedKey::parse(text), None, "{text}");
        }
        let no_organization = ParsedKey::parse("EVT#org#evt").expect("a key");
        assert_eq!((no_organization.organization(), no_organization.id::<EventId>()), (None, None));
    }
}
