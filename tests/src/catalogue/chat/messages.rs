//! Messages of a simulated number, its business profile and the users that it blocks.

use serde_json::json;

use super::super::Case;
use super::super::Policy::{Admin, AppInTestMode, Member};

const LOG: &str = "/v1/organization/chat/messages";
const LOGGED: &str = "/v1/organization/chat/messages/{messageId}";
const MESSAGES: &str = "/v1/chat/messages";
const MESSAGE: &str = "/v1/chat/messages/{messageId}";
const TIMELINE: &str = "/v1/chat/messages/{messageId}/timeline";
const LOGGED_TIMELINE: &str = "/v1/organization/chat/messages/{messageId}/timeline";
const READ: &str = "/v1/chat/messages/read";
const TYPING: &str = "/v1/chat/messages/typing";
const TEMPLATES: &str = "/v1/chat/templates";
const PROFILE: &str = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/business-profile";
const BLOCKED: &str = "/v1/chat/phone-numbers/{chatPhoneNumberId}/blocked-users";

/// Cases for a number and a message that it has received.
pub(super) fn cases(number: &str, message: &str) -> Vec<Case> {
    let of_number = format!("chatPhoneNumberId={number}");
    let outgoing = json!({"from": number, "to": "+12015550100", "type": "text", "text": {"body": "Hello"}});
    let received = json!({"messageId": message});
    let about = json!({"about": "Open from 9 to 5", "websites": ["https://example.com"]});
    let users = json!({"users": ["+12015550100"]});

    vec![
        Case::get(Member, LOG, &[]).query(&of_number).naming_an_object(),
        Case::get(Admin, LOGGED, &[message]),
        Case::get(Admin, LOGGED_TIMELINE, &[message]),
        Case::get(AppInTestMode, MESSAGES, &[]).query(&of_number).naming_an_object(),
        Case::get(AppInTestMode, MESSAGE, &[message]),
        Case::get(AppInTestMode, TIMELINE, &[message]),
        Case::get(AppInTestMode, TEMPLATES, &[]).query(&of_number).naming_an_object(),
        Case::post(AppInTestMode, MESSAGES, &[]).json(&outgoing).created().naming_an_object(),
        Case::post(AppInTestMode, READ, &[]).json(&received).naming_an_object(),
        Case::post(AppInTestMode, TYPING, &[]).json(&received).naming_an_object(),
        Case::get(Member, PROFILE, &[number]),
        Case::patch(Admin, PROFILE, &[number]).json(&about),
        Case::get(AppInTestMode, BLOCKED, &[number]),
        Case::post(AppInTestMode, BLOCKED, &[number]).json(&users),
        Case::delete(AppInTestMode, BLOCKED, &[number]).json(&users),
    ]
}
