//! Writing a message: its main item, its list items and its related records, in one change.

use std::time::Duration;

use domain::Failure;

use super::kind::MessageKind;
use super::stored::Stored;
use crate::change::{Change, fail_with, stale};
use crate::expression::Update;
use crate::item::{NewItem, number};
use crate::keys;

/// How long the content of a queued message is kept after the message has expired.
const CONTENT_KEPT: Duration = Duration::from_secs(24 * 3600);

impl Change {
    /// Creates a message with all related records. Stale if a chat message with the same platform id has been created
    /// concurrently.
    pub fn create_message<M: MessageKind>(&mut self, message: &Stored<M>) -> Result<(), Failure> {
        // First: of several failures, that of the first write is reported, and a message with the same platform id makes the
        // change stale.
        M::write_name(self, None, message)?;
        self.create_main(message)?;
        M::write_related(self, None, message)
    }

    /// Writes the differences between two states of a message. Stale if its revision has changed.
    pub fn update_message<M: MessageKind>(&mut self, before: &Stored<M>, after: &Stored<M>) -> Result<(), Failure> {
        self.update_main(before, after)?;
        M::write_name(self, Some(before), after)?;
        M::write_related(self, Some(before), after)
    }

    /// Creates the main item of a message, its list items, and the item of its queued content.
    pub(crate) fn create_main<M: MessageKind>(&mut self, message: &Stored<M>) -> Result<(), Failure> {
        let mut main = NewItem::new(&keys::message(M::CLASS, &self.organization, message.id()), &message.main_item())?;
        if let Some((class, at)) = message.due() {
            main = main.due(class, at);
        }
        self.create(main, fail_with(|| Failure::internal("a newly minted message id already exists")));
        self.list_message(None, message)?;
        self.write_queued(None, message)
    }

    /// Writes the differences between two states of a message's main item, due time and list items.
    fn update_main<M: MessageKind>(&mut self, before: &Stored<M>, after: &Stored<M>) -> Result<(), Failure> {
        let key = keys::message(M::CLASS, &self.organization, before.id());
        let mut update = Update::between(key, &before.main_item(), &after.main_item(), &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.kept.revision));
        match (before.due(), after.due()) {
            (before, after) if before == after => {}
            (_, None) => update = update.not_due(),
            (_, Some((class, at))) => update = update.due(class, at),
        }
        self.update(update, stale());
        self.list_message(Some(before), after)?;
        self.write_queued(Some(before), after)
    }

    fn write_queued<M: MessageKind>(&mut self, before: Option<&Stored<M>>, after: &Stored<M>) -> Result<(), Failure> {
        if let (Some(queued), Some(expires_at)) = (&after.queued, after.kept.expires_at)
            && before.is_none_or(|before| before.queued.is_none())
        {
            let key = keys::message_part(M::CLASS, &self.organization, after.id(), keys::SEND_PART);
            let item = NewItem::new(&key, queued)?;
            self.put(item.expiring(expires_at.plus(CONTENT_KEPT)));
        }
        Ok(())
    }
}
