//! The reports of the simulated platform in each scenario, and their times. A plan depends only on the scenario and on
//! the state of its target, so the same request has the same effect.

use std::time::Duration;

use domain::events::event::EventName;
use domain::{Failure, Timestamp};
use inbound::{PlannedStep, SimulatedReport};

use super::Scenario;
use super::courses::{FIRST_NAME, plan_account, plan_contact, plan_group, plan_message, plan_template, text, written};
use super::stage::{Fresh, Stage, Steps, Subject};

/// The age of the only message of a user whose window is closed.
const WINDOW_CLOSED: Duration = Duration::from_secs(25 * 3600);

/// A plan, with the objects that it creates.
pub(crate) struct Plan {
    pub(crate) steps: Vec<PlannedStep>,
    /// The object that the scenario is about, as the API names it.
    pub(crate) target: String,
    /// Whether the fresh user takes part.
    pub(crate) has_user: bool,
    /// When the fresh user wrote to the number.
    pub(crate) user_wrote_at: Option<Timestamp>,
}

/// Returns the plan of a scenario that begins at `start`, which is a whole second.
pub(crate) fn plan(scenario: Scenario, stage: &Stage, fresh: &Fresh, start: Timestamp) -> Result<Plan, Failure> {
    let mut steps = Steps { next_at: start, steps: Vec::new() };
    let mut plan = Plan { steps: Vec::new(), target: String::new(), has_user: false, user_wrote_at: None };

    let number = &stage.number;
    plan.target = match scenario {
        Scenario::AccountReviewed
        | Scenario::AccountRejected
        | Scenario::AccountDisconnected
        | Scenario::AccountReconnected
        | Scenario::AccountRestricted => {
            plan_account(scenario, stage, &mut steps);
            number.business_profile.id.to_string()
        }
        Scenario::NumberQualityChanged => {
            let is_flagged = number.quality_event.as_deref() == Some("FLAGGED");
            steps.add(None, |_| SimulatedReport::number_flagged(number, !is_flagged));
            number.id.to_string()
        }
        Scenario::NumberNameDecided => {
            for is_approved in [false, true] {
                steps.add(None, |_| SimulatedReport::number_name_decided(number, is_approved));
            }
            number.id.to_string()
        }
        Scenario::TemplateApproved
        | Scenario::TemplateRejected
        | Scenario::TemplatePaused
        | Scenario::TemplateDeleted
        | Scenario::TemplateCategoryChanged => plan_template(scenario, stage, fresh, &mut steps),
        Scenario::ContactRenamed | Scenario::ContactRemoved | Scenario::ContactNumberChanged => {
            plan.has_user = matches!(stage.subject, Subject::Number);
            plan_contact(scenario, stage, fresh, &mut steps)?
        }
        Scenario::GroupJoined | Scenario::GroupLeft | Scenario::GroupSuspended => {
            let Subject::Group(group) = &stage.subject else { return Err(Failure::missing("target")) };
            plan.has_user = plan_group(scenario, number, group, fresh, &mut steps);
            group.id.to_string()
        }
        Scenario::MessageDelivered | Scenario::MessageRead | Scenario::MessageFailed => {
            plan.has_user = matches!(stage.subject, Subject::Number);
            plan_message(scenario, stage, fresh, &mut steps)
        }
        Scenario::WindowClosed => {
            let wrote_at = start.minus(WINDOW_CLOSED);
            let content = text("Hello")?;
            let message = written(&fresh.message_id(), &fresh.user, Some(FIRST_NAME), wrote_at, &content, number)?;
            steps.add(EventName::MessagesChatReceived, |_| message);
            (plan.has_user, plan.user_wrote_at) = (true, Some(wrote_at));
            fresh.user.to_string()
        }
    };

    plan.steps = steps.steps;
    Ok(plan)
}
