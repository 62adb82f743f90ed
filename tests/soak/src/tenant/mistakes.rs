//! Requests that must be rejected, and the expected statuses.

use http::Method;
use serde_json::json;
use tests::Call;

use super::Tenant;

const NO_APP: &str = "/v1/organization/apps/app_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
const SETTINGS: &str = "/v1/organization/settings";
const APPS: &str = "/v1/organization/apps";
const NUMBERS: &str = "/v1/organization/phone-numbers";

fn broken(call: Call, body: impl Into<Vec<u8>>) -> Call {
    call.header("content-type", "application/json").bytes(body)
}

impl Tenant {
    pub(super) fn ask_badly(&mut self) {
        let apps: Vec<String> = self.known().apps.keys().cloned().collect();
        let hooks = format!("{APPS}/{}/webhooks", self.pick(&apps).unwrap());
        let admin = |call: Call| self.admin(call);
        let too_long = format!("{{\"name\": \"{}\"}}", "A".repeat(300_000));
        let no_event = json!({"url": "https://example.com", "events": ["none"]});
        let stranger = json!({"from": "+12015550111", "to": "+12015550000", "type": "text", "text": {"body": "A"}});
        let mut cases = vec![
            (Call::get(SETTINGS), 401),
            (Call::get(SETTINGS).key("sk_admin_wrong"), 401),
            (self.app_call(Call::get(SETTINGS)), 401),
            (admin(Call::get(format!("{APPS}/none"))), 400),
            (admin(Call::get(NO_APP)), 404),
            (admin(Call::get(format!("{APPS}?cursor=none"))), 400),
            (admin(Call::get(format!("{APPS}?limit=1000"))), 400),
            (admin(Call::delete(NO_APP)), 404),
            (admin(broken(Call::post(APPS), "{")), 400),
            (admin(Call::post(APPS).json(&json!({"name": "A", "colour": "red"}))), 400),
            (admin(Call::post(APPS).header("content-type", "text/plain").bytes("A")), 415),
            (admin(broken(Call::post(APPS), too_long)), 413),
            (admin(Call::post(NUMBERS).json(&json!({"number": "0151 1"}))), 400),
            (admin(Call::post(hooks).json(&no_event)), 400),
            (self.app_call(Call::post("/v1/playground/chat/inbound").json(&stranger)), 404),
            (self.app_call(Call::post("/v1/media").json(&json!({}))), 415),
            (admin(Call::new(Method::PUT, SETTINGS)), 405),
            (admin(Call::get("/v1/nothing")), 404),
        ];
        // Another number with the same key.
        let last = self.known().last_number.clone();
        if let Some((key, number)) = last {
            let (rest, digit) = number.split_at(number.len() - 1);
            let other = format!("{rest}{}", if digit == "1" { "2" } else { "1" });
            let call = Call::post(NUMBERS).json(&json!({"number": other})).header("idempotency-key", &key);
            cases.push((admin(call), 422));
        }
        let (call, expected) = self.pick(&cases).unwrap();
        self.ask(call, expected);
    }
}
