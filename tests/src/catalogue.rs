//! One valid request for every operation that takes a credential, for objects of the test organization.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::port::{Clock as _, SystemClock};
use http::Method;
use serde_json::{Value, json};

use crate::request::{Call, text};
use crate::samples::PNG;
use crate::world::{Organization, Service};

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    Admin,
    /// An admin key or a session token.
    Member,
    App,
    /// An app key; here the test app's, because the operation uses test objects.
    AppInTestMode,
    TestApp,
}

#[derive(Clone, Debug)]
pub struct Case {
    /// The path with parameter names, as in the OpenAPI document.
    pub template: &'static str,
    pub policy: Policy,
    pub call: Call,
    pub status: u16,
    /// Whether the path or body names an object, so that another organization gets 404.
    pub names_object: bool,
    /// Whether the named object is live, so that test keys must not see it.
    pub is_live: bool,
}

impl Case {
    pub fn method(&self) -> &Method {
        &self.call.method
    }

    /// The organization's credential for the operation.
    pub fn right_key<'a>(&self, org: &'a Organization) -> &'a str {
        match self.policy {
            Policy::Admin | Policy::Member => &org.admin,
            Policy::App => &org.app_key,
            Policy::AppInTestMode | Policy::TestApp => &org.test_app_key,
        }
    }

    /// Valid credentials of kinds that the operation does not accept.
    pub fn wrong_kinds<'a>(&self, org: &'a Organization) -> Vec<&'a str> {
        match self.policy {
            Policy::Admin => vec![&org.app_key, &org.test_app_key, &org.session],
            Policy::Member => vec![&org.app_key, &org.test_app_key],
            Policy::App | Policy::AppInTestMode | Policy::TestApp => vec![&org.admin, &org.test_admin, &org.session],
        }
    }
}

