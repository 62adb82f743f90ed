//! The objects that exist at the start of each input.

use domain::events::webhook::ListedQueues;
use operator::Operator;
use serde_json::{Value, json};
use store::Store;
use tests::Call;
use tests::request::text;
use tests::standin::StandIn;

use super::parts::{Parts, TABLE};
use super::{ACCOUNT, NUMBER, Service};

impl Service {
    /// Creates an organization with an object of every kind.
    pub(super) fn populate(&self, parts: &Parts, stand_in: &StandIn) -> Vec<(&'static str, String)> {
        let store = Store::new(parts.memory.connection().dynamodb(), TABLE);
        let operator = Operator::with_clock(
            store,
            None,
            parts.platforms(),
            ListedQueues::default(),
            Box::new(parts.clock.clone()),
        );
        let request = json!({"operation": "createOrganization", "name": "Acme"});
        let request = serde_json::from_value(request).expect("a request");
        let made = self.run(operator.perform(request)).expect("an organization");
        let made = serde_json::to_value(made).expect("JSON");
        let (admin, session) = (text(&made, "adminKey"), text(&made, "sessionToken"));
        let post = |path: &str, key: &str, body: &Value, status: u16| {
            self.send(&Call::post(path).key(key).json(body)).expect(status)
        };
        let organization = "/v1/organization";
        let apps = format!("{organization}/apps");
        let app = text(&post(&apps, &admin, &json!({"name": "Live"}), 201), "id");
        let test_app = text(&post(&apps, &admin, &json!({"name": "Test", "test": true}), 201), "id");
        let key = |app: &str| post(&format!("{apps}/{app}/keys"), &admin, &json!({}), 201);
        let (app_key, test_app_key) = (key(&app), key(&test_app));
        let admin_key = post(&format!("{organization}/admin-keys"), &admin, &json!({"name": "Second"}), 201);
        let events: Vec<&str> = domain::events::event::EventName::ALL.iter().map(|event| event.as_str()).collect();
        let hook = json!({"url": "https://example.com/hooks", "events": events, "headers": {"X-Team": "blue"}});
        let hook = text(&post(&format!("{apps}/{app}/webhooks"), &admin, &hook, 201), "id");
        let delivery = post(&format!("{apps}/{app}/webhooks/{hook}/test"), &admin, &json!({}), 202);
        let number = json!({"number": "+12015550100", "appIds": [app]});
        let number = text(&post(&format!("{organization}/phone-numbers"), &admin, &number, 201), "id");
        let (app_key_id, app_key) = (text(&app_key, "id"), text(&app_key, "key"));
        let test_app_key = text(&test_app_key, "key");
        let png = Call::post("/v1/media").key(&app_key).file("a.png", Some("image/png"), tests::samples::PNG);
        let media = text(&self.send(&png).expect(201), "id");
        let pdf = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": tests::samples::PDF.len()});
        let upload = text(&post("/v1/media/uploads", &app_key, &pdf, 201), "id");
        self.memory
            .keep_object(&format!("bucket/incoming/{}/{upload}", text(&made, "organizationId")), tests::samples::PDF);
        let user = text(&post("/v1/playground/chat/phone-numbers/user", &test_app_key, &json!({}), 201), "number");
        let system = self.send(&Call::get("/v1/playground/phone-numbers/system").key(&test_app_key)).expect(200);
        let written = json!({"from": user, "type": "text", "text": {"body": "Hello"}});
        let message = text(&post("/v1/playground/chat/inbound", &test_app_key, &written, 201), "id");
        let profile = self.connect(&admin, "2001", true);
        let sync = Call::post(format!("{organization}/chat/templates/sync")).key(&admin);
        self.memory.sent();
        self.send(&sync.json(&json!({"chatBusinessProfileId": profile["id"]}))).expect(503);
        self.work_on(self.memory.sent());
        let numbers =
            self.send(&Call::get(format!("{organization}/chat/phone-numbers?limit=100")).key(&admin)).expect(200);
        let own = numbers["data"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|number| number["apps"][0]["appId"] == test_app.as_str());
        let chat_number = text(own.expect("the number of the test app"), "id");
        let group = json!({"chatPhoneNumberId": chat_number, "subject": "Friends"});
        let group = text(&post("/v1/chat/groups", &test_app_key, &group, 201), "id");
        stand_in.account(ACCOUNT, &[(NUMBER, "15550783881")]);
        let live = self.connect(&admin, ACCOUNT, false);
        let live_number = text(&live["phoneNumbers"][0], "id");
        self.send(&Call::put(format!("{apps}/{app}/phone-numbers/{live_number}")).key(&admin)).expect(200);
        let mut names = vec![
            ("ADMIN", admin),
            ("TEST_ADMIN", text(&made, "testAdminKey")),
            ("SESSION", session),
            ("APP_KEY", app_key),
            ("TEST_APP_KEY", test_app_key),
            ("ORG", text(&made, "organizationId")),
            ("ADMIN_ID", text(&admin_key, "id")),
            ("APP", app),
            ("TEST_APP", test_app),
            ("KEY", app_key_id),
            ("HOOK", hook),
            ("DELIVERY", text(&delivery, "id")),
            ("NUMBER", number),
            ("MEDIA", media),
            ("UPLOAD", upload),
            ("USER", user),
            ("SYSTEM", system["numbers"][0].as_str().unwrap_or_default().to_owned()),
            ("MESSAGE", message),
            ("PROFILE", text(&profile, "id")),
            ("CHAT_NUMBER", chat_number),
            ("GROUP", group),
            ("LIVE_PROFILE", text(&live, "id")),
            ("LIVE_NUMBER", live_number),
        ];
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        names
    }

    fn connect(&self, admin: &str, account: &str, test: bool) -> Value {
        let body = json!({"code": format!("code.{account}"), "wabaId": account, "test": test});
        self.send(&Call::post(tests::catalogue::SIGNUP).key(admin).json(&body)).expect(201)
    }
}
