//! Users that a number blocks.

use serde_json::{Value, json};

use super::super::objects::{error, paged};
use super::super::{Seen, StandIn};
use super::{Body, Response, ok, refused};

impl StandIn {
    pub(super) fn blocked_users(&self, number: &str, seen: &Seen) -> Response {
        let blocked = self.state().blocked.get(number).cloned().unwrap_or_default();
        let user = |digits: &String| json!({"messaging_product": "whatsapp", "wa_id": digits});
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
            let input = user["user"].as_str().unwrap_or_default().to_owned();
            let digits = input.trim_start_matches('+').to_owned();
            if let Some(code) = state.unblockable.get(&digits) {
                let reason = json!({"message": "Rejected", "code": code, "error_data": {"details": "Details of it"}});
                failed.push(json!({"input": input, "wa_id": digits, "errors": [reason]}));
                continue;
            }
            done.push(json!({"input": input, "wa_id": digits}));
            let blocked = state.blocked.entry(number.to_owned()).or_default();
            if is_blocking {
                blocked.insert(digits);
            } else {
                blocked.remove(&digits);
            }
        }
        (done, failed)
    }
}
