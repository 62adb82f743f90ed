//! The recipients of a message, as status updates identify them.

use super::update::Person;
use crate::Timestamp;
use crate::chat::{Recipient, RecipientStatus};
use crate::message::reason::Reason;
use crate::message::step::add_step;

pub(super) fn keep_lower<T: Ord + Clone>(known: &mut Option<T>, new: Option<&T>) {
    if let Some(new) = new
        && known.as_ref().is_none_or(|known| new < known)
    {
        *known = Some(new.clone());
    }
}

/// Removes the recipients for which `is_wanted` holds, and returns them.
pub(super) fn extract(recipients: &mut Vec<Recipient>, is_wanted: impl Fn(&Recipient) -> bool) -> Vec<Recipient> {
    let (wanted, others) = std::mem::take(recipients).into_iter().partition(is_wanted);
    *recipients = others;
    wanted
}

pub(super) fn is_member(known: &Recipient, person: &Person) -> bool {
    let has_number = known.phone_number.is_some() && known.phone_number == person.phone_number;
    has_number || known.user_id.is_some() && known.user_id == person.user_id || Some(&known.id) == person.id().as_ref()
}

/// Merges the record of the same person under another identity.
pub(super) fn merge(recipient: &mut Recipient, same: &Recipient) {
    keep_lower(&mut recipient.phone_number, same.phone_number.as_ref());
    keep_lower(&mut recipient.user_id, same.user_id.as_ref());
    for status in RecipientStatus::ALL {
        keep_lower(time_of(recipient, status), time_of(&mut same.clone(), status).as_ref());
    }
    if let Some(reason) = reason_of(same)
        && reason_of(recipient).is_none_or(|known| reason.is_preferred_to(&known))
    {
        set_reason(recipient, &reason);
    }
    recipient.created_at = recipient.created_at.min(same.created_at);
    same.steps.iter().cloned().for_each(|step| add_step(&mut recipient.steps, step));
}

/// Returns why the message failed for this recipient.
pub(super) fn reason_of(recipient: &Recipient) -> Option<Reason> {
    Reason::shown(recipient.error_code.as_ref(), recipient.error_message.as_ref(), recipient.provider.as_ref())
}

pub(super) fn set_reason(recipient: &mut Recipient, reason: &Reason) {
    recipient.error_code.clone_from(&reason.code);
    recipient.error_message = Some(reason.message.clone());
    recipient.provider.clone_from(&reason.provider);
}

pub(super) fn time_of(recipient: &mut Recipient, status: RecipientStatus) -> &mut Option<Timestamp> {
    match status {
        RecipientStatus::Queued => &mut recipient.queued_at,
        RecipientStatus::Sent => &mut recipient.sent_at,
        RecipientStatus::Delivered => &mut recipient.delivered_at,
        RecipientStatus::Read => &mut recipient.read_at,
        RecipientStatus::Failed => &mut recipient.failed_at,
    }
}

pub(super) fn highest_status(recipient: &mut Recipient) -> RecipientStatus {
    use RecipientStatus::{Delivered, Failed, Queued, Read, Sent};
    let highest = [Failed, Read, Delivered, Sent].into_iter().find(|status| time_of(recipient, *status).is_some());
    highest.unwrap_or(Queued)
}
