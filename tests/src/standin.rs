//! A stand-in for the platform: an HTTP server in the test's process that sends responses in the platform's documented format
//! and injects faults on request. It writes to the socket directly, because an HTTP library would not truncate responses.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use aws_smithy_types::base64;
use domain::chat::fields::subscribed_fields;
use domain::credential::hex;
use ring::hmac;
use serde_json::{Value, json};

pub const APP_ID: &str = "1000000000000001";
pub const APP_SECRET: &str = "app-secret-of-the-stand-in";
pub const VERIFY_TOKEN: &str = "verify-token-of-the-stand-in";

/// Returns the version of the platform's API that the template sets; only the template names it.
pub fn api_version() -> &'static str {
    let (_, version) = include_str!("../../infra/template.yaml").split_once(", apiVersion: ").unwrap();
    version.split_once(" }").unwrap().0
}

/// The installation's secret with these values, in the form that the template gives it.
pub fn app_document(values: &[(&str, &str)]) -> String {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), json!(base64::encode(value))));
    Value::Object(values.collect()).to_string()
}

/// One received request.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Counts the connections of the stand-in.
    pub connection: u64,
    pub method: String,
    /// The path without the base URL and version.
    pub path: String,
    pub query: BTreeMap<String, String>,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// The fault that was injected.
    pub misbehaviour: Option<Misbehave>,
}

impl Seen {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

/// A fault to inject into matching requests.
#[derive(Clone, Debug)]
pub enum Misbehave {
    Status(u16, String),
    /// A response after a delay.
    Slow(Duration),
    CutOff,
    /// The stand-in's response, or this status and body, when the test opens the gate (`StandIn::hold`).
    Held(Gate, Option<(u16, String)>),
    /// Closes the connection after reading the request.
    HangUp,
    Oversized,
    Silent,
}

/// Closed at first. It stays open once it was opened.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    pub(crate) fn pass(&self) {
        drop(self.0.1.wait_while(self.0.0.lock().unwrap(), |is_open| !*is_open).unwrap());
    }
}

/// A request that is held.
pub struct Hold {
    stand_in: StandIn,
    path: String,
    /// The number of requests before it.
    before: usize,
    gate: Gate,
}

