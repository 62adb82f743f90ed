//! Creates a tenant's initial objects: a main app with a key, a webhook, numbers and a user.

use serde_json::{Value, json};
use tests::Call;

use super::access::{SMS_EVENTS, events_of};
use super::{Tenant, text};

impl Tenant {
    pub(crate) fn set_up(&mut self) {
        let admin_keys = self.walk("/v1/organization/admin-keys", "", 100);
        self.known().admin_keys = admin_keys.iter().map(|key| (text(key, "id"), text(key, "name"))).collect();
        let name = format!("Main {}", self.name);
        let call = Call::post("/v1/organization/apps").json(&json!({"name": name, "test": true}));
        self.create(self.admin(call), 201, |known, made| {
            known.app = text(made, "id");
            known.apps.insert(text(made, "id"), text(made, "name"));
        });
        self.learn_system_numbers();
        self.make_main_key();
        let app = self.known().app.clone();
        let mut events = vec!["messages.chat.received"];
        events.extend(SMS_EVENTS);
        let body = json!({"url": self.hooks.url(&self.name), "events": events, "headers": {"X-Soak": self.name}});
        let call = Call::post(format!("/v1/organization/apps/{app}/webhooks")).json(&body);
        let (hooks, name) = (self.hooks.clone(), self.name.clone());
        self.create(self.admin(call), 201, move |known, made| {
            known.webhook = text(made, "id");
            let app = known.app.clone();
            known.webhooks.entry(app).or_default().insert(text(made, "id"), events_of(made));
            hooks.know(&name, &text(made, "secret"));
        });
        let numbers = self.get(self.app_call(Call::get("/v1/playground/phone-numbers/system"))).unwrap();
        self.known().system = numbers["numbers"][0].as_str().unwrap().to_owned();
        let chat_numbers = self.walk("/v1/organization/chat/phone-numbers", "", 100);
        let is_own = |number: &&Value| {
            number["apps"].as_array().unwrap().iter().any(|assigned| assigned["appId"] == app.as_str())
        };
        self.known().chat_number = text(chat_numbers.iter().find(is_own).unwrap(), "id");
        self.make_user();
        self.sent = 0;
    }
}
