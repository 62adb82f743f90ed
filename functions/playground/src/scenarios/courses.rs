//! The steps of a scenario about an account, a template, a contact, a group or a message.

use std::time::Duration;

use domain::chat::outgoing::{Content, Text};
use domain::chat::{ChatPhoneNumber, Group, GroupStatus, ReviewOutcome};
use domain::events::event::EventName;
use domain::{E164, Failure, Timestamp};
use inbound::{SharedContent, SimulatedContent, SimulatedMessage, SimulatedReport, TemplateRef};
use platform::render::Resolved;

use super::Scenario;
use super::stage::{Fresh, Stage, Steps, Subject};

const RESTRICTION: Duration = Duration::from_secs(24 * 3600);
/// The platform's code for a recipient who cannot be reached.
const UNDELIVERABLE: i64 = 131_026;
/// The name of the contacts that scenarios create.
pub(super) const FIRST_NAME: &str = "Simulated contact";
const OTHER_NAME: &str = "Renamed contact";

pub(super) fn plan_account(scenario: Scenario, stage: &Stage, steps: &mut Steps) {
    let is_disconnected = matches!(&stage.subject, Subject::Account(profile) if profile.disconnected_at.is_some());
    let disconnect = |_| SimulatedReport::account_disconnected();
    let reconnect = |_| SimulatedReport::account_reconnected();
    match scenario {
        Scenario::AccountDisconnected => {
            if is_disconnected {
                steps.add(EventName::ChatAccountConnected, reconnect);
            }
            steps.add(EventName::ChatAccountDisconnected, disconnect);
        }
        Scenario::AccountReconnected => {
            if !is_disconnected {
                steps.add(EventName::ChatAccountDisconnected, disconnect);
            }
            steps.add(EventName::ChatAccountConnected, reconnect);
        }
        Scenario::AccountRestricted => {
            steps.add(None, |at| SimulatedReport::account_restricted(at.plus(RESTRICTION)));
        }
        _ => {
            use ReviewOutcome::{Approved, Deferred, Pending, Rejected};
            let all: &[_] = &[Pending, Deferred, Rejected, Approved];
            let decisions = if scenario == Scenario::AccountReviewed { all } else { &[Rejected] };
            for decision in decisions {
                steps.add(None, |_| SimulatedReport::account_reviewed(*decision));
            }
        }
    }
}

/// Plans the steps about a template. Without one, a new template is created first. Returns the template's id.
pub(super) fn plan_template(scenario: Scenario, stage: &Stage, fresh: &Fresh, steps: &mut Steps) -> String {
    use EventName::{TemplatesChatConnected, TemplatesChatCreated, TemplatesChatDeleted, TemplatesChatUpdated};
    let known = match &stage.subject {
        Subject::Template(template) => Some(template),
        _ => None,
    };

    let template = known.map_or_else(
        || fresh.template(),
        |known| TemplateRef {
            id: known.id.clone(),
            name: known.name.clone(),
            language: known.language.clone(),
            category: known.category.clone(),
        },
    );

    let mut reported = |event: EventName, status: &str, reason: Option<&str>| {
        steps.add(event, |_| SimulatedReport::template_status(&template, status, reason));
    };
    if known.is_none() {
        reported(TemplatesChatCreated, "PENDING", None);
    }
    let has = |status: &str| known.is_some_and(|known| known.status == status);

    match scenario {
        Scenario::TemplateApproved => {
            if has("APPROVED") {
                reported(TemplatesChatUpdated, "PENDING", None);
            }
            reported(TemplatesChatConnected, "APPROVED", None);
        }
        Scenario::TemplateRejected => {
            if has("REJECTED") {
                reported(TemplatesChatUpdated, "PENDING", None);
            }
            reported(TemplatesChatUpdated, "REJECTED", Some("INVALID_FORMAT"));
        }
        Scenario::TemplatePaused => {
            if known.is_none() || has("PAUSED") {
                reported(TemplatesChatConnected, "APPROVED", None);
            }
            reported(TemplatesChatUpdated, "PAUSED", None);
        }
        Scenario::TemplateDeleted => reported(TemplatesChatDeleted, "DELETED", None),
        _ => {
            let is_marketing = template.category.as_deref() == Some("MARKETING");
            let category = if is_marketing { "UTILITY" } else { "MARKETING" };
            steps.add(TemplatesChatUpdated, |_| SimulatedReport::template_category(&template, category));
        }
    }

    template.id
}