impl Hold {
    /// Waits until the request has arrived.
    pub async fn arrived(&self) {
        while self.stand_in.seen(&self.path).len() <= self.before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Lets the request have its response.
    pub fn end(&self) {
        self.gate.open();
    }
}

#[derive(Clone, Debug, Default)]
pub struct Account {
    pub name: String,
    pub numbers: Vec<Value>,
    pub templates: Vec<Value>,
}

#[derive(Default)]
pub struct State {
    pub accounts: BTreeMap<String, Account>,
    /// The bytes of each media id.
    pub media: BTreeMap<String, Vec<u8>>,
    pub seen: Vec<Seen>,
    /// How long each request took, from the connection or the previous response to the end of the response.
    pub times: Vec<Duration>,
    /// Faults for requests whose path contains the text, with the number of times to inject them.
    pub misbehave: Vec<(String, Misbehave, u32)>,
    pub page_delay: Duration,
    pub spent_codes: BTreeSet<String>,
    pub registered: BTreeMap<String, String>,
    groups: u32,
    /// The users that each number has blocked, by their digits.
    pub blocked: BTreeMap<String, BTreeSet<String>>,
    /// The codes with which blocking or unblocking users fails, by the users' digits.
    pub unblockable: BTreeMap<String, i64>,
    /// The profile of each number.
    pub profiles: BTreeMap<String, Value>,
    /// What the platform says of tokens, accounts, numbers and the app, where it differs from what it says by default: the
    /// fields to replace, by token, or by the id of the account, number or app. A field that is `null` is left out.
    pub said: BTreeMap<String, Value>,
    /// The accounts that send their notifications to the app, with the callback URL that replaces the app's own.
    pub subscribed: BTreeMap<String, Option<String>>,
    /// The open requests to join each group.
    pub join_requests: BTreeMap<String, Vec<Value>>,
    connections: u64,
    /// How many messages were taken.
    sent: u32,
}

#[derive(Clone)]
pub struct StandIn {
    pub url: String,
    app_secret: String,
    state: Arc<Mutex<State>>,
}

/// A phone number in the platform's format.
pub fn number(id: &str, display: &str) -> Value {
    json!({
        "id": id, "display_phone_number": display, "verified_name": "Acme", "quality_rating": "GREEN",
        "code_verification_status": "VERIFIED", "platform_type": "NOT_APPLICABLE", "status": "PENDING",
        "throughput": {"level": "STANDARD"}, "name_status": "AVAILABLE_WITHOUT_REVIEW", "is_on_biz_app": false,
        "whatsapp_business_manager_messaging_limit": "TIER_2K",
    })
}

pub fn template(id: &str, name: &str) -> Value {
    json!({
        "id": id, "name": name, "language": "en_US", "category": "UTILITY", "status": "APPROVED",
        "components": [{"type": "BODY", "text": "Hello {{1}}", "example": {"body_text": [["Ann"]]}}],
        "parameter_format": "POSITIONAL", "quality_score": {"score": "GREEN", "date": 1}, "rejected_reason": "NONE",
    })
}

/// The `X-Hub-Signature-256` header of a body.
pub fn signature(secret: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    format!("sha256={}", hex(hmac::sign(&key, body).as_ref()))
}

impl StandIn {
    pub fn start() -> StandIn {
        Self::listen(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub fn listen(listener: TcpListener) -> StandIn {
        Self::serving(listener, APP_SECRET)
    }

    /// Starts a stand-in for an app with this secret.
    pub fn serving(listener: TcpListener, app_secret: &str) -> StandIn {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let stand_in = StandIn { url, app_secret: app_secret.to_owned(), state: Arc::default() };
        let server = stand_in.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = server.clone();
                thread::spawn(move || server.serve(stream));
            }
        });
        stand_in
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Adds an account with these numbers, given as ids and display numbers.
    pub fn account(&self, id: &str, numbers: &[(&str, &str)]) {
        let numbers = numbers.iter().map(|(id, display)| number(id, display)).collect();
        let account = Account { name: format!("Business {id}"), numbers, templates: Vec::new() };
        self.state().accounts.insert(id.to_owned(), account);
    }

    pub fn misbehave(&self, path: &str, how: Misbehave, times: u32) {
        self.state().misbehave.push((path.to_owned(), how, times));
    }

    /// Holds the next request whose path contains the text, so that what happens meanwhile does not depend on time.
    pub fn hold(&self, path: &str) -> Hold {
        self.hold_with(path, None)
    }

    /// Holds the next request as above; its response has this status and body.
    pub fn hold_with(&self, path: &str, other: Option<(u16, String)>) -> Hold {
        let (gate, before) = (Gate::default(), self.seen(path).len());
        self.misbehave(path, Misbehave::Held(gate.clone(), other), 1);
        Hold { stand_in: self.clone(), path: path.to_owned(), before, gate }
    }

