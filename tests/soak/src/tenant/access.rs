//! Apps, keys, webhooks, calling and settings.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::Call;

use super::known::Number;
use super::{Known, Tenant, text};

pub(super) const SMS_EVENTS: [&str; 4] =
    ["messages.sms.received", "messages.sms.sent", "messages.sms.delivered", "messages.sms.failed"];
const APPS: usize = 25;
const KEYS: usize = 8;
const WEBHOOKS: usize = 6;
const ADMIN_KEYS: usize = 15;
/// The path of media that does not exist: reading it returns 404 with a valid key and 401 with a revoked one.
const NO_MEDIUM: &str = "/v1/media/media_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
const SYSTEM_NUMBERS: &str = "/v1/playground/phone-numbers/system";
const SETTINGS: &str = "/v1/organization/settings";

pub(super) fn events_of(webhook: &Value) -> BTreeSet<String> {
    let events = webhook["events"].as_array().cloned().unwrap_or_default();
    events.iter().filter_map(|event| event.as_str().map(str::to_owned)).collect()
}

impl Tenant {
    pub(super) fn make_app(&mut self) {
        if self.known().apps.len() >= APPS {
            return self.delete_app();
        }
        let name = format!("App {}", self.unique());
        let mut body = json!({"name": name});
        if self.random.f64() < 0.1 {
            body["test"] = json!(true);
        }
        let call = self.admin(Call::post("/v1/organization/apps").json(&body));
        self.create(call, 201, move |known, made| {
            known.apps.insert(text(made, "id"), name.clone());
        });
        self.learn_system_numbers();
    }

    /// Reads the numbers that test apps were created with, two each, and checks that none is missing.
    pub(super) fn learn_system_numbers(&mut self) {
        let is_test = |app: &String| app.starts_with("app_test_");
        let unread: Vec<String> = {
            let known = self.known();
            let read: BTreeSet<&String> = known.system_numbers.values().flat_map(|number| &number.apps).collect();
            known.apps.keys().filter(|app| is_test(app) && !read.contains(app)).cloned().collect()
        };
        if unread.is_empty() {
            return;
        }
        let listed = self.walk("/v1/organization/phone-numbers", "", 100);
        for app in unread {
            let apps = BTreeSet::from([app.clone()]);
            let is_of_app =
                |number: &&Value| number["apps"].as_array().unwrap().iter().any(|it| it["appId"] == app.as_str());
            let own: Vec<_> = listed.iter().filter(is_of_app).map(|it| (text(it, "id"), text(it, "number"))).collect();
            if own.len() != 2 {
                self.tally.lost(format!("{app} has {} of its 2 system numbers", own.len()));
            }
            let own = own.into_iter().map(|(id, number)| (id, Number { number, apps: apps.clone() }));
            self.known().system_numbers.extend(own);
        }
    }

    fn any_app(&mut self) -> String {
        let apps: Vec<String> = self.known().apps.keys().cloned().collect();
        self.pick(&apps).unwrap()
    }

    pub(super) fn change_app(&mut self) {
        let (app, name) = (self.any_app(), format!("Renamed {}", self.unique()));
        if self.changes(Call::patch(format!("/v1/organization/apps/{app}")).json(&json!({"name": name}))) {
            self.known().apps.insert(app, name);
        }
    }

    pub(super) fn delete_app(&mut self) {
        let spare = self.known().spare_apps();
        let Some(app) = self.pick(&spare) else { return self.make_app() };
        let path = format!("/v1/organization/apps/{app}");
        if self.changes(Call::delete(&path)) {
            let admin = self.org.admin_key.clone();
            let mut known = self.known();
            known.apps.remove(&app);
            let Known { numbers, system_numbers, .. } = &mut *known;
            for number in numbers.values_mut() {
                number.apps.remove(&app);
            }
            // Nobody assigns system numbers to other apps here, so they are deleted with their app.
            let gone: Vec<_> = system_numbers.extract_if(.., |_, number| number.apps.contains(&app)).collect();
            let of_number = |id: String| format!("/v1/organization/phone-numbers/{id}");
            known.gone.extend(gone.into_iter().map(|(id, _)| (of_number(id), Some(admin.clone()))));
            let keys = known.keys.remove(&app).unwrap_or_default();
            known.revoked.extend(keys.into_values().map(|key| (NO_MEDIUM.to_owned(), key)));
            known.webhooks.remove(&app);
            known.callings.remove(&app);
            known.gone.push((path, Some(admin)));
        }
    }

