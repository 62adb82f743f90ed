//! What the simulated platform sends of a business app: two contacts, and a short history with each.

use std::time::Duration;

use domain::chat::{AppData, ChatPhoneNumber};
use domain::id::OrganizationId;
use domain::{Failure, Timestamp};
use platform::fields::HISTORY_FIELD;
use serde_json::{Value, json};

use super::routed_to;
use crate::notification::{Split, split};

/// The contacts: names and digits, from the range that is reserved for drama.
const CONTACTS: [(&str, &str); 2] = [("Ada Lovelace", "447700900998"), ("Grace Hopper", "447700900999")];
const HOUR: Duration = Duration::from_secs(3600);

/// Returns the updates in which the simulated platform sends the contacts or the history of a number, as they are queued.
pub fn shared_by_simulator(
    organization: &OrganizationId,
    number: &ChatPhoneNumber,
    data: AppData,
    now: Timestamp,
) -> Result<Vec<(OrganizationId, String)>, Failure> {
    let (field, lists) = match data {
        AppData::Contacts => {
            ("smb_app_state_sync", json!({"state_sync": CONTACTS.map(|(name, digits)| synced(name, digits, now))}))
        }
        AppData::History => (HISTORY_FIELD, json!({"history": [history(number, now)]})),
    };
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
    let notification = json!({
        "object": "whatsapp_business_account",
        "entry": [{
            "id": number.provider_business_account_id,
            "time": now.seconds(),
            "changes": [{"field": field, "value": value}],
        }],
    });
    let Split { updates, .. } = split(notification.to_string().as_bytes()).map_err(Failure::internal)?;
    let text = |update| {
        let text = serde_json::to_string(&routed_to(organization, number, update)).map_err(Failure::internal)?;
        Ok((organization.clone(), text))
    };
    updates.into_iter().map(text).collect()
}

fn synced(name: &str, digits: &str, now: Timestamp) -> Value {
    json!({
        "type": "contact",
        "contact": {"full_name": name, "first_name": name.split(' ').next(), "phone_number": digits},
        "action": "add",
        "metadata": {"timestamp": now.seconds().to_string()},
    })
}

/// A question, its reply, and a picture that the platform does not share.
fn history(number: &ChatPhoneNumber, now: Timestamp) -> Value {
    let own = number.display_phone_number.digits();
    let threads: Vec<Value> =
        CONTACTS.iter().map(|(_, digits)| json!({"id": digits, "messages": chat(own, digits, now)})).collect();
    json!({"metadata": {"phase": 2, "chunk_order": 1, "progress": 100}, "threads": threads})
}

fn chat(own: &str, user: &str, now: Timestamp) -> [Value; 3] {
    let at = |hours: u32| now.minus(HOUR * hours).seconds().to_string();
    let id = |n: u32| format!("wamid.history.{own}.{user}.{n}");
    [
        json!({"from": user, "id": id(1), "timestamp": at(50), "type": "text", "text": {"body": "Are you open on Sunday?"},
            "history_context": {"status": "READ"}}),
        json!({"from": own, "to": user, "id": id(2), "timestamp": at(49), "type": "text",
            "text": {"body": "Yes, from 10 to 4."}, "history_context": {"status": "READ"}}),
        json!({"from": user, "id": id(3), "timestamp": at(48), "type": "media_placeholder",
            "history_context": {"status": "READ"}}),
    ]
}
