//! The messages of a contact, and of the groups in which the contact wrote.

use domain::Failure;
use domain::chat::Direction;
use domain::erasure::{Erased, Erasure, PER_PAGE, Position, Stage};
use domain::message::MessageId;
use domain::number::NumberId;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use store::{GroupMessage, MessageToErase};

use super::{AT_ONCE, Page, Run, position};

/// How often a message is read again if it was changed while it was being erased.
const TRIES: u32 = 5;

impl Run<'_> {
    /// Erases a page of the messages between a number and one of the contact's identities.
    pub(super) async fn conversation(
        &self,
        erasure: &Erasure,
        number: &NumberId,
        at: &Position,
    ) -> Result<Page, Failure> {
        let Some(identity) = erasure.identities.get(at.identity) else {
            return Ok((Erased::default(), Some(position(number, Stage::GroupMessages, None))));
        };

        let listed = self.org.conversation_after(number, identity, at.after.as_deref(), PER_PAGE).await?;
        let last = listed.last().filter(|_| listed.len() == PER_PAGE).map(|(key, _)| key.clone());

        let is_named = erasure.contact.as_deref() == Some(identity);
        let erased = listed.into_iter().map(|(_, id)| async move {
            let is_own = |message: &MessageToErase| is_named || is_of(message, &erasure.identities);
            self.message(number, &id, Some(identity), is_own).await
        });
        let erased = sum(erased).await?;

        let next = match last {
            Some(last) => Position { after: Some(last), ..at.clone() },
            None => Position { identity: at.identity + 1, after: None, ..at.clone() },
        };
        Ok((erased, Some(next)))
    }

    /// Searches a page of a chat phone number's messages for those of groups. Erases the messages that the contact
    /// wrote, and removes the contact from the recipients of the others.
    pub(super) async fn group_messages(
        &self,
        erasure: &Erasure,
        number: &NumberId,
        at: &Position,
    ) -> Result<Page, Failure> {
        let listed = self.org.messages_after(number, at.after.as_deref(), PER_PAGE).await?;
        let last = listed.last().filter(|_| listed.len() == PER_PAGE).map(|(key, _)| key.clone());

        let ids: Vec<MessageId> = listed.into_iter().map(|(_, id)| id).collect();
        let found = self.org.group_messages(&ids).await?;
        let erased = sum(found.into_iter().map(|found| self.group_message(erasure, number, found))).await?;

        let next = match last {
            Some(last) => position(number, Stage::GroupMessages, Some(last)),
            None => position(number, Stage::Groups, None),
        };
        Ok((erased, Some(next)))
    }

    async fn group_message(
        &self,
        erasure: &Erasure,
        number: &NumberId,
        found: GroupMessage,
    ) -> Result<Erased, Failure> {
        if found.direction == Direction::Outbound {
            let was_named = self.org.erase_recipients(&found.id, &erasure.identities).await?;
            return Ok(Erased { group_mentions: u64::from(was_named), ..Erased::default() });
        }
        let is_named = found.sender.iter().any(|sender| Some(sender) == erasure.contact.as_ref());
        if !found.sender.iter().any(|sender| erasure.identities.contains(sender)) {
            return Ok(Erased::default());
        }
        let is_own = |message: &MessageToErase| is_named || is_of(message, &erasure.identities);
        self.message(number, &found.id.into(), None, is_own).await
    }

    /// Erases a message with its file, if it is the contact's according to `is_own`.
    async fn message(
        &self,
        number: &NumberId,
        id: &MessageId,
        found_in: Option<&str>,
        is_own: impl Fn(&MessageToErase) -> bool,
    ) -> Result<Erased, Failure> {
        let context = &self.worker.inbox.context;
        for _ in 0..TRIES {
            let message = self.org.message_to_erase(number, id).await?;
            if !is_own(&message) {
                return Ok(Erased::default());
            }
            // The file is deleted first, because nothing refers to it after the message is deleted.
            if let Some(id) = message.file_of() {
                self.worker.bucket.delete_inbound(self.org.organization_id(), id).await?;
            }
            if self.org.erase_message(&message, found_in, context.now()).await? {
                let media = u64::from(message.file_of().is_some());
                return Ok(Erased { messages: 1, media, ..Erased::default() });
            }
        }
        Err(Failure::unavailable("a message was changed each time it was to be erased"))
    }
}

/// Returns whether a message that was found by an identity of the contact is the contact's. A phone number that the contact
/// had may have changed hands: then its messages name another user.
fn is_of(message: &MessageToErase, identities: &[String]) -> bool {
    message.user_id().is_none_or(|user_id| identities.iter().any(|known| known == user_id))
}

/// Runs these erasures, several of them at once, and adds up the counts.
async fn sum(erased: impl Iterator<Item = impl Future<Output = Result<Erased, Failure>>>) -> Result<Erased, Failure> {
    stream::iter(erased).buffer_unordered(AT_ONCE).try_fold(Erased::default(), async |all, one| Ok(all.plus(one))).await
}
