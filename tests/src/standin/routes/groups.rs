//! Groups, whose changes the platform confirms later in notifications.

use serde_json::{Value, json};

use super::super::objects::paged;
use super::super::{Seen, StandIn};
use super::{Body, Response, ok, refused};

impl StandIn {
    pub(super) fn create_group(&self) -> Response {
        let mut state = self.state();
        state.groups += 1;
        ok(json!({"messaging_product": "whatsapp", "request_id": format!("request-{}", state.groups)}))
    }

    /// A link with the number of links that were requested.
    pub(super) fn invite_link(&self, group: &str) -> Response {
        let link = format!("https://chat.whatsapp.com/{}", self.seen(&format!("{group}/invite_link")).len());
        ok(json!({"messaging_product": "whatsapp", "invite_link": link}))
    }

    pub(super) fn join_requests(&self, group: &str, seen: &Seen) -> Response {
        ok(paged(seen, self.state().join_requests.get(group).map_or(&[], Vec::as_slice)))
    }

    /// Approves or rejects requests to join a group. If some are unknown, the status is 206.
    pub(super) fn decide_join_requests(&self, group: &str, seen: &Seen) -> Response {
        let body = seen.json();
        let Some(ids) = body["join_requests"].as_array() else { return refused(400, 100, "Invalid parameter") };
        let mut state = self.state();
        let open = state.join_requests.entry(group.to_owned()).or_default();
        let (done, unknown): (Vec<&Value>, Vec<&Value>) =
            ids.iter().partition(|id| open.iter().any(|request| request["join_request_id"] == **id));
        open.retain(|request| !ids.contains(&request["join_request_id"]));

        let reason = json!({"code": 131_213, "message": "No such join request"});
        let failed: Vec<Value> = unknown.iter().map(|id| json!({"join_request_id": id, "errors": [reason]})).collect();
        let list = if seen.method == "POST" { "approved_join_requests" } else { "rejected_join_requests" };
        let status = if failed.is_empty() { 200 } else { 206 };
        let response =
            json!({"messaging_product": "whatsapp", list: done, "failed_join_requests": failed, "errors": []});
        Response(status, Body::Json(response))
    }
}

/// Renames or deletes a group.
pub(super) fn change() -> Response {
    ok(json!({"messaging_product": "whatsapp", "request_id": "request-of-a-change"}))
}

/// Adds or removes participants. Each is named by number or by user id, and not by both.
pub(super) fn change_participants(seen: &Seen) -> Response {
    let body = seen.json();
    let named = |user: &Value| user["user"].is_string() != user["user_id"].is_string();
    let is_named = body["participants"].as_array().is_some_and(|list| !list.is_empty() && list.iter().all(named));
    if is_named { ok(json!({"messaging_product": "whatsapp"})) } else { refused(400, 131_009, "no participants") }
}