/// All cases, in an order in which each of them succeeds.
pub async fn cases(service: &impl Service) -> Vec<Case> {
    let org = service.org();
    let app = format!("/v1/organization/apps/{}", org.app);
    let key = text(&service.admin(Call::post(format!("{app}/keys"))).await.expect(201), "id");
    let webhook = json!({"url": "https://example.com/a", "events": ["messages.sms.sent"], "headers": {"X-Team": "blue-team-secret"}});
    let hook = text(&service.admin(Call::post(format!("{app}/webhooks")).json(&webhook)).await.expect(201), "id");
    let delivery = service.admin(Call::post(format!("{app}/webhooks/{hook}/test"))).await.expect(202);
    let delivery = text(&delivery, "id");
    let admin_key = text(
        &service.admin(Call::post("/v1/organization/admin-keys").json(&json!({"name": "k"}))).await.expect(201),
        "id",
    );
    let number =
        service.admin(Call::post("/v1/organization/phone-numbers").json(&json!({"number": "+12015550100"}))).await;
    let number = text(&number.expect(201), "id");
    let doomed = text(
        &service.admin(Call::post("/v1/organization/apps").json(&json!({"name": "Doomed"}))).await.expect(201),
        "id",
    );
    let file = service.send(Call::post("/v1/media").key(&org.app_key).file("a.png", Some("image/png"), PNG)).await;
    let file = text(&file.expect(201), "id");
    let pending = uploaded(service).await;
    let user = service.send(Call::post("/v1/playground/chat/phone-numbers/user").key(&org.test_app_key)).await;
    let user = text(&user.expect(201), "number");
    let system =
        service.send(Call::get("/v1/playground/phone-numbers/system").key(&org.test_app_key)).await.expect(200);
    let system = system["numbers"][0].as_str().unwrap().to_owned();

    let chat_cases = chat_cases(service).await;
    let case = |policy, status, template, call: Call| Case {
        template,
        policy,
        call,
        status,
        names_object: template.contains('{'),
        is_live: template.contains('{'),
    };
    use Policy::{Admin, App, Member, TestApp};
    let calling = json!({"voicemailEnabled": true});
    let chat = json!({"from": user, "type": "text", "text": "Hello"});
    let sms = json!({"from": system, "to": "+442079460111", "text": "Hello"});
    let upload = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 10});
    let cases = vec![
        case(Admin, 200, "/v1/organization/settings", Call::get("/v1/organization/settings")),
        case(
            Admin,
            200,
            "/v1/organization/settings",
            Call::patch("/v1/organization/settings").json(&json!({"name": "Acme 2"})),
        ),
        case(Member, 200, "/v1/organization/admin-keys", Call::get("/v1/organization/admin-keys")),
        case(
            Admin,
            201,
            "/v1/organization/admin-keys",
            Call::post("/v1/organization/admin-keys").json(&json!({"name": "another"})),
        ),
        case(Member, 200, "/v1/organization/phone-numbers", Call::get("/v1/organization/phone-numbers")),
        Case {
            names_object: true,
            is_live: true,
            ..case(
                Admin,
                201,
                "/v1/organization/phone-numbers",
                Call::post("/v1/organization/phone-numbers")
                    .json(&json!({"number": "+12015550101", "appIds": [org.app]})),
            )
        },
        case(
            Member,
            200,
            "/v1/organization/phone-numbers/{phoneNumberId}",
            Call::get(format!("/v1/organization/phone-numbers/{number}")),
        ),
        case(
            Admin,
            200,
            "/v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}",
            Call::put(format!("{app}/phone-numbers/{number}")),
        ),
        case(
            Admin,
            200,
            "/v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}",
            Call::delete(format!("{app}/phone-numbers/{number}")),
        ),
        case(
            Admin,
            200,
            "/v1/organization/phone-numbers/{phoneNumberId}",
            Call::delete(format!("/v1/organization/phone-numbers/{number}")),
        ),
        case(Member, 200, "/v1/organization/apps", Call::get("/v1/organization/apps")),
        case(Admin, 201, "/v1/organization/apps", Call::post("/v1/organization/apps").json(&json!({"name": "Third"}))),
        case(Member, 200, "/v1/organization/apps/{appId}", Call::get(&app)),
        case(Admin, 200, "/v1/organization/apps/{appId}", Call::patch(&app).json(&json!({"name": "Renamed"}))),
        case(Admin, 200, "/v1/organization/apps/{appId}", Call::delete(format!("/v1/organization/apps/{doomed}"))),
        case(Member, 200, "/v1/organization/apps/{appId}/keys", Call::get(format!("{app}/keys"))),
        case(Admin, 201, "/v1/organization/apps/{appId}/keys", Call::post(format!("{app}/keys"))),
        case(Admin, 200, "/v1/organization/apps/{appId}/keys/{keyId}", Call::delete(format!("{app}/keys/{key}"))),
        case(Member, 200, "/v1/organization/apps/{appId}/webhooks", Call::get(format!("{app}/webhooks"))),
        case(
            Admin,
            201,
            "/v1/organization/apps/{appId}/webhooks",
            Call::post(format!("{app}/webhooks")).json(&webhook),
        ),
        case(
            Member,
            200,
            "/v1/organization/apps/{appId}/webhooks/{webhookId}",
            Call::get(format!("{app}/webhooks/{hook}")),
        ),
        case(
            Admin,
            200,
            "/v1/organization/apps/{appId}/webhooks/{webhookId}",
            Call::put(format!("{app}/webhooks/{hook}")).json(&json!({"url": "https://example.com/b"})),
        ),
        case(
            Admin,
            202,
            "/v1/organization/apps/{appId}/webhooks/{webhookId}/test",
            Call::post(format!("{app}/webhooks/{hook}/test")),
        ),
        case(
            Admin,
            200,
            "/v1/organization/apps/{appId}/webhooks/{webhookId}/rotate-secret",
            Call::post(format!("{app}/webhooks/{hook}/rotate-secret")),
        ),
        case(
            Member,
            200,
            "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries",
            Call::get(format!("{app}/webhooks/{hook}/deliveries")),
        ),
        case(
            Admin,
            202,
            "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
            Call::post(format!("{app}/webhooks/{hook}/deliveries/{delivery}/redeliver")),
        ),
        case(
            Admin,
            200,
            "/v1/organization/apps/{appId}/webhooks/{webhookId}",
            Call::delete(format!("{app}/webhooks/{hook}")),
        ),
        case(Admin, 200, "/v1/organization/apps/{appId}/calling", Call::put(format!("{app}/calling")).json(&calling)),
        case(Admin, 200, "/v1/organization/apps/{appId}/calling", Call::get(format!("{app}/calling"))),
        case(App, 201, "/v1/media", Call::post("/v1/media").file("b.png", Some("image/png"), PNG)),
        case(App, 201, "/v1/media/uploads", Call::post("/v1/media/uploads").json(&upload)),
        case(App, 200, "/v1/media/{mediaId}/complete", Call::post(format!("/v1/media/{pending}/complete"))),
        case(App, 200, "/v1/media/{mediaId}", Call::get(format!("/v1/media/{file}"))),
        case(App, 200, "/v1/media/{mediaId}", Call::delete(format!("/v1/media/{file}"))),
        Case {
            names_object: true,
            ..case(TestApp, 201, "/v1/playground/chat/messages", Call::post("/v1/playground/chat/messages").json(&chat))
        },
        case(
            Member,
            200,
            "/v1/organization/playground/chat/phone-numbers/user",
            Call::get("/v1/organization/playground/chat/phone-numbers/user"),
        ),
        case(
            TestApp,
            201,
            "/v1/playground/chat/phone-numbers/user",
            Call::post("/v1/playground/chat/phone-numbers/user"),
        ),
        case(TestApp, 200, "/v1/playground/phone-numbers/system", Call::get("/v1/playground/phone-numbers/system")),
        case(TestApp, 201, "/v1/playground/sms/messages", Call::post("/v1/playground/sms/messages").json(&sms)),
        case(
            Admin,
            200,
            "/v1/organization/admin-keys/{id}",
            Call::delete(format!("/v1/organization/admin-keys/{admin_key}")),
        ),
    ];
    // The last case may delete the caller's own key.
    let (last, first) = cases.split_last().unwrap();
    [first, &chat_cases, std::slice::from_ref(last)].concat()
}