    pub(super) fn make_key(&mut self) {
        let spare = self.known().spare_apps();
        let Some(app) = self.pick(&spare) else { return self.make_app() };
        if self.known().keys.get(&app).is_some_and(|keys| keys.len() >= KEYS) {
            return self.delete_key();
        }
        let body = json!({"name": format!("Key {}", self.unique())});
        let call = self.admin(Call::post(format!("/v1/organization/apps/{app}/keys")).json(&body));
        self.create(call, 201, move |known, made| {
            known.keys.entry(app.clone()).or_default().insert(text(made, "id"), text(made, "key"));
        });
    }

    pub(super) fn delete_key(&mut self) {
        let keys: Vec<(String, String)> = {
            let known = self.known();
            let of = |app: &String| known.keys.get(app).into_iter().flat_map(|keys| keys.keys().cloned());
            known
                .spare_apps()
                .into_iter()
                .flat_map(|app| of(&app).map(|key| (app.clone(), key)).collect::<Vec<_>>())
                .collect()
        };
        let Some((app, key)) = self.pick(&keys) else { return self.make_key() };
        if self.changes(Call::delete(format!("/v1/organization/apps/{app}/keys/{key}"))) {
            let value = self.known().keys.get_mut(&app).unwrap().remove(&key).unwrap();
            self.revoke(NO_MEDIUM, value);
        }
    }

    /// Checks now, and again at the end, that the credential is rejected.
    fn revoke(&mut self, path: &str, value: String) {
        self.known().revoked.push((path.to_owned(), value.clone()));
        self.ask(Call::get(path).key(&value), 401);
    }

    pub(super) fn make_main_key(&mut self) {
        let app = self.known().app.clone();
        let call = self.admin(Call::post(format!("/v1/organization/apps/{app}/keys")).json(&json!({"name": "main"})));
        self.create(call, 201, move |known, made| {
            (known.key, known.key_id) = (text(made, "key"), text(made, "id"));
            known.keys.entry(app.clone()).or_default().insert(text(made, "id"), "main".to_owned());
        });
    }

    /// Creates a new key for the main app and deletes the old one, unless a request with the old key is in progress.
    pub(super) fn rotate_key(&mut self) {
        if !self.is_quiet() {
            return self.read();
        }
        let (app, old, id) = {
            let known = self.known();
            (known.app.clone(), known.key.clone(), known.key_id.clone())
        };
        self.make_main_key();
        if self.known().key_id == id {
            return;
        }
        if self.changes(Call::delete(format!("/v1/organization/apps/{app}/keys/{id}"))) {
            self.known().keys.get_mut(&app).unwrap().remove(&id);
            self.revoke(SYSTEM_NUMBERS, old);
        }
    }

    pub(super) fn rotate_secret(&mut self) {
        let path = {
            let known = self.known();
            format!("/v1/organization/apps/{}/webhooks/{}/rotate-secret", known.app, known.webhook)
        };
        let call = self.admin(Call::post(path).json(&json!({"gracePeriodSeconds": 3600})));
        let (hooks, name) = (self.hooks.clone(), self.name.clone());
        self.create(call, 200, move |_, made| hooks.know(&name, &text(made, "secret")));
    }