    /// How long each request took, once all responses are written.
    pub fn times(&self) -> Vec<Duration> {
        loop {
            let state = self.state();
            if state.times.len() == state.seen.len() {
                return state.times.clone();
            }
            drop(state);
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The received requests whose path contains the text.
    pub fn seen(&self, path: &str) -> Vec<Seen> {
        self.state().seen.iter().filter(|seen| seen.path.contains(path)).cloned().collect()
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut since = Instant::now();
        let connection = {
            let mut state = self.state();
            state.connections += 1;
            state.connections
        };
        while let Some(seen) = read_request(&mut stream) {
            let misbehaviour = {
                let mut state = self.state();
                let found =
                    state.misbehave.iter_mut().find(|(path, _, times)| *times > 0 && seen.path.contains(path.as_str()));
                found.map(|(_, how, times)| {
                    *times -= 1;
                    how.clone()
                })
            };
            let seen = Seen { connection, misbehaviour: misbehaviour.clone(), ..seen };
            self.state().seen.push(seen.clone());
            let go_on = match misbehaviour {
                None => answer(&mut stream, &self.respond(&seen)),
                Some(Misbehave::Status(status, body)) => answer(&mut stream, &(status, body.into_bytes())),
                Some(Misbehave::Slow(by)) => {
                    thread::sleep(by);
                    answer(&mut stream, &self.respond(&seen))
                }
                Some(Misbehave::Held(gate, other)) => {
                    gate.pass();
                    let other = other.map(|(status, body)| (status, body.into_bytes()));
                    answer(&mut stream, &other.unwrap_or_else(|| self.respond(&seen)))
                }
                Some(Misbehave::CutOff) => {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\":");
                    false
                }
                Some(Misbehave::HangUp) => false,
                Some(Misbehave::Oversized) => {
                    let chunk = vec![b' '; 1 << 20];
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 20971520\r\n\r\n");
                    for _ in 0..20 {
                        if stream.write_all(&chunk).is_err() {
                            break;
                        }
                    }
                    false
                }
                Some(Misbehave::Silent) => {
                    thread::sleep(Duration::from_secs(60));
                    false
                }
            };
            self.state().times.push(since.elapsed());
            if !go_on {
                return;
            }
            since = Instant::now();
        }
    }

    fn respond(&self, seen: &Seen) -> (u16, Vec<u8>) {
        let (status, body) = self.route(seen);
        let bytes = body.map_or_else(|bytes| bytes, |body| body.to_string().into_bytes());
        (status, bytes)
    }

    fn route(&self, seen: &Seen) -> (u16, Result<Value, Vec<u8>>) {
        let ok = |body: Value| (200, Ok(body));
        let parts: Vec<&str> = seen.path.split('/').filter(|part| !part.is_empty()).collect();
        if let ["bytes", id] = parts[..] {
            if seen.headers.get("user-agent").is_none_or(String::is_empty) {
                return (403, Err(b"Forbidden".to_vec()));
            }
            return match self.state().media.get(id) {
                Some(bytes) if bearer(seen).is_some() => (200, Err(bytes.clone())),
                _ => refused(404, 100, "gone"),
            };
        }
        if parts == ["oauth", "access_token"] {
            return self.exchange(seen);
        }
        if matches!(parts[..], [session] if session.starts_with("upload:")) {
            let is_authorized = seen.headers.get("authorization").is_some_and(|value| value.starts_with("OAuth "));
            return if is_authorized { ok(json!({"h": "4::handle"})) } else { refused(401, 190, "no token") };
        }
        let Some(token) = bearer(seen) else { return refused(401, 190, "no token") };
        let expected =
            hex(hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, self.app_secret.as_bytes()), token.as_bytes()).as_ref());
        if seen.query.get("appsecret_proof") != Some(&expected) {
            return refused(400, 100, "wrong appsecret_proof");
        }
        match (seen.method.as_str(), &parts[..]) {
            ("GET", ["debug_token"]) if token == format!("{APP_ID}|{}", self.app_secret) => {
                let input = &seen.query["input_token"];
                ok(json!({"data": self.altered(input, debug_token(input))}))
            }
            ("GET", [APP_ID, "subscriptions"]) if token == format!("{APP_ID}|{}", self.app_secret) => {
                let of_accounts = self.altered(APP_ID, app_subscription());
                let of_users = json!({"object": "user", "callback_url": "https://elsewhere.example", "active": true, "fields": []});
                let all = [of_users, of_accounts].into_iter().filter(|subscription| !subscription["object"].is_null());
                ok(json!({"data": all.collect::<Vec<_>>()}))
            }
            ("GET", [account, "subscribed_apps"]) => {
                let other = json!({"whatsapp_business_api_data": {"id": "67", "name": "Another app"}});
                let own = self.state().subscribed.get(*account).map(|callback| {
                    let mut own = json!({"whatsapp_business_api_data": {"id": APP_ID, "name": "App"}});
                    if let Some(callback) = callback {
                        own["override_callback_uri"] = json!(callback);
                    }
                    own
                });
                ok(paged(seen, &[vec![other], own.into_iter().collect()].concat()))
            }
            ("GET", [account, "phone_numbers"]) => {
                let (status, mut page) = self.page(account, seen, |account| &account.numbers);
                if let Ok(page) = &mut page {
                    for number in page["data"].as_array_mut().into_iter().flatten() {
                        let id = number["id"].as_str().unwrap_or_default().to_owned();
                        *number = self.altered(&id, number.take());
                    }
                }
                (status, page)
            }
            ("GET", [account, "message_templates"]) => {
                let delay = self.state().page_delay;
                thread::sleep(delay);
                if let Some(name) = seen.query.get("name") {
                    return self.templates_with(account, name, seen);
                }
                self.page(account, seen, |account| &account.templates)
            }
            ("POST", [account, "message_templates"]) => self.create_template(account, seen),
            ("DELETE", [account, "message_templates"]) => self.delete_templates(account, seen),
            ("POST", [id]) if self.template(id).is_some() => self.edit_template(id, seen),
            ("POST", [account, "subscribed_apps"]) if self.state().accounts.contains_key(*account) => {
                self.state().subscribed.insert((*account).to_owned(), None);
                ok(json!({"success": true}))
            }
            ("DELETE", [account, "subscribed_apps"]) if self.state().accounts.contains_key(*account) => {
                ok(json!({"success": true}))
            }
            ("POST", [number, "register"]) => {
                let pin = seen.json()["pin"].as_str().unwrap_or_default().to_owned();
                let mut state = self.state();
                state.registered.insert((*number).to_owned(), pin);
                let numbers = state.accounts.values_mut().flat_map(|account| &mut account.numbers);
                for number in numbers.filter(|listed| listed["id"] == *number) {
                    number["status"] = json!("CONNECTED");
                    number["platform_type"] = json!("CLOUD_API");
                }
                drop(state);
                ok(json!({"success": true}))
            }
            ("POST", [_, "messages"]) if seen.json()["status"] == "read" => ok(json!({"success": true})),
            ("POST", [_, "messages"]) => {
                let mut state = self.state();
                state.sent += 1;
                let id = format!("wamid.sent.{}", state.sent);
                ok(json!({"messaging_product": "whatsapp", "contacts": [], "messages": [{"id": id}]}))
            }
            ("POST", [_, "groups"]) => {
                let mut state = self.state();
                state.groups += 1;
                ok(json!({"messaging_product": "whatsapp", "request_id": format!("request-{}", state.groups)}))
            }
            ("GET", [number, "whatsapp_business_profile"]) => {
                let fields = seen.query.get("fields").cloned().unwrap_or_default();
                let profile = self.state().profiles.get(*number).cloned().unwrap_or_else(|| json!({}));
                let mut shown = json!({"messaging_product": "whatsapp"});
                for field in fields.split(',').filter(|field| !profile[field].is_null()) {
                    shown[field] = profile[field].clone();
                }
                ok(json!({"data": [shown]}))
            }
            ("POST", [number, "whatsapp_business_profile"]) => {
                let mut state = self.state();
                let profile = state.profiles.entry((*number).to_owned()).or_insert_with(|| json!({}));
                for (name, value) in seen.json().as_object().unwrap() {
                    profile[name] = value.clone();
                }
                ok(json!({"success": true}))
            }
            ("POST", [_, "uploads"]) => ok(json!({"id": "upload:session-1?sig=signed"})),
            ("POST", [group, "invite_link"]) => {
                let link = format!("https://chat.whatsapp.com/{}", self.seen(&format!("{group}/invite_link")).len());
                ok(json!({"messaging_product": "whatsapp", "invite_link": link}))
            }
            ("GET", [group, "join_requests"]) => {
                ok(paged(seen, self.state().join_requests.get(*group).map_or(&[], Vec::as_slice)))
            }
            ("POST" | "DELETE", [group, "join_requests"]) => self.decide_join_requests(group, seen),
            ("POST" | "DELETE", [group]) if group.starts_with("Y2FwaV9ncm91cDox") => {
                ok(json!({"messaging_product": "whatsapp", "request_id": "request-of-a-change"}))
            }
            ("DELETE", [_, "participants"]) => {
                let has_body = seen.json()["participants"].as_array().is_some_and(|list| !list.is_empty());
                if has_body { ok(json!({"messaging_product": "whatsapp"})) } else { refused(400, 131_009, "no body") }
            }
            ("GET", [number, "block_users"]) => {
                let blocked = self.state().blocked.get(*number).cloned().unwrap_or_default();
                let user = |digits: &String| json!({"messaging_product": "whatsapp", "wa_id": digits});
                ok(paged(seen, &blocked.iter().map(user).collect::<Vec<_>>()))
            }
            ("POST" | "DELETE", [number, "block_users"]) => self.change_blocked_users(number, seen),
            ("GET", [node]) if seen.query.get("fields").is_some_and(|fields| fields == "health_status") => {
                ok(health(node))
            }
            ("GET", [account]) if seen.query.get("fields").is_some_and(|fields| fields == ACCOUNT_STATE) => {
                let known = self.state().accounts.contains_key(*account);
                match known {
                    true => ok(self.altered(account, account_state(account))),
                    false => refused(400, 100, "Unsupported get request. Object does not exist."),
                }
            }
            ("GET", [id]) => self.node(id),
            _ => refused(400, 100, "Unsupported request"),
        }
    }