/// Connects a new simulated account.
pub async fn simulated_profile(service: &impl Service, account: &str, is_coexistence: bool) -> Value {
    let body =
        json!({"code": format!("code.{account}"), "wabaId": account, "test": true, "isCoexistence": is_coexistence});
    service.admin(Call::post(SIGNUP).json(&body)).await.expect(201)
}

/// A simulated account whose third number is not registered yet. Returns the account's id and the number.
pub async fn number_that_came_later(service: &impl Service) -> (String, String) {
    let account = fresh_account();
    let profile = simulated_profile(service, &account, false).await;
    let sync = json!({"chatBusinessProfileId": profile["id"]});
    service.admin(Call::post(format!("{CHAT}/templates/sync")).json(&sync)).await.expect(200);
    // The three numbers of an account are consecutive.
    let first: u64 = text(verified_number(&profile), "displayPhoneNumber")[1..].parse().unwrap();
    (account, format!("+{}", first + 2))
}

/// The account's number that can be registered. While the test clock stands still, the list's order is undefined.
pub fn verified_number(profile: &Value) -> &Value {
    profile["phoneNumbers"].as_array().unwrap().iter().find(|number| number["verified"] == true).unwrap()
}

/// The id of an unused account.
pub fn fresh_account() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("2{}{:03}", SystemClock.now().millis(), NEXT.fetch_add(1, Ordering::SeqCst) % 1000)
}

pub const SIGNUP: &str = "/v1/organization/chat/business-profiles/callback";
const CHAT: &str = "/v1/organization/chat";

