//! Registering numbers with the platform. Registration disconnects a number from the app that uses it now, and ten
//! attempts to register or deregister it in three days block the number for another three days. The rules here protect
//! the customer's phone from both.

use domain::chat::number::{REGISTRATION_WINDOW, REGISTRATIONS};
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::ChatPhoneNumberId;
use domain::identity::credential::Secret;
use domain::time::in_hours;
use domain::{Failure, Timestamp};
use platform::{Line, NumberStanding, PlatformError};
use store::OrganizationStore;

use super::hold::Hold;
use crate::ChatContext;

/// The platform's code for a two-step PIN that is not the number's.
const PIN_MISMATCH: i64 = 133_005;

/// Returns why a number that is not registered must not be registered now, if there is a reason.
pub(crate) fn obstacle(
    profile: &ChatBusinessProfile,
    number: &ChatPhoneNumber,
    found: &NumberStanding,
    now: Timestamp,
) -> Option<&'static str> {
    let is_registered = number.cloud_api_registered.then_some("It is already registered.");
    never(profile, number, found).or(is_registered).or_else(|| barrier(profile, number, found, now))
}

/// Returns why a number must not be registered now, whether or not it is registered already.
pub(super) fn barrier(
    profile: &ChatBusinessProfile,
    number: &ChatPhoneNumber,
    found: &NumberStanding,
    now: Timestamp,
) -> Option<&'static str> {
    if let Some(reason) = never(profile, number, found) {
        return Some(reason);
    }
    if found.is_in_use && found.is_connected != Some(true) {
        return Some("It is registered with another API of WhatsApp, which registration would disconnect.");
    }
    is_exhausted(number, now).then_some(TOO_MANY)
}

fn never(profile: &ChatBusinessProfile, number: &ChatPhoneNumber, found: &NumberStanding) -> Option<&'static str> {
    if profile.is_coexistence || found.is_on_business_app {
        return Some("It is in use on the WhatsApp Business app, which registration would disconnect.");
    }
    let is_verified = found.is_verified.unwrap_or(number.verified);
    (!is_verified)
        .then_some("Its ownership is not verified at WhatsApp. Verify it first, by a code or in WhatsApp Manager.")
}

/// Returns whether a number was registered and deregistered too often.
fn is_exhausted(number: &ChatPhoneNumber, now: Timestamp) -> bool {
    number.attempts_since(now).len() >= REGISTRATIONS
}

/// Counts an attempt to register or deregister a number, before it is made. Fails if there were too many. Attempts in
/// test mode are not counted, because nothing can be blocked.
pub(super) fn count_attempt(number: &mut ChatPhoneNumber, now: Timestamp) -> Result<(), Failure> {
    if number.id.mode().is_test() {
        return Ok(());
    }
    if is_exhausted(number, now) {
        return Err(Failure::conflict(TOO_MANY));
    }
    let mut attempts = number.attempts_since(now);
    attempts.push(now);
    number.registration_attempts = attempts;
    Ok(())
}

const TOO_MANY: &str =
    "Its registration was attempted or ended five times in 72 hours. More could make WhatsApp block it; retry later.";
const _: () = assert!(REGISTRATIONS == 5 && in_hours(REGISTRATION_WINDOW) == 72, "TOO_MANY has other numbers");

/// Attempts to register the number with this PIN, else with its stored one. The attempt is counted, and the PIN is
/// stored, before it is made. Returns the number and the platform's error, if any.
pub(crate) async fn register(
    chat: &ChatContext,
    org: &OrganizationStore,
    line: &Line,
    id: &ChatPhoneNumberId,
    pin: Option<&Secret>,
) -> Result<(ChatPhoneNumber, Option<PlatformError>), Failure> {
    let now = chat.context.now();
    let has_own_pin = pin.is_some() && !id.mode().is_test();
    let begin = |number: &mut ChatPhoneNumber| -> Result<(), Failure> {
        count_attempt(number, now)?;
        number.has_own_pin |= has_own_pin;
        Ok(())
    };
    let hold = Hold::take(chat, org, id, begin).await?;
    match hold.or_release(attempt(&hold, line, pin).await).await? {
        Err(error) => Ok((hold.release().await?, Some(error))),
        Ok(()) => Ok((hold.release_with(|number| number.cloud_api_registered = true).await?, None)),
    }
}

/// Makes one attempt. A PIN that the platform does not know is dropped if the number may have another, which the next
/// attempt uses.
async fn attempt(hold: &Hold<'_>, line: &Line, pin: Option<&Secret>) -> Result<Result<(), PlatformError>, Failure> {
    let stored = hold.pins(line).await?;
    let pins = pin.map_or_else(|| stored.clone(), |pin| stored.with(pin));
    hold.keep_pins(&stored, &pins).await?;
    let outcome = line.platform.register(&line.token, &hold.number.provider_phone_number_id, pins.newest()).await;
    let known = match &outcome {
        Ok(()) => pins.confirmed(),
        Err(error) if is_mismatch(error) => pins.refuted(),
        Err(_) => pins.clone(),
    };
    hold.keep_pins(&pins, &known).await?;
    Ok(outcome)
}

fn is_mismatch(error: &PlatformError) -> bool {
    matches!(error, PlatformError::Rejected(provider) if provider.number() == PIN_MISMATCH)
}
