//! The numbers of an account: registration, quality, limit and name.

use domain::chat::{ChatPhoneNumber, Check, Finding, ReviewOutcome, Share, ShareStatus};
use domain::error::provider::shown;

use crate::inspection::NumberState;

const REGISTER: &str = "Register the number with POST /v1/organization/chat/phone-numbers.";
const VERIFY: &str = "Verify the number in Meta Business Manager, then register it with \
    POST /v1/organization/chat/phone-numbers.";
const LOOK_AT_META: &str = "Check the number in WhatsApp Manager.";
const BETTER_MESSAGES: &str =
    "Send fewer messages that users block or report: write only to users who have agreed to it, and not too often.";
const CONNECT_AGAIN: &str = "Connect the account again: both are requested again, which is possible within 24 hours after \
    the business signed up.";
const SHARE_HISTORY: &str = "Messages are received without it. To share it, the business must disconnect the account in its \
    business app and sign up again.";
/// The platform for numbers that are used through its API.
const CLOUD_API: &str = "CLOUD_API";

/// Returns the findings about the connected numbers of an account.
pub(super) fn findings(numbers: &[ChatPhoneNumber], states: &[NumberState]) -> Vec<Finding> {
    let of_number = |number: &ChatPhoneNumber| {
        let state = states.iter().find(|state| state.id == number.provider_phone_number_id);
        let findings = match state {
            Some(state) => {
                let of_platform = [registration(state), quality(state), limit(state), name(state)];
                of_platform.into_iter().chain(business_app(number)).collect()
            }
            None => vec![Finding::failed(
                Check::NumberRegistration,
                "The account no longer has the number: it was deleted, or moved to another account.",
                "If it was moved, connect the account that has it now.",
            )],
        };
        findings.into_iter().map(|finding| finding.about(&number.id)).collect::<Vec<_>>()
    };
    numbers.iter().flat_map(of_number).collect()
}

/// Returns what became of the contacts and the history of the business app; nothing for a number without one.
fn business_app(number: &ChatPhoneNumber) -> Option<Finding> {
    let check = Check::NumberHistory;
    let app = number.business_app.as_ref()?;
    let has = |status: ShareStatus| move |share: &&Share| share.status == status;
    let shares = || app.contacts.iter().chain(&app.history);
    if let Some(Share { error_code, .. }) = shares().find(has(ShareStatus::Refused)) {
        let code = error_code.unwrap_or_default();
        let message =
            format!("Meta rejected a request for the contacts or the history of the business app (code {code}).");
        return Some(Finding::warning(check, message, CONNECT_AGAIN));
    }
    if shares().any(|share| share.status == ShareStatus::Declined) {
        let message = "The business does not share the history of its business app.";
        return Some(Finding::warning(check, message, SHARE_HISTORY));
    }
    Some(Finding::ok(check, "The contacts and the history of the business app were requested."))
}

fn registration(state: &NumberState) -> Finding {
    let check = Check::NumberRegistration;
    let is_verified = state.verification.as_deref() != Some("NOT_VERIFIED");
    match state.status.as_deref() {
        Some("CONNECTED") => match state.platform_type.as_deref() {
            Some(CLOUD_API) | None => Finding::ok(check, "The number is registered."),
            Some(other) => {
                let message = format!("The number is registered with another API of Meta ({}).", shown(other));
                Finding::failed(check, message, REGISTER)
            }
        },
        Some("PENDING" | "UNVERIFIED") if !is_verified => {
            Finding::failed(check, "The number is not verified, so it cannot be registered.", VERIFY)
        }
        Some("PENDING" | "UNVERIFIED" | "DISCONNECTED") => {
            Finding::failed(check, "The number is not registered, so it can neither send nor receive.", REGISTER)
        }
        Some("FLAGGED") => {
            let message = "The number is flagged for low quality. If this continues, Meta lowers its limit.";
            Finding::warning(check, message, BETTER_MESSAGES)
        }
        Some("RATE_LIMITED") => {
            let message = "The number has reached its conversation limit and can only reply for now.";
            Finding::warning(check, message, "Wait until conversations of the last 24 hours no longer count.")
        }
        Some("RESTRICTED") => {
            let message = "Meta restricts the number, so it cannot start conversations.";
            Finding::failed(check, message, "Wait until the restriction ends, or appeal in WhatsApp Manager.")
        }
        Some("BANNED") => {
            let message = "Meta has banned the number.";
            Finding::failed(check, message, "Appeal in WhatsApp Manager, or use another number.")
        }
        Some(gone @ ("DELETED" | "MIGRATED")) => {
            let message = format!("The account no longer has the number ({gone}).");
            Finding::failed(check, message, "Connect the account that has it now, or use another number.")
        }
        Some(other) => Finding::warning(check, format!("The number's status is {}.", shown(other)), LOOK_AT_META),
        None => Finding::warning(check, "Meta does not show the number's status.", LOOK_AT_META),
    }
}

fn quality(state: &NumberState) -> Finding {
    let check = Check::NumberQuality;
    match state.quality.as_deref() {
        Some("GREEN") => Finding::ok(check, "The number's quality is high (GREEN)."),
        Some("YELLOW") => {
            let message = "The number's quality is medium (YELLOW): users block or report its messages.";
            Finding::warning(check, message, BETTER_MESSAGES)
        }
        Some("RED") => {
            let message = "The number's quality is low (RED): many users block or report its messages, and Meta \
                           may restrict it.";
            Finding::failed(check, message, BETTER_MESSAGES)
        }
        _ => Finding::ok(check, "Meta has not rated the number's quality yet."),
    }
}

fn limit(state: &NumberState) -> Finding {
    let check = Check::NumberLimit;
    let Some(limit) = state.limit.as_deref().map(shown) else {
        return Finding::ok(check, "Meta shows no conversation limit.");
    };
    match limit.as_str() {
        "TIER_50" | "TIER_250" | "TIER_NOT_SET" | "UNTIERED" => Finding::warning(
            check,
            format!("The number may start conversations with the lowest number of people per day ({limit})."),
            "Verify the business in Meta Business Manager, or send high-quality messages to more people.",
        ),
        _ => Finding::ok(
            check,
            format!("The limit on people with whom the number may start a conversation per day is {limit}."),
        ),
    }
}

fn name(state: &NumberState) -> Finding {
    let check = Check::NumberName;
    let Some(status) = state.name_status.as_deref().filter(|status| *status != "NONE") else {
        return Finding::ok(check, "The number's display name needs no review.");
    };
    match ReviewOutcome::of_platform(status).known() {
        Some(ReviewOutcome::Approved) => Finding::ok(check, "The number's display name is approved."),
        Some(ReviewOutcome::Rejected) => Finding::failed(
            check,
            format!("Meta does not accept the number's display name ({}).", shown(status)),
            "Choose another display name in WhatsApp Manager.",
        ),
        Some(ReviewOutcome::Pending | ReviewOutcome::Deferred) => Finding::warning(
            check,
            "Meta has not reviewed the number's display name yet.",
            "Wait for the decision. Until then, the number may not be able to start conversations.",
        ),
        None => Finding::warning(check, format!("The state of the display name is {}.", shown(status)), LOOK_AT_META),
    }
}
