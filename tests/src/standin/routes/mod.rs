//! The operations of the platform that the product uses.

mod accounts;
mod groups;
mod numbers;
mod templates;
mod users;

use serde_json::{Value, json};

use super::objects::{error, health};
use super::{APP_ID, Seen, StandIn, hmac_sha256};

/// The fields of an account that the platform check asks for.
pub const ACCOUNT_STATE: &str = "id,account_review_status,health_status";

/// How the ids of groups begin.
const GROUP_PREFIX: &str = "Y2FwaV9ncm91cDox";

/// A response: its status and body.
struct Response(u16, Body);

enum Body {
    Json(Value),
    Bytes(Vec<u8>),
}

fn ok(body: Value) -> Response {
    Response(200, Body::Json(body))
}

/// Confirms success.
fn success() -> Response {
    ok(json!({"success": true}))
}

fn refused(status: u16, code: i64, message: &str) -> Response {
    Response(status, Body::Json(error(code, message)))
}

impl StandIn {
    pub(super) fn respond(&self, seen: &Seen) -> (u16, Vec<u8>) {
        let Response(status, body) = self.route(seen);
        let bytes = match body {
            Body::Json(body) => body.to_string().into_bytes(),
            Body::Bytes(bytes) => bytes,
        };
        (status, bytes)
    }

    fn route(&self, seen: &Seen) -> Response {
        let parts: Vec<&str> = seen.path.split('/').filter(|part| !part.is_empty()).collect();
        match parts[..] {
            ["bytes", id] => return self.bytes(id, seen),
            ["oauth", "access_token"] => return self.exchange(seen),
            [session] if session.starts_with("upload:") => return upload(seen),
            _ => {}
        }

        let Some(token) = seen.bearer() else { return refused(401, 190, "no token") };
        let proof = hmac_sha256(&self.app_secret, token.as_bytes());
        if seen.query.get("appsecret_proof") != Some(&proof) {
            return refused(400, 100, "wrong appsecret_proof");
        }
        let is_app = token == format!("{APP_ID}|{}", self.app_secret);
        self.route_with_token(seen, &parts, is_app)
    }

    fn route_with_token(&self, seen: &Seen, parts: &[&str], is_app: bool) -> Response {
        let asks_for = |fields: &str| seen.query.get("fields").is_some_and(|asked| asked == fields);
        match (seen.method.as_str(), parts) {
            ("GET", ["debug_token"]) if is_app => self.debug_token(seen),
            ("GET", [APP_ID, "subscriptions"]) if is_app => self.subscriptions(),
            ("GET", [account, "subscribed_apps"]) => self.subscribed_apps(account, seen),
            ("POST", [account, "subscribed_apps"]) if self.has_account(account) => self.subscribe(account),
            ("DELETE", [account, "subscribed_apps"]) if self.has_account(account) => success(),

            ("GET", [account, "message_templates"]) => self.templates(account, seen),
            ("POST", [account, "message_templates"]) => self.create_template(account, seen),
            ("DELETE", [account, "message_templates"]) => self.delete_templates(account, seen),
            ("POST", [id]) if self.template(id).is_some() => self.edit_template(id, seen),
            ("POST", [_, "uploads"]) => ok(json!({"id": "upload:session-1?sig=signed"})),

            ("GET", [account, "phone_numbers"]) => self.phone_numbers(account, seen),
            ("POST", [number, "register"]) => self.register(number, seen),
            ("POST", [number, "deregister"]) => self.deregister(number),
            ("POST", [number, "request_code"]) => self.request_code(number, seen),
            ("POST", [number, "verify_code"]) => self.verify_code(number, seen),
            ("POST", [number]) if self.listed_number(number).is_some() => self.change_pin(number, seen),
            ("POST", [_, "smb_app_data"]) => ok(json!({"messaging_product": "whatsapp", "request_id": "request-1"})),
            ("POST", [_, "messages"]) => self.messages(seen),
            ("GET", [number, "whatsapp_business_profile"]) => self.profile(number, seen),
            ("POST", [number, "whatsapp_business_profile"]) => self.change_profile(number, seen),
            ("GET", [number, "block_users"]) => self.blocked_users(number, seen),
            ("POST" | "DELETE", [number, "block_users"]) => self.change_blocked_users(number, seen),

            ("POST", [_, "groups"]) => self.create_group(),
            ("POST", [group, "invite_link"]) => self.invite_link(group),
            ("GET", [group, "join_requests"]) => self.join_requests(group, seen),
            ("POST" | "DELETE", [group, "join_requests"]) => self.decide_join_requests(group, seen),
            ("POST" | "DELETE", [_, "participants"]) => groups::change_participants(seen),
            ("POST" | "DELETE", [group]) if group.starts_with(GROUP_PREFIX) => groups::change(),

            ("GET", [node]) if asks_for("health_status") => ok(health(node)),
            ("GET", [account]) if asks_for(ACCOUNT_STATE) => self.account_state(account),
            ("GET", [id]) => self.node(id),
            _ => refused(400, 100, "Unsupported request"),
        }
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

    /// The bytes of a medium, which the platform gives only to clients that say who they are.
    fn bytes(&self, id: &str, seen: &Seen) -> Response {
        if seen.headers.get("user-agent").is_none_or(String::is_empty) {
            return Response(403, Body::Bytes(b"Forbidden".to_vec()));
        }
        match self.state().media.get(id) {
            Some(bytes) if seen.bearer().is_some() => Response(200, Body::Bytes(bytes.clone())),
            _ => refused(404, 100, "gone"),
        }
    }
}

/// Takes the bytes of a sample of a template.
fn upload(seen: &Seen) -> Response {
    let is_authorized = seen.headers.get("authorization").is_some_and(|value| value.starts_with("OAuth "));
    if is_authorized { ok(json!({"h": "4::handle"})) } else { refused(401, 190, "no token") }
}