    pub(super) fn make_admin_key(&mut self) {
        if self.known().admin_keys.len() >= ADMIN_KEYS {
            return self.delete_admin_key();
        }
        let name = format!("Admin {}", self.unique());
        let call = self.admin(Call::post("/v1/organization/admin-keys").json(&json!({"name": name})));
        self.create(call, 201, move |known, made| {
            known.admin_keys.insert(text(made, "id"), name.clone());
            known.values.insert(text(made, "id"), text(made, "key"));
        });
    }

    pub(super) fn delete_admin_key(&mut self) {
        let made: Vec<String> = self.known().values.keys().cloned().collect();
        let Some(key) = self.pick(&made) else { return self.make_admin_key() };
        if self.changes(Call::delete(format!("/v1/organization/admin-keys/{key}"))) {
            let value = {
                let mut known = self.known();
                known.admin_keys.remove(&key);
                known.values.remove(&key).unwrap()
            };
            self.revoke(SETTINGS, value);
        }
    }

    pub(super) fn make_webhook(&mut self) {
        let spare = self.known().spare_apps();
        let Some(app) = self.pick(&spare) else { return self.make_app() };
        if self.known().webhooks.get(&app).is_some_and(|webhooks| webhooks.len() >= WEBHOOKS) {
            return self.delete_webhook();
        }
        let events = self.some_events(2);
        let body = json!({"url": format!("https://example.com/{}", self.unique()), "events": events});
        let call = self.admin(Call::post(format!("/v1/organization/apps/{app}/webhooks")).json(&body));
        self.create(call, 201, move |known, made| {
            known.webhooks.entry(app.clone()).or_default().insert(text(made, "id"), events.clone());
        });
    }

    fn some_events(&mut self, count: usize) -> BTreeSet<String> {
        self.random.choose_multiple(SMS_EVENTS, count).into_iter().map(str::to_owned).collect()
    }

    /// The webhooks of all apps except the main one, each with its app.
    pub(super) fn spare_webhooks(&self) -> Vec<(String, String)> {
        let known = self.known();
        let of = |app: &String| known.webhooks.get(app).into_iter().flat_map(|hooks| hooks.keys().cloned());
        let pairs = |app: String| of(&app).map(|hook| (app.clone(), hook)).collect::<Vec<_>>();
        known.spare_apps().into_iter().flat_map(pairs).collect()
    }

    pub(super) fn change_webhook(&mut self) {
        let webhooks = self.spare_webhooks();
        let Some((app, webhook)) = self.pick(&webhooks) else { return self.make_webhook() };
        let events = self.some_events(3);
        let path = format!("/v1/organization/apps/{app}/webhooks/{webhook}");
        if self.changes(Call::put(path).json(&json!({"events": events}))) {
            self.known().webhooks.get_mut(&app).unwrap().insert(webhook, events);
        }
    }

    pub(super) fn delete_webhook(&mut self) {
        let webhooks = self.spare_webhooks();
        let Some((app, webhook)) = self.pick(&webhooks) else { return self.make_webhook() };
        let path = format!("/v1/organization/apps/{app}/webhooks/{webhook}");
        if self.changes(Call::delete(&path)) {
            let admin = self.org.admin_key.clone();
            let mut known = self.known();
            known.webhooks.get_mut(&app).unwrap().remove(&webhook);
            known.gone.push((path, Some(admin)));
        }
    }

    pub(super) fn set_calling(&mut self) {
        let (app, calls) = (self.any_app(), self.random.u64(1..=1000));
        let call =
            Call::put(format!("/v1/organization/apps/{app}/calling")).json(&json!({"maxConcurrentCalls": calls}));
        if self.changes(call) {
            self.known().callings.insert(app, calls);
        }
    }

    pub(super) fn change_settings(&mut self) {
        let days = self.random.u64(1..=365);
        if self.changes(Call::patch(SETTINGS).json(&json!({"mediaRetentionDays": days}))) {
            self.known().retention = Some(days);
        }
    }
}
