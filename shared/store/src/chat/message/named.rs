//! Messages by the platform's ids. An edit or revocation that arrives before its message is stored under the platform's
//! id, and applied when the message is.

use std::time::Duration;

use domain::id::{ChatMessageId, ChatPhoneNumberId};
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};

use super::revisions::EarlyRevisions;
use crate::change::{Change, stale};
use crate::expression::Condition;
use crate::item::{NewItem, entity, number, value};
use crate::{Reads, StoredChat, keys};

/// How long an edit or revocation waits for its message: as long as the platform repeats an update.
const REVISIONS_KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

/// What is stored under the platform's id of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedMessage {
    Known(ChatMessageId),
    Early(EarlyRevisions),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MessageReference {
    pub(super) message_id: ChatMessageId,
}

impl Reads {
    /// Returns what is known of the message that has this id at the platform.
    pub async fn message_of_platform(
        &self,
        number: &ChatPhoneNumberId,
        platform_id: &str,
    ) -> Result<Option<NamedMessage>, Failure> {
        let item = self.table.get(&keys::message_of_platform(&self.organization, number, platform_id)).await?;
        let Some(item) = item else { return Ok(None) };
        if item.contains_key("messageId") {
            return Ok(Some(NamedMessage::Known(entity::<MessageReference>(item)?.message_id)));
        }
        Ok(Some(NamedMessage::Early(entity(item)?)))
    }

    /// Returns the id of the message that has this id at the platform.
    pub async fn message_id_of_platform(
        &self,
        number: &ChatPhoneNumberId,
        platform_id: &str,
    ) -> Result<Option<ChatMessageId>, Failure> {
        match self.message_of_platform(number, platform_id).await? {
            Some(NamedMessage::Known(id)) => Ok(Some(id)),
            Some(NamedMessage::Early(_)) | None => Ok(None),
        }
    }
}

/// Holds while nothing but these revisions is stored. What has ended counts as nothing: the table removes a message that has
/// ended item by item, and its reference perhaps last.
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

    /// Makes the platform's id, which became known after the message was created, refer to it. This replaces a reference
    /// to another message, which an update without a reference to this one may have created meanwhile.
    pub(super) fn rename_message(&mut self, stored: &StoredChat, platform_id: &str) -> Result<(), Failure> {
        self.put(self.reference(stored, platform_id)?);
        Ok(())
    }

    fn reference(&self, stored: &StoredChat, platform_id: &str) -> Result<NewItem, Failure> {
        let message = stored.message();
        let key = keys::message_of_platform(&self.organization, &message.chat_phone_number_id, platform_id);
        Ok(NewItem::new(&key, &MessageReference { message_id: message.id.clone() })?.ending(stored.ends_at))
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