/// Plans the steps about a contact. Without one, the business adds one first. Returns the contact's number.
pub(super) fn plan_contact(
    scenario: Scenario,
    stage: &Stage,
    fresh: &Fresh,
    steps: &mut Steps,
) -> Result<String, Failure> {
    let number = &stage.number;
    let (contact, name) = match &stage.subject {
        Subject::Contact { number, name } => (number, name.as_deref()),
        _ => {
            steps.add(EventName::ContactsChatCreated, |at| {
                SimulatedReport::contact_saved(number, &fresh.user, FIRST_NAME, at)
            });
            (&fresh.user, Some(FIRST_NAME))
        }
    };
    match scenario {
        Scenario::ContactRenamed => {
            let name = if name == Some(OTHER_NAME) { FIRST_NAME } else { OTHER_NAME };
            steps.add(EventName::ContactsChatUpdated, |at| SimulatedReport::contact_saved(number, contact, name, at));
        }
        Scenario::ContactRemoved => {
            steps.add(EventName::ContactsChatDeleted, |at| SimulatedReport::contact_removed(number, contact, at));
        }
        _ => {
            let content = SimulatedContent::NumberChange { from: contact.clone(), to: fresh.other.clone() };
            let report = written(&fresh.message_id(), contact, None, steps.next_at, &content, number)?;
            steps.add(EventName::ContactsChatUpdated, |_| report);
        }
    }
    Ok(contact.to_string())
}

/// Plans the steps about a group. Returns whether the fresh user takes part.
pub(super) fn plan_group(
    scenario: Scenario,
    number: &ChatPhoneNumber,
    group: &Group,
    fresh: &Fresh,
    steps: &mut Steps,
) -> bool {
    let member = group.participants().into_iter().next();
    let joins = |steps: &mut Steps| {
        steps.add(None, |at| SimulatedReport::group_member(number, group, fresh.user.as_str(), true, at));
    };

    match scenario {
        Scenario::GroupJoined => joins(steps),
        Scenario::GroupLeft => {
            if member.is_none() {
                joins(steps);
            }
            let who = member.as_deref().unwrap_or(fresh.user.as_str());
            steps.add(None, |at| SimulatedReport::group_member(number, group, who, false, at));
            return member.is_none();
        }
        _ => {
            if group.status == GroupStatus::Suspended {
                steps.add(None, |at| SimulatedReport::group_suspended(number, group, false, at));
            }
            steps.add(None, |at| SimulatedReport::group_suspended(number, group, true, at));
            return false;
        }
    }
    true
}

/// Plans the statuses of a message. Without one, the first status is that of a message that was sent elsewhere. Returns
/// the platform's id of the message.
pub(super) fn plan_message(scenario: Scenario, stage: &Stage, fresh: &Fresh, steps: &mut Steps) -> String {
    let fresh_id = fresh.message_id();
    let (platform_id, recipient, is_fresh) = match &stage.subject {
        Subject::Message { platform_id, recipient } => (platform_id.as_str(), recipient.as_str(), false),
        _ => (fresh_id.as_str(), fresh.user.digits(), true),
    };

    let mut reached = |event: EventName, status: &str, error: Option<i64>| {
        let report = |at| SimulatedReport::message_status(&stage.number, platform_id, recipient, status, error, at);
        steps.add(event, report);
    };
    if is_fresh {
        reached(EventName::MessagesChatSent, "sent", None);
    }
    if scenario != Scenario::MessageFailed {
        reached(EventName::MessagesChatDelivered, "delivered", None);
    }
    match scenario {
        Scenario::MessageRead => reached(EventName::MessagesChatRead, "read", None),
        Scenario::MessageFailed => reached(EventName::MessagesChatFailed, "failed", Some(UNDELIVERABLE)),
        _ => {}
    }

    platform_id.to_owned()
}

pub(super) fn text(body: &str) -> Result<SimulatedContent, Failure> {
    let content = Content::text(Text { body: body.to_owned(), preview_url: None })?;
    let shared = SharedContent { content, resolved: Resolved::default(), medium: None };
    Ok(SimulatedContent::Shared(Box::new(shared)))
}

/// Returns the report of a message that a user has written.
pub(super) fn written(
    platform_id: &str,
    from: &E164,
    profile_name: Option<&str>,
    sent_at: Timestamp,
    content: &SimulatedContent,
    number: &ChatPhoneNumber,
) -> Result<SimulatedReport, Failure> {
    let message = SimulatedMessage {
        platform_id,
        from,
        profile_name,
        sent_at,
        reply_to: None,
        is_forwarded: false,
        referral: None,
        content,
    };
    SimulatedReport::message(number, &message)
}