    fn template(&self, id: &str) -> Option<Value> {
        let state = self.state();
        let found = state.accounts.values().flat_map(|account| &account.templates).find(|known| known["id"] == id);
        found.cloned()
    }

    /// The templates whose names contain a text, as the platform filters them.
    fn templates_with(&self, account: &str, name: &str, seen: &Seen) -> (u16, Result<Value, Vec<u8>>) {
        let state = self.state();
        let Some(account) = state.accounts.get(account) else { return refused(400, 100, "Unsupported get request.") };
        let has_name = |known: &&Value| known["name"].as_str().is_some_and(|known| known.contains(name));
        let found: Vec<Value> = account.templates.iter().filter(has_name).cloned().collect();
        (200, Ok(paged(seen, &found)))
    }

    fn create_template(&self, account: &str, seen: &Seen) -> (u16, Result<Value, Vec<u8>>) {
        let (body, mut state) = (seen.json(), self.state());
        let id = format!("{}", 5_722_791_984_500_000_u64 + state.seen.len() as u64);
        let Some(account) = state.accounts.get_mut(account) else { return refused(400, 100, "Unsupported request.") };
        let is_same = |known: &Value| known["name"] == body["name"] && known["language"] == body["language"];
        if account.templates.iter().any(is_same) {
            let mut exists = error(100, "Invalid parameter");
            exists["error"]["error_subcode"] = json!(2_388_024);
            exists["error"]["error_user_msg"] = json!("There is already content in this language for this template.");
            return (400, Ok(exists));
        }
        let mut made = body.clone();
        made["id"] = json!(id);
        made["status"] = json!("PENDING");
        account.templates.push(made);
        (200, Ok(json!({"id": id, "status": "PENDING", "category": body["category"]})))
    }

