//! A stand-in for the platform: an HTTP server in the test's process that sends responses in the platform's documented format
//! and injects faults on request. It writes to the socket directly, because an HTTP library would not truncate responses.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use domain::credential::hex;
use ring::hmac;
use serde_json::{Value, json};

pub const APP_ID: &str = "1000000000000001";
pub const APP_SECRET: &str = "app-secret-of-the-stand-in";
pub const VERIFY_TOKEN: &str = "verify-token-of-the-stand-in";
pub const VERSION: &str = "v25.0";

/// One received request.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    /// The path without the base URL and version.
    pub path: String,
    pub query: BTreeMap<String, String>,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
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
    Oversized,
    Silent,
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
    /// Faults for requests whose path contains the text, with the number of times to inject them.
    pub misbehave: Vec<(String, Misbehave, u32)>,
    pub page_delay: Duration,
    spent_codes: BTreeSet<String>,
    pub registered: BTreeMap<String, String>,
    groups: u32,
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

    /// The received requests whose path contains the text.
    pub fn seen(&self, path: &str) -> Vec<Seen> {
        self.state().seen.iter().filter(|seen| seen.path.contains(path)).cloned().collect()
    }

    fn serve(&self, mut stream: TcpStream) {
        while let Some(seen) = read_request(&mut stream) {
            self.state().seen.push(seen.clone());
            let misbehaviour = {
                let mut state = self.state();
                let found =
                    state.misbehave.iter_mut().find(|(path, _, times)| *times > 0 && seen.path.contains(path.as_str()));
                found.map(|(_, how, times)| {
                    *times -= 1;
                    how.clone()
                })
            };
            let go_on = match misbehaviour {
                None => answer(&mut stream, &self.respond(&seen)),
                Some(Misbehave::Status(status, body)) => answer(&mut stream, &(status, body.into_bytes())),
                Some(Misbehave::Slow(by)) => {
                    thread::sleep(by);
                    answer(&mut stream, &self.respond(&seen))
                }
                Some(Misbehave::CutOff) => {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\":");
                    false
                }
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
            if !go_on {
                return;
            }
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
            return match self.state().media.get(id) {
                Some(bytes) if bearer(seen).is_some() => (200, Err(bytes.clone())),
                _ => refused(404, 100, "gone"),
            };
        }
        if parts == ["oauth", "access_token"] {
            return self.exchange(seen);
        }
        let Some(token) = bearer(seen) else { return refused(401, 190, "no token") };
        let expected =
            hex(hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, self.app_secret.as_bytes()), token.as_bytes()).as_ref());
        if seen.query.get("appsecret_proof") != Some(&expected) {
            return refused(400, 100, "wrong appsecret_proof");
        }
        match (seen.method.as_str(), &parts[..]) {
            ("GET", ["debug_token"]) if token == format!("{APP_ID}|{}", self.app_secret) => {
                ok(debug_token(&seen.query["input_token"]))
            }
            ("GET", [account, "phone_numbers"]) => self.page(account, seen, |account| &account.numbers),
            ("GET", [account, "message_templates"]) => {
                let delay = self.state().page_delay;
                thread::sleep(delay);
                self.page(account, seen, |account| &account.templates)
            }
            ("POST", [account, "subscribed_apps"]) if self.state().accounts.contains_key(*account) => {
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
            ("POST", [_, "groups"]) => {
                let mut state = self.state();
                state.groups += 1;
                ok(json!({"messaging_product": "whatsapp", "request_id": format!("request-{}", state.groups)}))
            }
            ("DELETE", [_, "participants"]) => {
                let has_body = seen.json()["participants"].as_array().is_some_and(|list| !list.is_empty());
                if has_body { ok(json!({"messaging_product": "whatsapp"})) } else { refused(400, 131_009, "no body") }
            }
            ("GET", [node]) if seen.query.get("fields").is_some_and(|fields| fields == "health_status") => {
                ok(health(node))
            }
            ("GET", [id]) => self.node(id),
            _ => refused(400, 100, "Unsupported request"),
        }
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
            let url = format!("{}/{VERSION}/bytes/{id}", self.url);
            return (200, Ok(json!({"url": url, "mime_type": "image/jpeg", "sha256": sha256, "id": id})));
        }
        refused(400, 100, "Unsupported get request. Object does not exist.")
    }

    fn page(&self, id: &str, seen: &Seen, list: impl Fn(&Account) -> &Vec<Value>) -> (u16, Result<Value, Vec<u8>>) {
        let state = self.state();
        let Some(account) = state.accounts.get(id) else { return refused(400, 100, "Unsupported get request.") };
        let all = list(account);
        let number =
            |name: &str, default: usize| seen.query.get(name).and_then(|text| text.parse().ok()).unwrap_or(default);
        let (start, limit) = (number("after", 0), number("limit", 25));
        let end = (start + limit).min(all.len());
        let mut page = json!({"data": all[start.min(end)..end], "paging": {"cursors": {"before": start.to_string(), "after": end.to_string()}}});
        if end < all.len() {
            page["paging"]["next"] = json!("https://elsewhere.example/never-followed");
        }
        (200, Ok(page))
    }
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
    json!({"data": {
        "app_id": APP_ID, "type": "SYSTEM_USER", "is_valid": true, "expires_at": 0, "issued_at": 1_690_000_000,
        "granular_scopes": [{"scope": "whatsapp_business_management", "target_ids": [account]}],
    }})
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

fn answer(stream: &mut TcpStream, (status, body): &(u16, Vec<u8>)) -> bool {
    let head =
        format!("HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).is_ok()
}

fn read_request(stream: &mut TcpStream) -> Option<Seen> {
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
            let path = path.trim_start_matches('/').strip_prefix(VERSION).unwrap_or(path).to_owned();
            let query = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
            return Some(Seen { method, path, query, headers, body: bytes[head..head + length].to_vec() });
        }
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    }
}
