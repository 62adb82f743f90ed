//! The account: its connection, its subscription, its review, its payment and its health.

use domain::Timestamp;
use domain::chat::{Check, Finding, ReviewOutcome};
use domain::error::provider::{Availability, EntityState, HealthEntity, HealthError, HealthStatus};
use domain::events::webhook::AddressPolicy;

use super::app::{is_own, without_query};
use super::unanswered::{RECONNECT, unanswered};
use crate::error::PlatformResult;
use crate::inspection::{AccountState, Subscription};

/// The platform's code for an account without a valid payment method.
const NO_PAYMENT: i64 = 141_006;
const LOOK_AT_META: &str = "Check the account in Meta Business Manager.";

pub(super) fn connected() -> Finding {
    Finding::ok(Check::Connection, "The account is connected.")
}

pub(super) fn disconnected(at: Timestamp) -> Finding {
    Finding::failed(Check::Connection, format!("The account was disconnected at {at}."), RECONNECT)
}

/// Returns the finding for the platform's response about the account's subscription.
pub(super) fn subscription(subscription: PlatformResult<Option<Subscription>>, own: &AddressPolicy) -> Finding {
    let subscription = match subscription {
        Ok(subscription) => subscription,
        Err(error) => return unanswered(Check::Subscription, "The account's subscription", error),
    };
    match subscription {
        None => Finding::failed(
            Check::Subscription,
            "The account does not send its notifications to this installation's app, so no messages and statuses are \
             received.",
            RECONNECT,
        ),
        Some(Subscription { callback_override: Some(url) }) if !is_own(&url, own) => Finding::failed(
            Check::Subscription,
            format!("The account sends its notifications to {} instead of this installation.", without_query(&url)),
            RECONNECT,
        ),
        Some(_) => Finding::ok(Check::Subscription, "The account sends its notifications to this installation."),
    }
}

/// Returns the findings for the platform's response about the account.
pub(super) fn state(state: PlatformResult<AccountState>) -> Vec<Finding> {
    match state {
        Ok(state) => vec![review(state.review.as_deref()), payment(&state.health), health(&state.health)],
        Err(error) => vec![unanswered(Check::AccountHealth, "The account", error)],
    }
}

fn review(decision: Option<&str>) -> Finding {
    let check = Check::AccountReview;
    let Some(decision) = decision else { return Finding::ok(check, "Meta shows no review of the account.") };
    match ReviewOutcome::of_platform(decision).known() {
        Some(ReviewOutcome::Approved) => Finding::ok(check, "Meta has approved the account."),
        Some(ReviewOutcome::Rejected) => {
            let remedy = "Request another review in Meta Business Manager.";
            Finding::failed(check, "Meta has rejected the account.", remedy)
        }
        Some(ReviewOutcome::Pending | ReviewOutcome::Deferred) => {
            let remedy = "Wait for the decision. Meta Business Manager shows whether anything is required.";
            Finding::warning(check, "Meta has not reviewed the account yet.", remedy)
        }
        None => Finding::warning(
            check,
            format!("The state of the account's review is {}.", domain::error::provider::shown(decision)),
            LOOK_AT_META,
        ),
    }
}

fn errors(entity: &HealthEntity) -> &[HealthError] {
    match &entity.state {
        EntityState::Available { errors, .. }
        | EntityState::Limited { errors, .. }
        | EntityState::Blocked { errors, .. } => errors,
    }
}

fn hints(entity: &HealthEntity) -> &[String] {
    match &entity.state {
        EntityState::Available { additional_info, .. }
        | EntityState::Limited { additional_info, .. }
        | EntityState::Blocked { additional_info, .. } => additional_info,
    }
}

fn is_about_payment(error: &HealthError) -> bool {
    error.error_code == NO_PAYMENT
}

fn payment(status: &HealthStatus) -> Finding {
    let check = Check::AccountPayment;
    let found = status.entities.iter().find_map(|entity| {
        let error = errors(entity).iter().find(|error| is_about_payment(error))?;
        (entity.state.availability() != Availability::Available).then_some((entity.state.availability(), error))
    });
    let Some((availability, error)) = found else {
        return Finding::ok(check, "Meta reports no problem with payment.");
    };
    let message = format!("The account cannot pay for messages: {}", described(error));
    let remedy = "Add a valid payment method to the account in Meta Business Manager.";
    match availability {
        Availability::Blocked => Finding::failed(check, message, remedy),
        _ => Finding::warning(check, message, remedy),
    }
}

/// Returns the finding about the health apart from payment: entities without any other error are left out.
fn health(status: &HealthStatus) -> Finding {
    let is_other = |entity: &&HealthEntity| {
        let has_payment_only = !errors(entity).is_empty() && errors(entity).iter().all(is_about_payment);
        entity.state.availability() != Availability::Available && !has_payment_only
    };
    let troubled: Vec<&HealthEntity> = status.entities.iter().filter(is_other).collect();
    let Some(worst) = troubled.iter().map(|entity| entity.state.availability()).max() else {
        return Finding::ok(Check::AccountHealth, "Meta neither blocks nor limits the account.");
    };

    let message: Vec<String> = troubled.iter().map(|entity| describe_problem(entity)).collect();
    let solutions: Vec<String> = troubled
        .iter()
        .flat_map(|entity| errors(entity).iter().filter(|error| !is_about_payment(error)))
        .filter(|error| !error.possible_solution.is_empty())
        .map(|error| full_stop(&error.possible_solution))
        .collect();
    let remedy = if solutions.is_empty() { LOOK_AT_META.to_owned() } else { solutions.join(" ") };

    match worst {
        Availability::Blocked => Finding::failed(Check::AccountHealth, message.join(" "), remedy),
        _ => Finding::warning(Check::AccountHealth, message.join(" "), remedy),
    }
}

/// Returns a text that names the blocked or limited entity, with the reason.
fn describe_problem(entity: &HealthEntity) -> String {
    let name = serde_json::to_value(entity.entity_type).unwrap_or_default();
    let state = match entity.state.availability() {
        Availability::Blocked => "cannot send messages",
        _ => "can send messages only with limits",
    };
    let name = name.as_str().unwrap_or_default().to_owned();
    let mut why: Vec<String> = errors(entity).iter().filter(|error| !is_about_payment(error)).map(described).collect();
    why.extend(hints(entity).iter().map(|hint| full_stop(hint)));
    match why.is_empty() {
        true => format!("{name} {} {state}.", entity.id),
        false => format!("{name} {} {state}: {}", entity.id, why.join(" ")),
    }
}

fn described(error: &HealthError) -> String {
    format!(
        "{} (code {}).",
        domain::error::provider::shown(error.error_description.trim_end_matches('.')),
        error.error_code
    )
}

fn full_stop(text: &str) -> String {
    format!("{}.", domain::error::provider::shown(text.trim().trim_end_matches('.')))
}