    fn edit_template(&self, id: &str, seen: &Seen) -> (u16, Result<Value, Vec<u8>>) {
        let mut state = self.state();
        let templates = state.accounts.values_mut().flat_map(|account| &mut account.templates);
        for template in templates.filter(|known| known["id"] == id) {
            for (name, value) in seen.json().as_object().unwrap() {
                template[name] = value.clone();
            }
            template["status"] = json!("PENDING");
        }
        (200, Ok(json!({"success": true})))
    }

    fn delete_templates(&self, account: &str, seen: &Seen) -> (u16, Result<Value, Vec<u8>>) {
        let mut state = self.state();
        let Some(account) = state.accounts.get_mut(account) else { return refused(400, 100, "Unsupported request.") };
        let before = account.templates.len();
        let (name, id) = (seen.query.get("name"), seen.query.get("hsm_id"));
        account.templates.retain(|known| {
            Some(known["name"].as_str().unwrap_or_default()) != name.map(String::as_str)
                || id.is_some_and(|id| known["id"] != id.as_str())
        });
        if account.templates.len() == before {
            return refused(400, 100, "Invalid parameter");
        }
        (200, Ok(json!({"success": true})))
    }

    /// Replaces the fields that the test has set.
    fn altered(&self, id: &str, mut said: Value) -> Value {
        for (name, value) in self.state().said.get(id).and_then(Value::as_object).into_iter().flatten() {
            if value.is_null() {
                said.as_object_mut().unwrap().remove(name);
            } else {
                said[name] = value.clone();
            }
        }
        said
    }

    /// Sets fields of what the platform says of a token, an account, a number or the app.
    pub fn say(&self, id: &str, fields: Value) {
        let mut state = self.state();
        let said = state.said.entry(id.to_owned()).or_insert_with(|| json!({}));
        said.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    }

