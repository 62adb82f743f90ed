//! The reports of the simulated platform in scenarios: the fields of its webhooks and their values, in the real
//! platform's format.

use domain::chat::platform_words::{explanation, title};
use domain::chat::{ChatPhoneNumber, Group, ReviewOutcome};
use domain::{E164, Failure, Timestamp};
use serde_json::{Map, Value, json};

use super::SimulatedMessage;

/// A change that the simulated platform reports: the field of the webhook, and its value.
pub struct SimulatedReport {
    pub(super) field: &'static str,
    pub(super) value: Map<String, Value>,
}

/// A template as the platform's notifications name it.
#[derive(Clone, Debug)]
pub struct TemplateRef {
    pub id: String,
    pub name: Option<String>,
    pub language: Option<String>,
    pub category: Option<String>,
}

impl TemplateRef {
    fn value(&self) -> Value {
        // The platform's ids of templates are numbers.
        let id = self.id.parse::<u64>().map_or_else(|_| json!(self.id), |id| json!(id));
        json!({
            "message_template_id": id,
            "message_template_name": self.name,
            "message_template_language": self.language,
        })
    }
}

impl SimulatedReport {
    fn new(field: &'static str, value: Value) -> Self {
        let value = match value {
            Value::Object(value) => value,
            _ => Map::new(),
        };
        SimulatedReport { field, value }
    }

    /// Returns the report with one element in a list of a number's value.
    fn of_number(field: &'static str, number: &ChatPhoneNumber, list: &str, element: &Value) -> Self {
        let mut value = json!({
            "messaging_product": "whatsapp",
            "metadata": {
                "display_phone_number": number.display_phone_number.digits(),
                "phone_number_id": number.provider_phone_number_id,
            },
        });
        value[list] = json!([element]);
        Self::new(field, value)
    }

    /// The account was removed from this installation.
    pub fn account_disconnected() -> Self {
        Self::new("account_update", json!({"event": "PARTNER_REMOVED"}))
    }

    pub fn account_reconnected() -> Self {
        Self::new("account_update", json!({"event": "ACCOUNT_RECONNECTED"}))
    }

    /// The account cannot begin conversations until this time.
    pub fn account_restricted(until: Timestamp) -> Self {
        let restriction =
            json!({"restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING", "expiration": until.seconds()});
        Self::new("account_update", json!({"event": "ACCOUNT_RESTRICTION", "restriction_info": [restriction]}))
    }

    pub fn account_reviewed(decision: ReviewOutcome) -> Self {
        Self::new("account_review_update", json!({"decision": decision.as_str()}))
    }

    /// The quality of the number was flagged, or is good again.
    pub fn number_flagged(number: &ChatPhoneNumber, is_flagged: bool) -> Self {
        let event = if is_flagged { "FLAGGED" } else { "UNFLAGGED" };
        let digits = number.display_phone_number.digits();
        let value = json!({"display_phone_number": digits, "event": event, "current_limit": "TIER_1K"});
        Self::new("phone_number_quality_update", value)
    }

    /// The platform has decided on the name of the number.
    pub fn number_name_decided(number: &ChatPhoneNumber, is_approved: bool) -> Self {
        let (decision, reason) = if is_approved { ("APPROVED", "NONE") } else { ("REJECTED", "NAME_NOT_CONSISTENT") };
        let value = json!({
            "display_phone_number": number.display_phone_number.digits(),
            "decision": decision,
            "requested_verified_name": "Simulated business",
            "rejection_reason": reason,
        });
        Self::new("phone_number_name_update", value)
    }

    /// The template has this status, or was deleted.
    pub fn template_status(template: &TemplateRef, event: &str, reason: Option<&str>) -> Self {
        let mut value = template.value();
        value["event"] = json!(event);
        value["reason"] = json!(reason.unwrap_or("NONE"));
        if let Some(category) = &template.category {
            value["message_template_category"] = json!(category);
        }
        Self::new("message_template_status_update", value)
    }

    pub fn template_category(template: &TemplateRef, category: &str) -> Self {
        let mut value = template.value();
        value["previous_category"] = json!(template.category);
        value["new_category"] = json!(category);
        Self::new("template_category_update", value)
    }

    /// The business has added a contact in its app, or given it this name.
    pub fn contact_saved(number: &ChatPhoneNumber, contact: &E164, name: &str, at: Timestamp) -> Self {
        let person = json!({"full_name": name, "first_name": name, "phone_number": contact.digits()});
        Self::contact(number, &person, "add", at)
    }

    /// The business has removed a contact in its app.
    pub fn contact_removed(number: &ChatPhoneNumber, contact: &E164, at: Timestamp) -> Self {
        Self::contact(number, &json!({"phone_number": contact.digits()}), "remove", at)
    }

    fn contact(number: &ChatPhoneNumber, person: &Value, action: &str, at: Timestamp) -> Self {
        let time = at.seconds().to_string();
        let entry = json!({"type": "contact", "contact": person, "action": action, "metadata": {"timestamp": time}});
        Self::of_number("smb_app_state_sync", number, "state_sync", &entry)
    }

    /// A person has joined or left the group.
    pub fn group_member(number: &ChatPhoneNumber, group: &Group, member: &str, is_in: bool, at: Timestamp) -> Self {
        let (kind, list) = match is_in {
            true => ("group_participants_add", "added_participants"),
            false => ("group_participants_remove", "removed_participants"),
        };
        // A member without a number is named by the platform's id of the user.
        let person = match member.strip_prefix('+') {
            Some(digits) => json!({"wa_id": digits}),
            None => json!({"user_id": member}),
        };
        let mut update = Self::group(group, kind, at);
        update[list] = json!([person]);
        Self::of_number("group_participants_update", number, "groups", &update)
    }

    /// The group was suspended, or may be used again.
    pub fn group_suspended(number: &ChatPhoneNumber, group: &Group, is_suspended: bool, at: Timestamp) -> Self {
        let kind = if is_suspended { "group_suspend" } else { "group_suspend_cleared" };
        Self::of_number("group_status_update", number, "groups", &Self::group(group, kind, at))
    }

    fn group(group: &Group, kind: &str, at: Timestamp) -> Value {
        json!({"type": kind, "group_id": group.provider_group_id, "timestamp": at.seconds().to_string()})
    }

    /// A sent message has this status; `failed` with the platform's code.
    pub fn message_status(
        number: &ChatPhoneNumber,
        platform_id: &str,
        recipient: &str,
        status: &str,
        error: Option<i64>,
        at: Timestamp,
    ) -> Self {
        let mut report = json!({
            "id": platform_id,
            "status": status,
            "timestamp": at.seconds().to_string(),
            "recipient_id": recipient,
        });
        if let Some(code) = error {
            let (title, details) = (title(code), explanation(code));
            report["errors"] =
                json!([{"code": code, "title": title, "message": title, "error_data": {"details": details}}]);
        }
        Self::of_number("messages", number, "statuses", &report)
    }

    /// A user has written.
    pub fn message(number: &ChatPhoneNumber, message: &SimulatedMessage<'_>) -> Result<Self, Failure> {
        let mut notification = message.notification(number)?;
        let value = notification.pointer_mut("/entry/0/changes/0/value").map(Value::take);
        let value = value.ok_or_else(|| Failure::internal("a notification has no value"))?;
        Ok(Self::new("messages", value))
    }
}
