//! The erasure of the stored data of a person, and of a whole organization. An erasure is a record that the operator
//! can read at any time: while the erasure runs, it shows the progress, and afterwards it is the receipt.

use std::time::Duration;

use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::chat::outgoing::Addressee;
use crate::id::OrganizationId;
use crate::identity::credential::hex;
use crate::{E164, Failure, Timestamp};

/// How long events, feeds and deliveries stay in the table after they were written: 30 days in which they can be read, and
/// 2 in which the table may still have them.
pub const EVENTS_KEPT: Duration = days(32);
/// How long a stored response stays in the table: a day in which it is used, and 2 in which the table may still have it.
pub const RESPONSES_KEPT: Duration = days(3);
/// How long markers of applied updates and erased messages stay: 30 days, and 2 in which the table may still have them.
pub const MARKERS_KEPT: Duration = days(32);
/// How far back the table can be restored.
pub const BACKUPS_KEPT: Duration = days(35);
/// How long a message may wait in a queue and then in its dead-letter queue.
pub const QUEUES_KEPT: Duration = days(28);

/// The number of pages that a job erases.
pub const PAGES_PER_JOB: usize = 40;
/// The number of messages or groups per page.
pub const PER_PAGE: usize = 50;

/// The number of bytes of a contact's digest in [`Erasure::reference`].
const REFERENCE_BYTES: usize = 16;
/// The number of characters of a contact that a receipt shows.
const SHOWN: usize = 4;

const fn days(count: u64) -> Duration {
    Duration::from_secs(count * 24 * 3600)
}

/// The state of an erasure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ErasureStatus {
    Running,
    Done,
}

/// A person as the operator names them: by phone number, or by the platform's user id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactToErase(String);

impl ContactToErase {
    /// Parses the contact in `param`.
    pub fn in_field(text: &str, param: &str) -> Result<Self, Failure> {
        let is_number = text.starts_with('+') || text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            E164::in_field(text, param)?;
        } else if Addressee::user(text, param).is_err() {
            let message = format!(
                "{param} must be a phone number in E.164 format, such as +12015550123, or the user id that a chat message \
                 or contact shows."
            );
            return Err(Failure::invalid(param, message));
        }
        Ok(ContactToErase(text.to_owned()))
    }

    /// Returns the identity under which messages and contacts are stored.
    pub fn identity(&self) -> &str {
        &self.0
    }

    /// Returns the name of the contact's erasure: a digest, so that the receipt does not keep the erased contact. It
    /// differs between organizations.
    pub fn reference(&self, organization: &OrganizationId) -> String {
        let text = format!("{organization}#{}", self.0);
        hex(&digest(&SHA256, text.as_bytes()).as_ref()[..REFERENCE_BYTES])
    }

    /// Returns the last characters, by which the operator recognizes the contact. Those of a short contact are not shown,
    /// because they would be most of it.
    pub fn ends_with(&self) -> String {
        let characters: Vec<char> = self.0.chars().collect();
        let from = characters.len().saturating_sub(SHOWN).max(SHOWN.min(characters.len()));
        characters[from..].iter().collect()
    }
}

/// The numbers of objects that an erasure has removed so far. An interrupted job may have removed a few objects that
/// are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Erased {
    pub messages: u64,
    /// Files in the bucket.
    pub media: u64,
    /// Contacts of chat phone numbers.
    pub contacts: u64,
    /// Chat groups that named the person as a member, and messages to groups that named them as a recipient.
    pub group_mentions: u64,
}

impl Erased {
    #[must_use]
    pub fn plus(self, other: Erased) -> Erased {
        Erased {
            messages: self.messages + other.messages,
            media: self.media + other.media,
            contacts: self.contacts + other.contacts,
            group_mentions: self.group_mentions + other.group_mentions,
        }
    }
}

/// The steps of the erasure of a contact, for each of the organization's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    /// The messages between the number and the contact.
    Conversations,
    /// The messages of groups, which belong to no conversation.
    GroupMessages,
    /// The groups that the contact is or was a member of.
    Groups,
    /// The contact's records.
    Contact,
}

/// The progress of an erasure.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// The number whose data is being erased.
    pub number: String,
    pub stage: Stage,
    /// The index of the contact's identity that is being erased, in [`Stage::Conversations`].
    #[serde(default)]
    pub identity: usize,
    /// The last sort key that was read.
    pub after: Option<String>,
}

/// The erasure of a contact: its progress, and then its receipt.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Erasure {
    /// The digest that names the erasure within its organization.
    pub reference: String,
    pub contact_ends_with: String,
    pub status: ErasureStatus,
    /// How often the erasure was requested after the previous one was done, including the first time.
    pub runs: u32,
    pub requested_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// The total over all runs.
    pub erased: Erased,
    /// The contact, only while the erasure runs.
    pub contact: Option<String>,
    /// All identities of the contact that are known, only while the erasure runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identities: Vec<String>,
    /// `None` before the first step and after the last one.
    pub position: Option<Position>,
    pub revision: u64,
}

impl Erasure {
    /// Returns a new erasure, or the next run of one that is done.
    pub fn begin(
        organization: &OrganizationId,
        contact: &ContactToErase,
        before: Option<&Erasure>,
        now: Timestamp,
    ) -> Erasure {
        Erasure {
            reference: contact.reference(organization),
            contact_ends_with: contact.ends_with(),
            status: ErasureStatus::Running,
            runs: before.map_or(0, |before| before.runs) + 1,
            requested_at: now,
            finished_at: None,
            erased: before.map(|before| before.erased).unwrap_or_default(),
            contact: Some(contact.identity().to_owned()),
            identities: Vec::new(),
            position: None,
            revision: before.map_or(0, |before| before.revision) + 1,
        }
    }

    pub fn is_running(&self) -> bool {
        self.status == ErasureStatus::Running
    }

    /// Returns the receipt, which no longer names the contact.
    #[must_use]
    pub fn finished(self, now: Timestamp) -> Erasure {
        Erasure {
            status: ErasureStatus::Done,
            finished_at: Some(now),
            contact: None,
            identities: Vec::new(),
            position: None,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(text: &str) -> ContactToErase {
        ContactToErase::in_field(text, "contact").expect("a contact")
    }

    #[test]
    fn a_contact_is_a_phone_number_or_a_user_id() {
        for text in ["+12015550123", "US.13491208655302741918", "user-1"] {
            assert_eq!(contact(text).identity(), text);
        }
        for text in ["", "12015550123", "+1", "+1 201 555 0123", "US#1", "a b", &"x".repeat(256)] {
            let failure = ContactToErase::in_field(text, "contact").expect_err(text);
            assert_eq!(failure.param(), Some("contact"), "{text}");
        }
    }

    #[test]
    fn a_reference_differs_between_organizations_and_does_not_show_the_contact() {
        let organizations: Vec<OrganizationId> = ["org_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "org_1ujtsYcgvSTl8PAuAdqWYSMnLOv"]
            .iter()
            .map(|id| id.parse().expect("an id"))
            .collect();
        let number = contact("+12015550123");
        let references: Vec<_> = organizations.iter().map(|organization| number.reference(organization)).collect();
        assert!(references[0] != references[1] && references.iter().all(|reference| !reference.contains("5550123")));
        assert_eq!(references[0], number.reference(&organizations[0]));
        assert_eq!((number.ends_with().as_str(), contact("U.1").ends_with().as_str()), ("0123", ""));
        assert_eq!(contact("US.12").ends_with(), "2");
    }
}