    /// Blocks or unblocks users. If some fail, the response has an error status, and both the outcomes and an error.
    fn change_blocked_users(&self, number: &str, seen: &Seen) -> (u16, Result<Value, Vec<u8>>) {
        let body = seen.json();
        let Some(users) = body["block_users"].as_array().filter(|_| body["messaging_product"] == "whatsapp") else {
            return refused(400, 100, "Invalid parameter");
        };
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
            if seen.method == "POST" {
                blocked.insert(digits)
            } else {
                blocked.remove(&digits)
            };
        }
        let list = if seen.method == "POST" { "added_users" } else { "removed_users" };
        if failed.is_empty() {
            return (200, Ok(json!({"messaging_product": "whatsapp", "block_users": {list: done}})));
        }
        let mut response = error(139_100, "(#139100) Failed to block/unblock users");
        response["messaging_product"] = json!("whatsapp");
        response["block_users"] = json!({list: done, "failed_users": failed});
        (400, Ok(response))
    }

    /// Approves or rejects requests to join a group. If some are unknown, the status is 206.
    fn decide_join_requests(&self, group: &str, seen: &Seen) -> (u16, Result<Value, Vec<u8>>) {
        let body = seen.json();
        let Some(ids) = body["join_requests"].as_array() else { return refused(400, 100, "Invalid parameter") };
        let mut state = self.state();
        let open = state.join_requests.entry(group.to_owned()).or_default();
        let (done, unknown): (Vec<&Value>, Vec<&Value>) =
            ids.iter().partition(|id| open.iter().any(|request| request["join_request_id"] == **id));
        let failed = unknown
            .iter()
            .map(|id| json!({"join_request_id": id, "errors": [{"code": 131_213, "message": "No such join request"}]}));
        let failed: Vec<Value> = failed.collect();
        open.retain(|request| !ids.contains(&request["join_request_id"]));
        let list = if seen.method == "POST" { "approved_join_requests" } else { "rejected_join_requests" };
        let status = if failed.is_empty() { 200 } else { 206 };
        (status, Ok(json!({"messaging_product": "whatsapp", list: done, "failed_join_requests": failed, "errors": []})))
    }

    /// Exchanges a code of the form `code.<account>`, which can be used once.
    fn exchange(&self, seen: &Seen) -> (u16, Result<Value, Vec<u8>>) {
        let code = seen.query.get("code").cloned().unwrap_or_default();
        let knows_secret = seen.query.get("client_secret").is_some_and(|secret| *secret == self.app_secret);
        let Some(account) = code.strip_prefix("code.").filter(|_| knows_secret) else {
            return refused(400, 100, "Invalid verification code format.");
        };
        if !self.state().spent_codes.insert(code.clone()) {
            return refused(400, 100, "This authorization code has been used.");
        }
        (200, Ok(json!({"access_token": format!("token-{account}"), "token_type": "bearer"})))
    }

    fn node(&self, id: &str) -> (u16, Result<Value, Vec<u8>>) {
        let state = self.state();
        if let Some(account) = state.accounts.get(id) {
            let owner = json!({"id": format!("9{id}"), "name": "Owner"});
            return (200, Ok(json!({"id": id, "name": account.name, "owner_business_info": owner})));
        }
        if let Some(bytes) = state.media.get(id) {
            let sha256 = hex(ring::digest::digest(&ring::digest::SHA256, bytes).as_ref());
            let url = format!("{}/{}/bytes/{id}", self.url, api_version());
            return (200, Ok(json!({"url": url, "mime_type": "image/jpeg", "sha256": sha256, "id": id})));
        }
        drop(state);
        match self.template(id) {
            Some(template) => (200, Ok(template)),
            None => refused(400, 100, "Unsupported get request. Object does not exist."),
        }
    }

    fn page(&self, id: &str, seen: &Seen, list: impl Fn(&Account) -> &Vec<Value>) -> (u16, Result<Value, Vec<u8>>) {
        let state = self.state();
        let Some(account) = state.accounts.get(id) else { return refused(400, 100, "Unsupported get request.") };
        (200, Ok(paged(seen, list(account))))
    }
}

