//! Templates of a simulated account.

use serde_json::json;

use super::super::Case;
use super::super::Policy::{Admin, Member};

pub(super) const SYNC: &str = "/v1/organization/chat/templates/sync";
const TEMPLATES: &str = "/v1/organization/chat/templates";
const TEMPLATE: &str = "/v1/organization/chat/templates/{templateId}";

/// Cases for a profile, and for the templates that the sync of another account has brought.
pub(super) fn cases(profile: &str, synced: &str) -> Vec<Case> {
    let sync = json!({"chatBusinessProfileId": profile});
    let components = json!([{"type": "BODY", "text": "Hello, your order is on its way."}]);
    let new = json!({
        "chatBusinessProfileId": profile, "name": "order_shipped", "language": "en_US", "category": "UTILITY",
        "components": components,
    });
    let template = |number: u32| format!("{synced}{number:05}");

    vec![
        Case::post(Admin, SYNC, &[]).json(&sync).naming_an_object(),
        Case::get(Member, TEMPLATES, &[]).query(&format!("chatBusinessProfileId={profile}")).naming_an_object(),
        Case::post(Admin, TEMPLATES, &[]).json(&new).created().naming_an_object(),
        Case::get(Member, TEMPLATE, &[&template(2)]),
        Case::patch(Admin, TEMPLATE, &[&template(1)]).json(&json!({"components": components})),
        Case::delete(Admin, TEMPLATE, &[&template(3)]),
    ]
}
