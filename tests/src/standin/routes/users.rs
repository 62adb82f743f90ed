//! Users that a number blocks.

use serde_json::{Value, json};

use super::super::objects::{error, paged};
use super::super::{Seen, StandIn};
use super::{Body, Response, ok, refused};

impl StandIn {
    pub(super) fn blocked_users(&self, number: &str, seen: &Seen) -> Response {
        let blocked = self.state().blocked.get(number).cloned().unwrap_or_default();
        let user = |name: &String| json!({"messaging_product": "whatsapp", kind(name): name});
        ok(paged(seen, &blocked.iter().map(user).collect::<Vec<_>>()))
    }

    /// Blocks or unblocks users. If some fail, the response has an error status, and both the outcomes and an error.
    pub(super) fn change_blocked_users(&self, number: &str, seen: &Seen) -> Response {
        let body = seen.json();
        let Some(users) = body["block_users"].as_array().filter(|_| body["messaging_product"] == "whatsapp") else {
            return refused(400, 100, "Invalid parameter");
        };

        let is_blocking = seen.method == "POST";
        let (done, failed) = self.block(number, users, is_blocking);

        let list = if is_blocking { "added_users" } else { "removed_users" };
        if failed.is_empty() {
            return ok(json!({"messaging_product": "whatsapp", "block_users": {list: done}}));
        }
        let mut response = error(139_100, "(#139100) Failed to block/unblock users");
        response["messaging_product"] = json!("whatsapp");
        response["block_users"] = json!({list: done, "failed_users": failed});
        Response(400, Body::Json(response))
    }

    /// Blocks or unblocks users. Returns the outcomes of those that succeed and of those that fail.
    fn block(&self, number: &str, users: &[Value], is_blocking: bool) -> (Vec<Value>, Vec<Value>) {
        let mut state = self.state();
        let (mut done, mut failed) = (Vec::new(), Vec::new());
        for user in users {
            // Each user is named by number or by user id, and not by both.
            let input = match (user["user"].as_str(), user["user_id"].as_str()) {
                (Some(number), None) => number.to_owned(),
                (None, Some(id)) => id.to_owned(),
                _ => String::new(),
            };
            let name = input.trim_start_matches('+').to_owned();
            let code = if input.is_empty() { Some(&100) } else { state.unblockable.get(&name) };
            if let Some(code) = code {
                let reason = json!({"message": "Rejected", "code": code, "error_data": {"details": "Details of it"}});
                failed.push(json!({"input": input, kind(&name): name, "errors": [reason]}));
                continue;
            }
            done.push(json!({"input": input, kind(&name): name}));
            let blocked = state.blocked.entry(number.to_owned()).or_default();
            if is_blocking {
                blocked.insert(name);
            } else {
                blocked.remove(&name);
            }
        }
        (done, failed)
    }
}

/// The field in which the platform names a user: the digits of a number, or a user id.
fn kind(name: &str) -> &'static str {
    if name.contains('.') { "user_id" } else { "wa_id" }
}
