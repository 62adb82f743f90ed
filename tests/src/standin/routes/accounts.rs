//! Tokens, accounts and their subscriptions.

use domain::identity::credential::hex;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::super::objects::{account_state, app_subscription, paged, token_state};
use super::super::{APP_ID, Seen, StandIn, api_version};
use super::{Response, ok, refused, success};

impl StandIn {
    /// Exchanges a code of the form `code.<account>`, which can be used once.
    pub(super) fn exchange(&self, seen: &Seen) -> Response {
        let code = seen.query.get("code").cloned().unwrap_or_default();
        let knows_secret = seen.query.get("client_secret").is_some_and(|secret| *secret == self.app_secret);
        let Some(account) = code.strip_prefix("code.").filter(|_| knows_secret) else {
            return refused(400, 100, "Invalid verification code format.");
        };
        if !self.state().spent_codes.insert(code.clone()) {
            return refused(400, 100, "This authorization code has been used.");
        }
        ok(json!({"access_token": format!("token-{account}"), "token_type": "bearer"}))
    }

    pub(super) fn debug_token(&self, seen: &Seen) -> Response {
        let input = &seen.query["input_token"];
        ok(json!({"data": self.altered(input, token_state(input))}))
    }

    /// The subscriptions of the app. That of accounts is missing if the test has set its object to `null`.
    pub(super) fn subscriptions(&self) -> Response {
        let of_users =
            json!({"object": "user", "callback_url": "https://elsewhere.example", "active": true, "fields": []});
        let of_accounts = self.altered(APP_ID, app_subscription());
        let all = [of_users, of_accounts].into_iter().filter(|subscription| !subscription["object"].is_null());
        ok(json!({"data": all.collect::<Vec<_>>()}))
    }

    /// The apps that get the account's notifications: another one, and this one if it has subscribed.
    pub(super) fn subscribed_apps(&self, account: &str, seen: &Seen) -> Response {
        let mut apps = vec![json!({"whatsapp_business_api_data": {"id": "67", "name": "Another app"}})];
        if let Some(callback) = self.state().subscribed.get(account) {
            let mut own = json!({"whatsapp_business_api_data": {"id": APP_ID, "name": "App"}});
            if let Some(callback) = callback {
                own["override_callback_uri"] = json!(callback);
            }
            apps.push(own);
        }
        ok(paged(seen, &apps))
    }

    pub(super) fn subscribe(&self, account: &str) -> Response {
        self.state().subscribed.insert(account.to_owned(), None);
        success()
    }

    pub(super) fn has_account(&self, account: &str) -> bool {
        self.state().accounts.contains_key(account)
    }

    pub(super) fn account_state(&self, account: &str) -> Response {
        if !self.has_account(account) {
            return refused(400, 100, "Unsupported get request. Object does not exist.");
        }
        ok(self.altered(account, account_state(account)))
    }

    /// An account, a medium or a template.
    pub(super) fn node(&self, id: &str) -> Response {
        let found = self.account_node(id).or_else(|| self.medium(id)).or_else(|| self.template(id));
        if let Some(found) = found.or_else(|| self.listed_number(id)) {
            return ok(found);
        }
        refused(400, 100, "Unsupported get request. Object does not exist.")
    }

    fn account_node(&self, id: &str) -> Option<Value> {
        let state = self.state();
        let account = state.accounts.get(id)?;
        let owner = json!({"id": format!("9{id}"), "name": "Owner"});
        Some(json!({"id": id, "name": account.name, "owner_business_info": owner}))
    }

    fn medium(&self, id: &str) -> Option<Value> {
        let state = self.state();
        let bytes = state.media.get(id)?;
        let url = format!("{}/{}/bytes/{id}", self.url, api_version());
        let sha256 = hex(digest(&SHA256, bytes).as_ref());
        Some(json!({"url": url, "mime_type": "image/jpeg", "sha256": sha256, "id": id}))
    }
}