/// The chat cases, in test mode, which need no platform.
async fn chat_cases(service: &impl Service) -> Vec<Case> {
    let org = service.org();
    let profile = simulated_profile(service, &fresh_account(), false).await;
    let profile_id = text(&profile, "id");
    let (later, number_later) = number_that_came_later(service).await;
    let numbers = service.admin(Call::get(format!("{CHAT}/phone-numbers?limit=100"))).await.expect(200);
    let own =
        numbers["data"].as_array().unwrap().iter().find(|number| number["apps"][0]["appId"] == org.test_app.as_str());
    let number = text(own.unwrap(), "id");
    let user = service.send(Call::post("/v1/playground/chat/phone-numbers/user").key(&org.test_app_key)).await;
    let written = json!({"from": user.expect(201)["number"], "type": "text", "text": "Hello"});
    let written = service.send(Call::post("/v1/playground/chat/messages").key(&org.test_app_key).json(&written)).await;
    let message = text(&written.expect(201), "id");
    let group = json!({"chatPhoneNumberId": number, "subject": "Friends"});
    let made = service.send(Call::post("/v1/chat/groups").key(&org.test_app_key).json(&group)).await.expect(201);
    let made = text(&made, "id");
    let account = fresh_account();
    let signup = json!({"code": format!("code.{account}"), "wabaId": account, "test": true});
    let registration = json!({
        "displayPhoneNumber": number_later,
        "providerPhoneNumberId": format!("{later}03"),
        "providerBusinessAccountId": later,
    });
    let case = |policy, status, template: &'static str, call: Call, names_object| Case {
        template,
        policy,
        call,
        status,
        names_object,
        is_live: false,
    };
    use Policy::{Admin, AppInTestMode as App, Member};
    vec![
        case(
            Member,
            200,
            "/v1/organization/chat/business-profiles",
            Call::get(format!("{CHAT}/business-profiles")),
            false,
        ),
        case(Admin, 201, SIGNUP, Call::post(SIGNUP).json(&signup), false),
        case(
            Admin,
            200,
            "/v1/organization/chat/business-profiles/{profileId}",
            Call::get(format!("{CHAT}/business-profiles/{profile_id}")),
            true,
        ),
        case(Member, 200, "/v1/organization/chat/phone-numbers", Call::get(format!("{CHAT}/phone-numbers")), false),
        case(
            Admin,
            201,
            "/v1/organization/chat/phone-numbers",
            Call::post(format!("{CHAT}/phone-numbers")).json(&registration),
            true,
        ),
        case(
            Member,
            200,
            "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}",
            Call::get(format!("{CHAT}/phone-numbers/{number}")),
            true,
        ),
        case(
            Admin,
            200,
            "/v1/organization/chat/templates/sync",
            Call::post(format!("{CHAT}/templates/sync")).json(&json!({"chatBusinessProfileId": profile_id})),
            true,
        ),
        case(
            Member,
            200,
            "/v1/organization/chat/templates",
            Call::get(format!("{CHAT}/templates?chatBusinessProfileId={profile_id}")),
            true,
        ),
        case(
            Member,
            200,
            "/v1/organization/chat/messages",
            Call::get(format!("{CHAT}/messages?chatPhoneNumberId={number}")),
            true,
        ),
        case(
            Admin,
            200,
            "/v1/organization/chat/messages/{messageId}",
            Call::get(format!("{CHAT}/messages/{message}")),
            true,
        ),
        case(App, 201, "/v1/chat/groups", Call::post("/v1/chat/groups").json(&group), true),
        case(App, 200, "/v1/chat/groups/{groupId}", Call::get(format!("/v1/chat/groups/{made}")), true),
        case(
            App,
            200,
            "/v1/chat/groups/{groupId}/participants",
            Call::delete(format!("/v1/chat/groups/{made}/participants"))
                .json(&json!({"participants": ["+12015550100"]})),
            true,
        ),
    ]
}

/// A direct upload whose bytes are uploaded, ready to be completed.
pub async fn uploaded(service: &impl Service) -> String {
    let announced =
        json!({"fileName": "big.pdf", "mimeType": "application/pdf", "fileSize": crate::samples::PDF.len()});
    let upload =
        service.send(Call::post("/v1/media/uploads").key(&service.org().app_key).json(&announced)).await.expect(201);
    put_bytes(&upload, crate::samples::PDF.to_vec()).await.unwrap();
    text(&upload, "id")
}

/// Uploads bytes as the response of `createUpload` says. `Err` is the bucket's error response.
pub async fn put_bytes(upload: &serde_json::Value, bytes: Vec<u8>) -> Result<(), u16> {
    let url = text(upload, "uploadUrl");
    let headers: Vec<(String, String)> = upload["headers"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
        .collect();
    tokio::task::spawn_blocking(move || {
        let mut request = ureq::put(&url);
        for (name, value) in headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length")) {
            request = request.header(name, value);
        }
        match request.send(&bytes[..]) {
            Ok(_) => Ok(()),
            Err(ureq::Error::StatusCode(status)) => Err(status),
            Err(other) => panic!("{other}"),
        }
    })
    .await
    .unwrap()
}

/// Gets a presigned URL. Returns the status, content type, content disposition and bytes.
pub async fn download(url: String) -> (u16, String, String, Vec<u8>) {
    tokio::task::spawn_blocking(move || {
        let agent = ureq::Agent::new_with_config(ureq::Agent::config_builder().http_status_as_error(false).build());
        let mut answer = agent.get(&url).call().unwrap();
        let header =
            |name: &str| answer.headers().get(name).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
        let (mime, disposition) = (header("content-type"), header("content-disposition"));
        (answer.status().as_u16(), mime, disposition, answer.body_mut().read_to_vec().unwrap())
    })
    .await
    .unwrap()
}
