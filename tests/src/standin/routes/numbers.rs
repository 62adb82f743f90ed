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

    /// A number of any account, with the fields that the test has set.
    pub(super) fn listed_number(&self, id: &str) -> Option<Value> {
        let listed = {
            let state = self.state();
            let mut all = state.accounts.values().flat_map(|account| &account.numbers);
            all.find(|listed| listed["id"] == id).cloned()
        };
        Some(self.altered(id, listed?))
    }

    /// Registers a number. One that has a two-step PIN is registered with that one only.
    pub(super) fn register(&self, number: &str, seen: &Seen) -> Response {
        let pin = seen.json()["pin"].as_str().unwrap_or_default().to_owned();
        let known = self.state().pins.get(number).cloned();
        if known.is_some_and(|known| known != pin) {
            return refused(400, 133_005, "Two step verification PIN Mismatch");
        }
        self.state().registered.insert(number.to_owned(), pin);
        self.set(number, &[("status", "CONNECTED"), ("platform_type", "CLOUD_API")]);
        success()
    }

    pub(super) fn deregister(&self, number: &str) -> Response {
        self.set(number, &[("status", "DISCONNECTED")]);
        success()
    }

    pub(super) fn change_pin(&self, number: &str, seen: &Seen) -> Response {
        let Some(pin) = seen.json()["pin"].as_str().map(str::to_owned) else { return refused(400, 100, "no pin") };
        self.state().pins.insert(number.to_owned(), pin);
        success()
    }

    /// Sends a code to a number. It is always the same one.
    pub(super) fn request_code(&self, number: &str, seen: &Seen) -> Response {
        let body = seen.json();
        let is_complete =
            ["SMS", "VOICE"].iter().any(|method| body["code_method"] == *method) && body["language"].is_string();
        if !is_complete {
            return refused(400, 100, "Invalid parameter");
        }
        self.state().codes.insert(number.to_owned(), "123830".to_owned());
        success()
    }

    /// Verifies a number with the code that was sent to it, which can be used once.
    pub(super) fn verify_code(&self, number: &str, seen: &Seen) -> Response {
        let code = self.state().codes.get(number).cloned();
        if code.is_none_or(|code| seen.json()["code"] != code) {
            return refused(400, 136_025, "Verify code error");
        }
        self.state().codes.remove(number);
        self.set(number, &[("code_verification_status", "VERIFIED")]);
        success()
    }

    /// Sets fields of a number.
    fn set(&self, id: &str, fields: &[(&str, &str)]) {
        let mut state = self.state();
        let numbers = state.accounts.values_mut().flat_map(|account| &mut account.numbers);
        for number in numbers.filter(|listed| listed["id"] == id) {
            for (name, value) in fields {
                number[*name] = json!(value);
            }
        }
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
