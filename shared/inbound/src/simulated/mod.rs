//! The notifications of the simulated platform. They have the platform's own format and are split and applied like live
//! ones. Only their route differs: they belong to the test number for which they were created, and no claim is read.

mod bounds;
mod content;
mod message;
mod replay;
mod report;
mod review;
mod shared;
mod simulation;
mod statuses;

use domain::chat::ChatPhoneNumber;
use domain::id::OrganizationId;
use domain::{Failure, Timestamp};
use platform::fields::ACCOUNT_FIELDS;
use serde_json::{Value, json};

use crate::notification::{Split, Update, split};
use crate::route::{Route, Routed};

pub(crate) use bounds::exceeds_bounds;
pub use content::{OrderedItem, SharedContent, SimulatedContent, SimulatedReply};
pub use message::{SimulatedMessage, SimulatedReferral};
pub use replay::{MOST_UPDATES, Replay, Replayed};
pub use report::{SimulatedReport, TemplateRef};
pub use review::simulated_review;
pub use shared::shared_by_simulator;
pub use simulation::PlannedStep;
pub use statuses::SimulatedSend;

/// Returns a notification about a number, as the platform posts it.
fn notification(number: &ChatPhoneNumber, at: Timestamp, lists: Value) -> Value {
    let mut value = json!({
        "messaging_product": "whatsapp",
        "metadata": {
            "display_phone_number": number.display_phone_number.digits(),
            "phone_number_id": number.provider_phone_number_id,
        },
    });
    if let (Some(value), Value::Object(lists)) = (value.as_object_mut(), lists) {
        value.extend(lists);
    }
    json!({
        "object": "whatsapp_business_account",
        "entry": [{
            "id": number.provider_business_account_id,
            "time": at.seconds(),
            "changes": [{"field": "messages", "value": value}],
        }],
    })
}

/// Splits a notification of the simulated platform into updates of its number.
fn updates(
    organization: &OrganizationId,
    number: &ChatPhoneNumber,
    notification: &Value,
) -> Result<Vec<Routed>, Failure> {
    let Split { updates, .. } = split(notification.to_string().as_bytes()).map_err(Failure::internal)?;
    Ok(updates.into_iter().map(|update| routed_to(organization, number, update)).collect())
}

/// Routes an update to a test number, independently of the account and number that it names.
fn routed_to(organization: &OrganizationId, number: &ChatPhoneNumber, update: Update) -> Routed {
    let is_of_account = ACCOUNT_FIELDS.contains(&update.field.as_str());
    let route = Route {
        organization_id: organization.clone(),
        profile_id: number.business_profile.id.clone(),
        number_id: (!is_of_account).then(|| number.id.clone()),
    };
    let account = number.provider_business_account_id.clone();
    let provider_number = (!is_of_account).then(|| number.provider_phone_number_id.clone());
    Routed { route, update: Update { account, number: provider_number, ..update } }
}
