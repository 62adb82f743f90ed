//! Registering numbers with the platform. Registration disconnects a number from the app that uses it now, and ten
//! attempts in three days block the number for another three days. The rules here protect the customer's phone from
//! both.

use domain::chat::number::{REGISTRATION_WINDOW, REGISTRATIONS};
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::ChatPhoneNumberId;
use domain::time::in_hours;
use domain::{Failure, Timestamp};
use platform::{Line, PlatformError, PlatformNumber};
use runtime::Context;
use store::OrganizationStore;

use super::amend;

/// Returns why this number must not be registered now, if there is a reason.
pub(crate) fn obstacle(
    profile: &ChatBusinessProfile,
    number: &ChatPhoneNumber,
    found: &PlatformNumber,
    now: Timestamp,
) -> Option<&'static str> {
    if profile.is_coexistence || found.is_on_business_app {
        return Some("It is in use on the WhatsApp Business app, which registration would disconnect.");
    }
    if !found.is_verified {
        return Some("Its ownership is not verified at WhatsApp. Verify it first.");
    }
    if number.cloud_api_registered {
        return Some("It is already registered.");
    }
    if found.is_in_use {
        return Some("It is registered with another API of WhatsApp, which registration would disconnect.");
    }
    (number.attempts_since(now).len() >= REGISTRATIONS).then_some(TOO_MANY)
}

const TOO_MANY: &str =
    "Registration was attempted five times in 72 hours. More attempts could make WhatsApp block it; retry later.";
const _: () = assert!(REGISTRATIONS == 5 && in_hours(REGISTRATION_WINDOW) == 72, "TOO_MANY has other numbers");

/// Attempts to register the number. The attempt is counted before it is made. Returns the number and the platform's error,
/// if any.
pub(crate) async fn register(
    context: &Context,
    org: &OrganizationStore,
    line: &Line,
    id: &ChatPhoneNumberId,
) -> Result<(ChatPhoneNumber, Option<PlatformError>), Failure> {
    let now = context.now();
    let number = amend(context, org, id, |number| {
        let mut attempts = number.attempts_since(now);
        if attempts.len() >= REGISTRATIONS {
            return Err(Failure::conflict(TOO_MANY));
        }
        attempts.push(now);
        number.registration_attempts = attempts;
        Ok(())
    })
    .await?;
    match line.platform.register(&line.token, &number.provider_phone_number_id, &line.pin).await {
        Err(error) => Ok((number, Some(error))),
        Ok(()) => {
            let registered = amend(context, org, id, |number| {
                number.cloud_api_registered = true;
                Ok(())
            });
            Ok((registered.await?, None))
        }
    }
}
