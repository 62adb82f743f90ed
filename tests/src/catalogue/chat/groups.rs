//! Groups of a simulated number.

use serde_json::json;

use super::super::Case;
use super::super::Policy::AppInTestMode;
use crate::request::{Call, text};
use crate::world::Service;

const GROUPS: &str = "/v1/chat/groups";
const GROUP: &str = "/v1/chat/groups/{groupId}";
const INVITE_LINK: &str = "/v1/chat/groups/{groupId}/invite-link";
const JOIN_REQUESTS: &str = "/v1/chat/groups/{groupId}/join-requests";
const APPROVE: &str = "/v1/chat/groups/{groupId}/join-requests/approve";
const REJECT: &str = "/v1/chat/groups/{groupId}/join-requests/reject";
const PARTICIPANTS: &str = "/v1/chat/groups/{groupId}/participants";

pub(super) async fn cases(service: &impl Service, number: &str) -> Vec<Case> {
    let key = &service.org().test_app_key;
    let new = json!({"chatPhoneNumberId": number, "subject": "Friends", "joinApprovalMode": "approval_required"});
    let create = Call::post(GROUPS).key(key).json(&new);
    let group = text(&service.send(create.clone()).await.expect(201), "id");
    let doomed = text(&service.send(create).await.expect(201), "id");
    let open = service.send(Call::get(format!("{GROUPS}/{group}/join-requests")).key(key)).await.expect(200);
    let request = |at: usize| json!({"joinRequestIds": [open["data"][at]["id"]]});
    let (added, removed) = (json!({"participants": ["+12015550102"]}), json!({"participants": ["+12015550100"]}));

    vec![
        Case::post(AppInTestMode, GROUPS, &[]).json(&new).created().naming_an_object(),
        Case::get(AppInTestMode, GROUPS, &[]).query(&format!("chatPhoneNumberId={number}")).naming_an_object(),
        Case::get(AppInTestMode, GROUP, &[&group]),
        Case::patch(AppInTestMode, GROUP, &[&group]).json(&json!({"subject": "Foes"})),
        Case::delete(AppInTestMode, GROUP, &[&doomed]),
        Case::post(AppInTestMode, INVITE_LINK, &[&group]),
        Case::get(AppInTestMode, JOIN_REQUESTS, &[&group]),
        Case::post(AppInTestMode, APPROVE, &[&group]).json(&request(0)),
        Case::post(AppInTestMode, REJECT, &[&group]).json(&request(1)),
        Case::post(AppInTestMode, PARTICIPANTS, &[&group]).json(&added),
        Case::delete(AppInTestMode, PARTICIPANTS, &[&group]).json(&removed),
    ]
}
