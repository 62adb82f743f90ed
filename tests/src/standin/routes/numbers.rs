//! Numbers of an account, what they send and their profiles.

use serde_json::{Value, json};

use super::super::objects::paged;
use super::super::{Seen, StandIn};
use super::{Response, ok, refused, success};

impl StandIn {
    pub(super) fn phone_numbers(&self, account: &str, seen: &Seen) -> Response {
        let numbers = self.state().accounts.get(account).map(|account| account.numbers.clone());
        let Some(numbers) = numbers else { return refused(400, 100, "Unsupported get request.") };
        let altered = |number: Value| {
            let id = number["id"].as_str().unwrap_or_default().to_owned();
            self.altered(&id, number)
        };
        ok(paged(seen, &numbers.into_iter().map(altered).collect::<Vec<_>>()))
    }

    pub(super) fn register(&self, number: &str, seen: &Seen) -> Response {
        let pin = seen.json()["pin"].as_str().unwrap_or_default().to_owned();
        let mut state = self.state();
        state.registered.insert(number.to_owned(), pin);
        let numbers = state.accounts.values_mut().flat_map(|account| &mut account.numbers);
        for number in numbers.filter(|listed| listed["id"] == number) {
            number["status"] = json!("CONNECTED");
            number["platform_type"] = json!("CLOUD_API");
        }
        success()
    }

    /// Sends a message, or marks one as read.
    pub(super) fn messages(&self, seen: &Seen) -> Response {
        if seen.json()["status"] == "read" {
            return success();
        }
        let mut state = self.state();
        state.sent += 1;
        let id = format!("wamid.sent.{}", state.sent);
        ok(json!({"messaging_product": "whatsapp", "contacts": [], "messages": [{"id": id}]}))
    }

    /// The fields of the profile that the request asks for and that are set.
    pub(super) fn profile(&self, number: &str, seen: &Seen) -> Response {
        let fields = seen.query.get("fields").cloned().unwrap_or_default();
        let profile = self.state().profiles.get(number).cloned().unwrap_or_else(|| json!({}));
        let mut shown = json!({"messaging_product": "whatsapp"});
        for field in fields.split(',').filter(|field| !profile[field].is_null()) {
            shown[field] = profile[field].clone();
        }
        ok(json!({"data": [shown]}))
    }

    pub(super) fn change_profile(&self, number: &str, seen: &Seen) -> Response {
        let mut state = self.state();
        let profile = state.profiles.entry(number.to_owned()).or_insert_with(|| json!({}));
        for (name, value) in seen.json().as_object().unwrap() {
            profile[name] = value.clone();
        }
        success()
    }
}
