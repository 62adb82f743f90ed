//! Queued messages that can never be sent, whatever happens until their turn: their number is gone, or is no longer their
//! app's. The number alone tells, so this is known before the message takes a slot of it.

use domain::chat::ChatPhoneNumber;
use domain::number::{NumberId, PhoneNumber};
use domain::{ErrorCode, Failure};
use platform::not_connected;
use store::{AnyNumber, Message};

use crate::checks::assigned;
use crate::sms::assigned_number;

/// Returns why a queued message can never be sent; `None` if it may be. `number` is its number as it is now.
pub fn lost<M: Message>(number: Option<&AnyNumber>, stored: &M) -> Option<Failure> {
    match (number, stored.number()) {
        (Some(AnyNumber::Chat(number)), _) => lost_chat_number(Some(number), stored),
        (Some(AnyNumber::Phone(number)), _) => lost_phone_number(Some(number), stored),
        (None, NumberId::Chat(_)) => lost_chat_number(None, stored),
        (None, NumberId::Phone(_)) => lost_phone_number(None, stored),
    }
}

/// Returns why a queued chat message can never be sent from this number.
pub fn lost_chat_number<M: Message>(number: Option<&ChatPhoneNumber>, stored: &M) -> Option<Failure> {
    let Some(number) = number else {
        let message = "The chat phone number of this message no longer exists.";
        return Some(Failure::of_code(ErrorCode::ChatNotConfigured, message));
    };
    if number.released_at.is_some() {
        return Some(not_connected());
    }
    let app = stored.app()?;
    if stored.has_lost_number(number.assigned_since(app)) { assigned(None, app).err() } else { None }
}

/// Returns why a queued SMS message can never be sent from this number.
pub fn lost_phone_number<M: Message>(number: Option<&PhoneNumber>, stored: &M) -> Option<Failure> {
    let Some(number) = number else {
        let message = "The phone number of this message no longer exists.";
        return Some(Failure::of_code(ErrorCode::PhoneNumberNotAssigned, message));
    };
    let app = stored.app()?;
    if stored.has_lost_number(number.assigned_since(app)) {
        return assigned_number(None, app).err();
    }
    number.expect_linked().err()
}