/// Returns the page of a list that the request asks for.
fn paged(seen: &Seen, all: &[Value]) -> Value {
    let number =
        |name: &str, default: usize| seen.query.get(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (start, limit) = (number("after", 0), number("limit", 25));
    let end = (start + limit).min(all.len());
    let mut page = json!({"data": all[start.min(end)..end], "paging": {"cursors": {"before": start.to_string(), "after": end.to_string()}}});
    if end < all.len() {
        page["paging"]["next"] = json!("https://elsewhere.example/never-followed");
    }
    page
}

fn refused(status: u16, code: i64, message: &str) -> (u16, Result<Value, Vec<u8>>) {
    (status, Ok(error(code, message)))
}

/// An error in the platform's format.
pub fn error(code: i64, message: &str) -> Value {
    json!({"error": {"message": message, "type": "OAuthException", "code": code, "fbtrace_id": "AbCdEf"}})
}

fn bearer(seen: &Seen) -> Option<String> {
    seen.headers.get("authorization")?.strip_prefix("Bearer ").map(str::to_owned)
}

fn debug_token(token: &str) -> Value {
    let account = token.strip_prefix("token-").unwrap_or_default();
    json!({
        "app_id": APP_ID, "type": "SYSTEM_USER", "is_valid": true, "expires_at": 0, "issued_at": 1_690_000_000,
        "data_access_expires_at": 0, "scopes": ["whatsapp_business_management", "whatsapp_business_messaging"],
        "granular_scopes": [{"scope": "whatsapp_business_management", "target_ids": [account]},
            {"scope": "whatsapp_business_messaging", "target_ids": [account]}],
    })
}

/// The fields of an account that the platform check asks for.
pub const ACCOUNT_STATE: &str = "id,account_review_status,health_status";

fn account_state(account: &str) -> Value {
    let entity = |kind: &str, id: &str| json!({"entity_type": kind, "id": id, "can_send_message": "AVAILABLE"});
    let entities = [entity("WABA", account), entity("BUSINESS", "250"), entity("APP", APP_ID)];
    json!({
        "id": account, "account_review_status": "APPROVED",
        "health_status": {"can_send_message": "AVAILABLE", "entities": entities},
    })
}

/// The app's subscription as the guide asks for it, with the callback URL of the functions under test.
fn app_subscription() -> Value {
    let fields: Vec<Value> =
        subscribed_fields().map(|field| json!({"name": field, "version": api_version()})).collect();
    let callback = "https://api.example.com/v1/platform/notifications";
    json!({"object": "whatsapp_business_account", "callback_url": callback, "active": true, "fields": fields})
}

fn health(node: &str) -> Value {
    json!({"health_status": {"can_send_message": "BLOCKED", "entities": [
        {"entity_type": "PHONE_NUMBER", "id": node, "can_send_message": "AVAILABLE", "can_receive_call_sip": "AVAILABLE"},
        {"entity_type": "WABA", "id": "102", "can_send_message": "BLOCKED", "errors": [
            {"error_code": 141_006, "error_description": "No payment method", "possible_solution": "Add a payment method"}]},
        {"entity_type": "BUSINESS", "id": "250", "can_send_message": "LIMITED", "additional_info": ["Verify the business"]},
        {"entity_type": "APP", "id": APP_ID, "can_send_message": "AVAILABLE"},
        {"entity_type": "NOVELTY", "id": "1", "can_send_message": "BLOCKED"},
    ]}, "id": node})
}

pub(crate) fn answer(stream: &mut TcpStream, (status, body): &(u16, Vec<u8>)) -> bool {
    let head =
        format!("HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).is_ok()
}

pub(crate) fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 * 1024];
    loop {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        if let Ok(httparse::Status::Complete(head)) = request.parse(&bytes) {
            let headers: BTreeMap<String, String> = request
                .headers
                .iter()
                .map(|header| (header.name.to_lowercase(), String::from_utf8_lossy(header.value).into_owned()))
                .collect();
            let length: usize = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
            let (method, target) = (request.method?.to_owned(), request.path?.to_owned());
            while bytes.len() < head + length {
                let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
                bytes.extend_from_slice(&chunk[..read]);
            }
            let (path, query) = target.split_once('?').unwrap_or((&target, ""));
            let path = path.trim_start_matches('/').strip_prefix(api_version()).unwrap_or(path).to_owned();
            let query = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
            return Some(Seen {
                connection: 0,
                misbehaviour: None,
                method,
                path,
                query,
                headers,
                body: bytes[head..head + length].to_vec(),
            });
        }
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    }
}
