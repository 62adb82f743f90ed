//! The operation that changes the two-step PIN of a number.

use api::Admin;
use domain::Failure;
use domain::chat::ChatPhoneNumber;
use domain::identity::credential::Secret;
use platform::Line;

use super::hold::Hold;
use super::profile::{NUMBER, entry, reach};
use super::register_again::profile_of;
use crate::{ChatContext, audit};

/// Changes the PIN of a number.
pub(super) async fn change(
    chat: &ChatContext,
    caller: &Admin,
    number: Option<ChatPhoneNumber>,
    pin: &Secret,
) -> Result<(), Failure> {
    let (number, line) = reach(chat, caller, number).await?;
    let org = &chat.context.store.of(&caller.organization);
    if profile_of(org, &number).await?.is_coexistence {
        let message = "The number is in use on the WhatsApp Business app, whose PIN it has. Its owner can change it in \
                       the app, under Settings, Account, Two-step verification.";
        return Err(Failure::conflict(message).with_param(NUMBER));
    }
    let has_own_pin = !number.id.mode().is_test();
    let begin = |number: &mut ChatPhoneNumber| -> Result<(), Failure> {
        number.has_own_pin |= has_own_pin;
        Ok(())
    };
    let hold = Hold::take(chat, org, &number.id, begin).await?;
    let under_way = audit::begin(chat, &caller.organization, entry(chat, &caller.trail, &number)).await;
    let under_way = hold.or_release(under_way).await?;
    let changed = under_way.end(change_held(&hold, &line, pin).await).await;
    hold.or_release(changed).await?;
    hold.release().await.map(|_| ())
}

/// Stores the new PIN beside the present one, asks the platform to use it, and then stores the one that holds. If the
/// outcome is unknown, both are kept.
async fn change_held(hold: &Hold<'_>, line: &Line, pin: &Secret) -> Result<(), Failure> {
    let before = hold.pins(line).await?;
    let asked = before.with(pin);
    hold.keep_pins(&before, &asked).await?;
    let node = &hold.number.provider_phone_number_id;
    match line.platform.change_pin(&line.token, node, pin).await {
        Ok(()) => hold.keep_pins(&asked, &asked.confirmed()).await,
        Err(error) => {
            if !error.is_outcome_unknown() {
                hold.keep_pins(&asked, &before).await?;
            }
            Err(line.failure(error, node).await)
        }
    }
}
