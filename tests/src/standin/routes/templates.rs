//! Templates of an account.

use std::thread;

use serde_json::{Value, json};

use super::super::objects::{error, paged};
use super::super::{Seen, StandIn};
use super::{Body, Response, ok, refused, success};

impl StandIn {
    pub(super) fn template(&self, id: &str) -> Option<Value> {
        let state = self.state();
        let mut all = state.accounts.values().flat_map(|account| &account.templates);
        all.find(|known| known["id"] == id).cloned()
    }

    /// A page of the account's templates, or of those whose names contain a text, as the platform filters them.
    pub(super) fn templates(&self, account: &str, seen: &Seen) -> Response {
        let delay = self.state().page_delay;
        thread::sleep(delay);

        let state = self.state();
        let Some(account) = state.accounts.get(account) else { return refused(400, 100, "Unsupported get request.") };
        let Some(name) = seen.query.get("name") else { return ok(paged(seen, &account.templates)) };
        let has_name = |known: &&Value| known["name"].as_str().is_some_and(|known| known.contains(name));
        let found: Vec<Value> = account.templates.iter().filter(has_name).cloned().collect();
        ok(paged(seen, &found))
    }

    pub(super) fn create_template(&self, account: &str, seen: &Seen) -> Response {
        let (body, mut state) = (seen.json(), self.state());
        let id = format!("{}", 5_722_791_984_500_000_u64 + state.seen.len() as u64);
        let Some(account) = state.accounts.get_mut(account) else { return refused(400, 100, "Unsupported request.") };

        let is_same = |known: &Value| known["name"] == body["name"] && known["language"] == body["language"];
        if account.templates.iter().any(is_same) {
            let mut exists = error(100, "Invalid parameter");
            exists["error"]["error_subcode"] = json!(2_388_024);
            exists["error"]["error_user_msg"] = json!("There is already content in this language for this template.");
            return Response(400, Body::Json(exists));
        }

        let mut made = body.clone();
        made["id"] = json!(id);
        made["status"] = json!("PENDING");
        account.templates.push(made);
        ok(json!({"id": id, "status": "PENDING", "category": body["category"]}))
    }

    /// Changes a template, whose review begins again.
    pub(super) fn edit_template(&self, id: &str, seen: &Seen) -> Response {
        let mut state = self.state();
        let templates = state.accounts.values_mut().flat_map(|account| &mut account.templates);
        for template in templates.filter(|known| known["id"] == id) {
            for (name, value) in seen.json().as_object().unwrap() {
                template[name] = value.clone();
            }
            template["status"] = json!("PENDING");
        }
        success()
    }

    /// Deletes the templates with a name, or only the one that also has the id.
    pub(super) fn delete_templates(&self, account: &str, seen: &Seen) -> Response {
        let mut state = self.state();
        let Some(account) = state.accounts.get_mut(account) else { return refused(400, 100, "Unsupported request.") };
        let before = account.templates.len();

        let (name, id) = (seen.query.get("name"), seen.query.get("hsm_id"));
        account.templates.retain(|known| {
            Some(known["name"].as_str().unwrap_or_default()) != name.map(String::as_str)
                || id.is_some_and(|id| known["id"] != id.as_str())
        });
        if account.templates.len() == before { refused(400, 100, "Invalid parameter") } else { success() }
    }
}
