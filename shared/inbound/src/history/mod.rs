//! The history of the business app that a business shares. A notification of the field `history` has parts of it, each
//! with many messages, or reports that there is none. The messages are stored as they are (`keep.rs`) and imported
//! later, one part after the other: they become messages like others, but cause no events. Reports of the progress are
//! applied at once.

mod keep;
mod split;

use domain::Failure;
use domain::chat::ChatPhoneNumber;
use serde::{Deserialize, Serialize};
use store::Change;

use crate::apply::UpdateHandler;

/// Marks an update as a message of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The user whose chat has the message: their digits or user id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat: Option<String>,
}

impl UpdateHandler<'_> {
    pub(crate) fn is_history(&self) -> bool {
        self.update.history.is_some()
    }

    /// Records how much of the history the platform has sent, or that the business does not share it.
    pub(crate) async fn history_progress(&self) -> Result<Change, Failure> {
        let read = self.read(|report| {
            let progress = report.object("metadata", |metadata| metadata.number("progress")).flatten();
            (progress, report.list("errors", |error| error.number("code")).into_iter().flatten().next())
        });
        let ((progress, error), _) = read?;
        let before = self.number().await?;
        let known = before.business_app.clone().unwrap_or_default();
        let business_app = Some(known.clone().with_history(progress, error));
        if business_app.as_ref() == Some(&known) {
            return Ok(self.change());
        }
        let (revision, updated_at) = (before.revision + 1, self.now);
        let after = ChatPhoneNumber { business_app, revision, updated_at, ..before.clone() };
        let mut change = self.change();
        change.update_chat_phone_number(&before, &after, &[])?;
        Ok(change)
    }
}
