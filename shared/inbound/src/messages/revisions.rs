//! The effect of edits and revocations on a message. The functions here read and write nothing. The latest edit and the
//! earliest revocation win, in whatever order they and the message arrive.

use domain::Timestamp;
use domain::chat::Direction;
use domain::message::step::Step;
use store::{EarlyRevisions, Revisions, StoredChat};

/// An edit or a revocation of a message.
pub(super) struct Revised {
    pub(super) is_revocation: bool,
    pub(super) at: Timestamp,
    /// The direction of the message that reports it, which is also the original's.
    pub(super) direction: Direction,
}

impl Revised {
    fn after(&self, known: Revisions) -> Revisions {
        let at = self.at;
        match self.is_revocation {
            true => Revisions { revoked_at: Some(known.revoked_at.map_or(at, |earlier| earlier.min(at))), ..known },
            false => Revisions { edited_at: Some(known.edited_at.map_or(at, |earlier| earlier.max(at))), ..known },
        }
    }

    /// Returns the edits and revocations of a message whose content is not known, including this one.
    pub(super) fn added_to(&self, early: Option<EarlyRevisions>) -> EarlyRevisions {
        let mut early = early.unwrap_or_default();
        early.set(self.direction, self.after(early.of(self.direction)));
        early
    }

    /// Returns the message as its sender has edited or revoked it; `None` if nothing changes. Until the content of the
    /// message is known, its sender is not known either, so the revision is kept beside it.
    pub(super) fn marked(&self, before: &StoredChat, now: Timestamp) -> Option<StoredChat> {
        let mut after = before.clone();
        if !has_content(before) {
            let early = self.added_to(before.reported.early_revisions);
            after.reported.early_revisions = Some(early);
            show_revisions(&mut after, Some(&early));
        } else if before.message().direction == self.direction {
            let message = &mut after.tracked.message;
            let known = Revisions { edited_at: message.edited_at, revoked_at: message.revoked_at };
            let revisions = self.after(known);
            (message.edited_at, message.revoked_at) = (revisions.edited_at, revisions.revoked_at);
        }

        if after == *before {
            return None;
        }
        let (at, of) = (now.into(), self.at.into());
        after.add_step(if self.is_revocation { Step::Revoked { at, of } } else { Step::Edited { at, of } });
        after.tracked.message.updated_at = now;
        after.kept.revision += 1;
        Some(after)
    }
}

/// Returns whether the content of a message is known. Statuses create a message without content.
pub(super) fn has_content(stored: &StoredChat) -> bool {
    stored.message().direction == Direction::Inbound || stored.reported.is_filled
}

/// Returns the edits and revocations that a message shows.
pub(super) fn shown_revisions(known: &StoredChat) -> EarlyRevisions {
    let message = known.message();
    let mut shown = EarlyRevisions::default();
    shown.set(message.direction, Revisions { edited_at: message.edited_at, revoked_at: message.revoked_at });
    shown
}

/// Shows when the message was edited and revoked, as far as its sender reported that.
pub(super) fn show_revisions(stored: &mut StoredChat, early: Option<&EarlyRevisions>) {
    let message = &mut stored.tracked.message;
    let revisions = early.copied().unwrap_or_default().of(message.direction);
    (message.edited_at, message.revoked_at) = (revisions.edited_at, revisions.revoked_at);
}
