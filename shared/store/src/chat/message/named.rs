//! Messages that come with the platform's id, received ones and those that a business app has sent. An edit or
//! revocation that arrives before its message is stored under that id, and applied when the message is.

use std::time::Duration;

use domain::id::{ChatMessageId, ChatPhoneNumberId};
use domain::{Failure, Timestamp};

use super::revisions::EarlyRevisions;
use crate::engine::change::{Change, stale};
use crate::engine::expression::Condition;
use crate::engine::item::{NewItem, number, value};
use crate::{StoredChat, keys};

/// How long an edit or revocation waits for its message: as long as the platform repeats an update.
const REVISIONS_KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

/// The item stored under the platform's id of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedMessage {
    Known(ChatMessageId),
    Early(EarlyRevisions),
}

/// The condition that nothing but these revisions is stored. Expired items count as deleted: TTL removes the items of a
/// message one by one, and its reference perhaps last.
fn as_seen(early: Option<&EarlyRevisions>, now: Timestamp) -> Result<Condition, Failure> {
    let Some(early) = early else {
        let condition = Condition::new("attribute_not_exists(PK) OR #ttl <= :now");
        return Ok(condition.value(":now", number(now.seconds())));
    };
    let mut condition = String::from("attribute_not_exists(#messageId)");
    let mut values = Vec::new();
    for (name, at) in [
        ("editedAt", early.edited_at),
        ("revokedAt", early.revoked_at),
        ("ownEditedAt", early.own_edited_at),
        ("ownRevokedAt", early.own_revoked_at),
    ] {
        match at {
            Some(at) => {
                condition.push_str(&format!(" AND #{name} = :{name}"));
                values.push((format!(":{name}"), value(&at)?));
            }
            None => condition.push_str(&format!(" AND attribute_not_exists(#{name})")),
        }
    }
    Ok(values.into_iter().fold(Condition::new(&condition), |condition, (name, value)| condition.value(&name, value)))
}

impl Change {
    /// Creates a message that was edited or revoked before it was known. `early` are the stored edits and revocations.
    pub fn create_revised_message(
        &mut self,
        message: &StoredChat,
        early: Option<&EarlyRevisions>,
    ) -> Result<(), Failure> {
        if let Some(platform_id) = &message.message().provider_message_id {
            self.name_message(message, platform_id, early)?;
        }
        self.create_main(message)?;
        self.write_parts(None, message)
    }

    /// Makes the platform's id refer to a message. Stale if another message or another revision has been stored under
    /// it since `early` was read.
    pub(super) fn name_message(
        &mut self,
        stored: &StoredChat,
        platform_id: &str,
        early: Option<&EarlyRevisions>,
    ) -> Result<(), Failure> {
        self.put_if(self.reference(stored, platform_id)?, as_seen(early, stored.message().created_at)?, stale());
        Ok(())
    }

    /// Stores the revisions of a message that is not known yet. Stale if the message or another revision has been
    /// stored concurrently.
    pub fn note_early_revisions(
        &mut self,
        number: &ChatPhoneNumberId,
        platform_id: &str,
        before: Option<&EarlyRevisions>,
        after: &EarlyRevisions,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let key = keys::message_of_platform(&self.organization, number, platform_id);
        let item = NewItem::new(&key, after)?.expiring(now.plus(REVISIONS_KEPT));
        self.put_if(item, as_seen(before, now)?, stale());
        Ok(())
    }
}
