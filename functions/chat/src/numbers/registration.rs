//! Registering a number with the platform takes it off whatever uses it now, and ten attempts in three days block it for
//! three more: these are the rules that protect a customer's phone.

use domain::chat::number::REGISTRATIONS;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::{ChatPhoneNumberId, OrganizationId};
use domain::{Failure, Timestamp};
use platform::{Line, PlatformError, PlatformNumber};

use super::amend;
use crate::ChatContext;

/// Why this number must not be registered now.
pub(crate) fn obstacle(
    profile: &ChatBusinessProfile,
    number: &ChatPhoneNumber,
    found: &PlatformNumber,
    now: Timestamp,
) -> Option<&'static str> {
    if profile.is_coexistence || found.is_on_business_app {
        return Some("It is in use on the business app, which registering would disconnect.");
    }
    if !found.is_verified {
        return Some("Its ownership is not verified at the platform.");
    }
    if number.cloud_api_registered {
        return Some("It is registered already.");
    }
    if found.is_in_use {
        return Some("It is connected to another system of the platform, which registering would disconnect.");
    }
    (number.attempts_since(now).len() >= REGISTRATIONS).then_some(TOO_MANY)
}

const TOO_MANY: &str = "Registering it was tried five times in 72 hours; more attempts could block it at the platform.";

/// One attempt, noted before it is made. What the platform said beside success is for the caller to judge.
pub(crate) async fn register(
    chat: &ChatContext,
    organization: &OrganizationId,
    line: &Line,
    id: &ChatPhoneNumberId,
) -> Result<(ChatPhoneNumber, Option<PlatformError>), Failure> {
    let now = chat.context.now();
    let number = amend(chat, organization, id, |number| {
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
            let registered = amend(chat, organization, id, |number| {
                number.cloud_api_registered = true;
                Ok(())
            });
            Ok((registered.await?, None))
        }
    }
}
