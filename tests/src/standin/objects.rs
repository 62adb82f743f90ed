//! Objects in the platform's format.

use platform::fields::subscribed_fields;
use serde_json::{Value, json};

use super::{APP_ID, Seen, api_version};

/// A phone number in the platform's format.
pub fn number(id: &str, display: &str) -> Value {
    json!({
        "id": id, "display_phone_number": display, "verified_name": "Acme", "quality_rating": "GREEN",
        "code_verification_status": "VERIFIED", "platform_type": "NOT_APPLICABLE", "status": "PENDING",
        "throughput": {"level": "STANDARD"}, "name_status": "AVAILABLE_WITHOUT_REVIEW", "is_on_biz_app": false,
        "whatsapp_business_manager_messaging_limit": "TIER_2K",
    })
}

/// An approved template in the platform's format.
pub fn template(id: &str, name: &str) -> Value {
    json!({
        "id": id, "name": name, "language": "en_US", "category": "UTILITY", "status": "APPROVED",
        "components": [{"type": "BODY", "text": "Hello {{1}}", "example": {"body_text": [["Ann"]]}}],
        "parameter_format": "POSITIONAL", "quality_score": {"score": "GREEN", "date": 1}, "rejected_reason": "NONE",
    })
}

/// An error in the platform's format.
pub fn error(code: i64, message: &str) -> Value {
    json!({"error": {"message": message, "type": "OAuthException", "code": code, "fbtrace_id": "AbCdEf"}})
}

/// Returns the page of a list that the request asks for.
pub(super) fn paged(seen: &Seen, all: &[Value]) -> Value {
    let number =
        |name: &str, default: usize| seen.query.get(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (start, limit) = (number("after", 0), number("limit", 25));
    let end = (start + limit).min(all.len());
    let cursors = json!({"before": start.to_string(), "after": end.to_string()});

    let mut page = json!({"data": all[start.min(end)..end], "paging": {"cursors": cursors}});
    if end < all.len() {
        page["paging"]["next"] = json!("https://elsewhere.example/never-followed");
    }
    page
}

/// What the platform says of a valid token.
pub(super) fn token_state(token: &str) -> Value {
    let account = token.strip_prefix("token-").unwrap_or_default();
    json!({
        "app_id": APP_ID, "type": "SYSTEM_USER", "is_valid": true, "expires_at": 0, "issued_at": 1_690_000_000,
        "data_access_expires_at": 0, "scopes": ["whatsapp_business_management", "whatsapp_business_messaging"],
        "granular_scopes": [{"scope": "whatsapp_business_management", "target_ids": [account]},
            {"scope": "whatsapp_business_messaging", "target_ids": [account]}],
    })
}

/// What the platform says of an approved account.
pub(super) fn account_state(account: &str) -> Value {
    let entity = |kind: &str, id: &str| json!({"entity_type": kind, "id": id, "can_send_message": "AVAILABLE"});
    let entities = [entity("WABA", account), entity("BUSINESS", "250"), entity("APP", APP_ID)];
    json!({
        "id": account, "account_review_status": "APPROVED",
        "health_status": {"can_send_message": "AVAILABLE", "entities": entities},
    })
}

/// The app's subscription as the guide asks for it, with the callback URL of the functions under test.
pub(super) fn app_subscription() -> Value {
    let fields: Vec<Value> =
        subscribed_fields().map(|field| json!({"name": field, "version": api_version()})).collect();
    let callback = "https://api.example.com/v1/platform/notifications";
    json!({"object": "whatsapp_business_account", "callback_url": callback, "active": true, "fields": fields})
}

/// The health of a number whose account cannot send.
pub(super) fn health(node: &str) -> Value {
    json!({"health_status": {"can_send_message": "BLOCKED", "entities": [
        {"entity_type": "PHONE_NUMBER", "id": node, "can_send_message": "AVAILABLE", "can_receive_call_sip": "AVAILABLE"},
        {"entity_type": "WABA", "id": "102", "can_send_message": "BLOCKED", "errors": [
            {"error_code": 141_006, "error_description": "No payment method", "possible_solution": "Add a payment method"}]},
        {"entity_type": "BUSINESS", "id": "250", "can_send_message": "LIMITED", "additional_info": ["Verify the business"]},
        {"entity_type": "APP", "id": APP_ID, "can_send_message": "AVAILABLE"},
        {"entity_type": "NOVELTY", "id": "1", "can_send_message": "BLOCKED"},
    ]}, "id": node})
}
