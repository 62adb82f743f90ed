//! A request's hold on a number while it changes the number's registration or two-step PIN. One request at a time does,
//! because the secret with the PIN cannot be written on a condition. The hold of a request that stopped ends by itself
//! after a minute; the same request can then be sent again.

use domain::chat::ChatPhoneNumber;
use domain::chat::number::HOLD;
use domain::id::ChatPhoneNumberId;
use domain::{Failure, Mode};
use platform::{Line, NumberPins};
use store::OrganizationStore;

use super::amend;
use super::profile::NUMBER;
use crate::ChatContext;

pub(super) struct Hold<'a> {
    chat: &'a ChatContext,
    org: &'a OrganizationStore,
    /// The number at the beginning of the hold.
    pub(super) number: ChatPhoneNumber,
}

impl<'a> Hold<'a> {
    /// Takes hold of a number, and applies `edit` to it. Fails if another request holds it.
    pub(super) async fn take(
        chat: &'a ChatContext,
        org: &'a OrganizationStore,
        id: &ChatPhoneNumberId,
        edit: impl Fn(&mut ChatPhoneNumber) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let now = chat.context.now();
        let number = amend(&chat.context, org, id, |number| {
            if let Some(seconds) = number.held_for(now) {
                let message = "Another request is changing the registration or the PIN of this number. Retry shortly.";
                return Err(Failure::conflict(message).with_param(NUMBER).with_retry_after(seconds));
            }
            edit(number)?;
            number.held_until = Some(now.plus(HOLD));
            Ok(())
        })
        .await?;
        Ok(Hold { chat, org, number })
    }

    /// Ends the hold, and applies `edit` to the number.
    pub(super) async fn release_with(&self, edit: impl Fn(&mut ChatPhoneNumber)) -> Result<ChatPhoneNumber, Failure> {
        amend(&self.chat.context, self.org, &self.number.id, |number| {
            number.held_until = None;
            edit(number);
            Ok(())
        })
        .await
    }

    pub(super) async fn release(&self) -> Result<ChatPhoneNumber, Failure> {
        self.release_with(|_| ()).await
    }

    /// Ends the hold if the work under it has failed. If that fails too, the hold ends after a minute.
    pub(super) async fn or_release<T>(&self, done: Result<T, Failure>) -> Result<T, Failure> {
        if done.is_err() {
            let _ = self.release().await;
        }
        done
    }

    /// Returns the PINs of which the number has one.
    pub(super) async fn pins(&self, line: &Line) -> Result<NumberPins, Failure> {
        let own = if self.number.has_own_pin { self.chat.platforms.vault.pins(&self.number.id).await? } else { None };
        Ok(own.unwrap_or_else(|| NumberPins::of(line.pin.clone())))
    }

    /// Stores PINs that replace `before`. Nothing is stored in test mode, where every number has the same PIN.
    pub(super) async fn keep_pins(&self, before: &NumberPins, pins: &NumberPins) -> Result<(), Failure> {
        if pins == before || self.number.id.mode() == Mode::Test {
            return Ok(());
        }
        self.chat.platforms.vault.keep_pins(&self.number.id, pins).await
    }
}
