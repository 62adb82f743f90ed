//! One valid request for every operation that takes a credential, for objects of the test organization.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::Mode;
use domain::credential::Bearer;
use domain::credential_kind::CredentialKind;
use domain::port::{Clock as _, SystemClock};
use http::Method;
use ring::rand::SystemRandom;
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
    /// The key of a test app, or a test admin key.
    Tester,
    /// The token of an onboarding link, which the case has.
    Link,
}

/// The value of the header of the webhook in the cases.
pub const HEADER_VALUE: &str = "blue-team-secret";

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
    /// The token of an onboarding link.
    pub token: Option<String>,
}

impl Case {
    pub fn method(&self) -> &Method {
        &self.call.method
    }

    /// The organization's credential for the operation.
    pub fn right_key<'a>(&'a self, org: &'a Organization) -> &'a str {
        match self.policy {
            Policy::Admin | Policy::Member => &org.admin,
            Policy::App => &org.app_key,
            Policy::AppInTestMode | Policy::TestApp | Policy::Tester => &org.test_app_key,
            Policy::Link => self.token.as_deref().unwrap_or_default(),
        }
    }

    /// The status of the response if the caller may not see the objects that the case names.
    pub fn hidden_status(&self) -> u16 {
        if self.sends_a_message() { 403 } else { 404 }
    }

    /// The status of the response to a repeated request.
    pub fn repeated_status(&self) -> u16 {
        if self.sends_a_message() { 200 } else { self.status }
    }

    fn sends_a_message(&self) -> bool {
        ["/v1/chat/messages", "/v1/sms"].contains(&self.template) && self.call.method == Method::POST
    }

    /// A key of the right kind and with a valid checksum, which was never created.
    pub fn forged_key(&self, organization: &str) -> String {
        let kind = match self.policy {
            Policy::Admin | Policy::Member => CredentialKind::AdminKey,
            Policy::App => CredentialKind::AppKey(Mode::Live),
            Policy::AppInTestMode | Policy::TestApp | Policy::Tester => CredentialKind::AppKey(Mode::Test),
            Policy::Link => CredentialKind::OnboardingLink,
        };
        let organization = organization.parse().unwrap();
        Bearer::mint(kind, &organization, &SystemRandom::new()).secret.expose().to_owned()
    }

    /// Valid credentials of kinds that the operation does not accept.
    pub fn wrong_kinds<'a>(&self, org: &'a Organization) -> Vec<&'a str> {
        match self.policy {
            Policy::Admin => vec![&org.app_key, &org.test_app_key, &org.session],
            Policy::Member => vec![&org.app_key, &org.test_app_key],
            Policy::App | Policy::AppInTestMode | Policy::TestApp => vec![&org.admin, &org.test_admin, &org.session],
            Policy::Tester => vec![&org.session],
            Policy::Link => vec![&org.admin, &org.app_key, &org.session],
        }
    }
}

/// All cases, in an order in which each of them succeeds.
pub async fn cases(service: &impl Service) -> Vec<Case> {
    let org = service.org();
    let app = format!("/v1/organization/apps/{}", org.app);
    let key = text(&service.admin(Call::post(format!("{app}/keys"))).await.expect(201), "id");
    let webhook =
        json!({"url": "https://example.com/a", "events": ["messages.sms.sent"], "headers": {"X-Team": HEADER_VALUE}});
    let hook = text(&service.admin(Call::post(format!("{app}/webhooks")).json(&webhook)).await.expect(201), "id");
    let delivery = service.admin(Call::post(format!("{app}/webhooks/{hook}/test"))).await.expect(202);
    let (delivery, event) = (text(&delivery, "id"), text(&delivery, "eventId"));
    let other = text(&service.admin(Call::post(format!("{app}/webhooks")).json(&webhook)).await.expect(201), "id");
    let recovery = service.admin(Call::post(format!("{app}/webhooks/{other}/recover")).json(&recover())).await;
    let recovery = format!("{other}/recoveries/{}", text(&recovery.expect(202), "id"));
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
    let sms_cases = sms_cases(service, &system).await;
    let own_cases = own_cases(service, &webhook, &recovery).await;
    let case = |policy, status, template, call: Call| Case {
        template,
        policy,
        call,
        status,
        names_object: template.contains('{'),
        is_live: template.contains('{'),
        token: None,
    };
    use Policy::{Admin, App, Member, TestApp, Tester};
    let calling = json!({"voicemailEnabled": true});
    let chat = json!({"from": user, "type": "text", "text": {"body": "Hello"}});
    let sms = json!({"from": "+442079460111", "to": system, "text": "Hello"});
    let numbers = service.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    let is_own = |number: &&Value| number["apps"][0]["appId"] == org.test_app.as_str();
    let own = numbers["data"].as_array().unwrap().iter().find(is_own).unwrap();
    let told = json!({"field": "account_review_update", "value": {"decision": "APPROVED"}, "target": own["id"]});
    let scenario = json!({"scenario": "account_rejected", "target": own["id"]});
    let simulation = Call::post("/v1/playground/simulations").key(&org.test_app_key).json(&scenario);
    let simulation = text(&service.send(simulation).await.expect(201), "id");
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
        Case {
            is_live: false,
            ..case(
                Admin,
                200,
                "/v1/organization/apps/{appId}/events",
                Call::get(format!("/v1/organization/apps/{}/events?after=oldest", org.test_app)),
            )
        },
        case(Policy::AppInTestMode, 200, "/v1/events", Call::get("/v1/events?after=oldest")),
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
            Member,
            200,
            "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}",
            Call::get(format!("{app}/webhooks/{hook}/deliveries/{delivery}")),
        ),
        case(Admin, 200, "/v1/organization/events/{eventId}", Call::get(format!("/v1/organization/events/{event}"))),
        case(
            Admin,
            202,
            "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
            Call::post(format!("{app}/webhooks/{hook}/deliveries/{delivery}/redeliver")),
        ),
        case(
            Admin,
            202,
            "/v1/organization/apps/{appId}/webhooks/{webhookId}/recover",
            Call::post(format!("{app}/webhooks/{hook}/recover")).json(&recover()),
        ),
        case(
            Member,
            200,
            "/v1/organization/apps/{appId}/webhooks/{webhookId}/recoveries/{recoveryId}",
            Call::get(format!("{app}/webhooks/{recovery}")),
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
        case(TestApp, 201, "/v1/playground/chat/inbound", Call::post("/v1/playground/chat/inbound").json(&chat)),
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
        Case {
            names_object: true,
            ..case(Tester, 202, "/v1/playground/notifications", Call::post("/v1/playground/notifications").json(&told))
        },
        case(Tester, 200, "/v1/playground/scenarios", Call::get("/v1/playground/scenarios")),
        Case {
            names_object: true,
            ..case(Tester, 201, "/v1/playground/simulations", Call::post("/v1/playground/simulations").json(&scenario))
        },
        Case {
            is_live: false,
            ..case(
                Tester,
                200,
                "/v1/playground/simulations/{simulationId}",
                Call::get(format!("/v1/playground/simulations/{simulation}")),
            )
        },
        case(TestApp, 201, "/v1/playground/sms/inbound", Call::post("/v1/playground/sms/inbound").json(&sms)),
        case(
            Admin,
            200,
            "/v1/organization/admin-keys/{id}",
            Call::delete(format!("/v1/organization/admin-keys/{admin_key}")),
        ),
    ];
    // The last case may delete the caller's own key.
    let (last, first) = cases.split_last().unwrap();
    [first, &chat_cases, &sms_cases, &own_cases, std::slice::from_ref(last)].concat()
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
pub const PROFILES: &str = "/v1/organization/chat/business-profiles";
const PROFILE: &str = "/v1/organization/chat/business-profiles/{profileId}";
const CHAT: &str = "/v1/organization/chat";
const NUMBER_PROFILE: &str = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/business-profile";
const TEMPLATES: &str = "/v1/organization/chat/templates";
const TEMPLATE: &str = "/v1/organization/chat/templates/{templateId}";
const GROUP: &str = "/v1/chat/groups/{groupId}";
const BLOCKED_USERS: &str = "/v1/chat/phone-numbers/{chatPhoneNumberId}/blocked-users";

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
    let written = json!({"from": user.expect(201)["number"], "type": "text", "text": {"body": "Hello"}});
    let written = service.send(Call::post("/v1/playground/chat/inbound").key(&org.test_app_key).json(&written)).await;
    let message = text(&written.expect(201), "id");
    let outgoing = json!({"from": number, "to": "+12015550100", "type": "text", "text": {"body": "Hello"}});
    let inbound = json!({"messageId": message});
    let group = json!({"chatPhoneNumberId": number, "subject": "Friends", "joinApprovalMode": "approval_required"});
    let made = service.send(Call::post("/v1/chat/groups").key(&org.test_app_key).json(&group)).await.expect(201);
    let made = text(&made, "id");
    let doomed = Call::post("/v1/chat/groups").key(&org.test_app_key).json(&group);
    let doomed = text(&service.send(doomed).await.expect(201), "id");
    let open = Call::get(format!("/v1/chat/groups/{made}/join-requests")).key(&org.test_app_key);
    let open = service.send(open).await.expect(200)["data"].clone();
    let profile_of_number = format!("{CHAT}/phone-numbers/{number}/business-profile");
    let blocked = format!("/v1/chat/phone-numbers/{number}/blocked-users");
    let users = json!({"users": ["+12015550100"]});
    let components = json!([{"type": "BODY", "text": "Hello, your order is on its way."}]);
    let template = json!({"chatBusinessProfileId": profile_id, "name": "order_shipped", "language": "en_US", "category": "UTILITY", "components": components});
    // The templates that the sync of the later account has brought.
    let template_of = |number: u32| format!("{TEMPLATES}/{later}{number:05}");
    let account = fresh_account();
    let signup = json!({"code": format!("code.{account}"), "wabaId": account, "test": true});
    let account = fresh_account();
    let token = json!({"accessToken": format!("token.{account}"), "wabaId": account, "test": true});
    let doomed_profile = text(&simulated_profile(service, &fresh_account(), false).await, "id");
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
        token: None,
    };
    use Policy::{Admin, AppInTestMode as App, Member};
    let mut cases = vec![
        case(Member, 200, PROFILES, Call::get(PROFILES), false),
        case(Admin, 201, SIGNUP, Call::post(SIGNUP).json(&signup), false),
        case(Admin, 201, PROFILES, Call::post(PROFILES).json(&token), false),
        case(Admin, 200, PROFILE, Call::delete(format!("{PROFILES}/{doomed_profile}")), true),
        case(Admin, 200, PROFILE, Call::get(format!("{PROFILES}/{profile_id}")), true),
        case(
            Admin,
            200,
            "/v1/organization/chat/platform-check",
            Call::get(format!("{CHAT}/platform-check?profileId={profile_id}")),
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
        case(Admin, 201, TEMPLATES, Call::post(TEMPLATES).json(&template), true),
        case(Member, 200, TEMPLATE, Call::get(template_of(2)), true),
        case(Admin, 200, TEMPLATE, Call::patch(template_of(1)).json(&json!({"components": components})), true),
        case(Admin, 200, TEMPLATE, Call::delete(template_of(3)), true),
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
        case(App, 200, "/v1/chat/messages", Call::get(format!("/v1/chat/messages?chatPhoneNumberId={number}")), true),
        case(App, 200, "/v1/chat/messages/{messageId}", Call::get(format!("/v1/chat/messages/{message}")), true),
        case(App, 200, "/v1/chat/templates", Call::get(format!("/v1/chat/templates?chatPhoneNumberId={number}")), true),
        case(App, 201, "/v1/chat/messages", Call::post("/v1/chat/messages").json(&outgoing), true),
        case(App, 200, "/v1/chat/messages/read", Call::post("/v1/chat/messages/read").json(&inbound), true),
        case(App, 200, "/v1/chat/messages/typing", Call::post("/v1/chat/messages/typing").json(&inbound), true),
        case(Member, 200, NUMBER_PROFILE, Call::get(&profile_of_number), true),
        case(
            Admin,
            200,
            NUMBER_PROFILE,
            Call::patch(&profile_of_number)
                .json(&json!({"about": "Open from 9 to 5", "websites": ["https://example.com"]})),
            true,
        ),
        case(App, 200, BLOCKED_USERS, Call::get(&blocked), true),
        case(App, 200, BLOCKED_USERS, Call::post(&blocked).json(&users), true),
        case(App, 200, BLOCKED_USERS, Call::delete(&blocked).json(&users), true),
        case(App, 201, "/v1/chat/groups", Call::post("/v1/chat/groups").json(&group), true),
        case(App, 200, "/v1/chat/groups", Call::get(format!("/v1/chat/groups?chatPhoneNumberId={number}")), true),
        case(App, 200, GROUP, Call::get(format!("/v1/chat/groups/{made}")), true),
        case(App, 200, GROUP, Call::patch(format!("/v1/chat/groups/{made}")).json(&json!({"subject": "Foes"})), true),
        case(App, 200, GROUP, Call::delete(format!("/v1/chat/groups/{doomed}")), true),
        case(
            App,
            200,
            "/v1/chat/groups/{groupId}/invite-link",
            Call::post(format!("/v1/chat/groups/{made}/invite-link")),
            true,
        ),
        case(
            App,
            200,
            "/v1/chat/groups/{groupId}/join-requests",
            Call::get(format!("/v1/chat/groups/{made}/join-requests")),
            true,
        ),
        case(
            App,
            200,
            "/v1/chat/groups/{groupId}/join-requests/approve",
            Call::post(format!("/v1/chat/groups/{made}/join-requests/approve"))
                .json(&json!({"joinRequestIds": [open[0]["id"]]})),
            true,
        ),
        case(
            App,
            200,
            "/v1/chat/groups/{groupId}/join-requests/reject",
            Call::post(format!("/v1/chat/groups/{made}/join-requests/reject"))
                .json(&json!({"joinRequestIds": [open[1]["id"]]})),
            true,
        ),
        case(
            App,
            200,
            "/v1/chat/groups/{groupId}/participants",
            Call::delete(format!("/v1/chat/groups/{made}/participants"))
                .json(&json!({"participants": ["+12015550100"]})),
            true,
        ),
    ];
    cases.extend(link_cases(service).await);
    cases
}

/// The SMS cases, in test mode, which need no carrier.
async fn sms_cases(service: &impl Service, system: &str) -> Vec<Case> {
    let org = service.org();
    let body = |from: &str| json!({"from": from, "to": "+12025550123", "text": "Your order is on its way."});
    let sent = service.send(Call::post("/v1/sms").key(&org.test_app_key).json(&body(system))).await.expect(201);
    let (message, number) = (text(&sent, "id"), text(&sent, "phoneNumberId"));
    let case = |policy, status, template: &'static str, call: Call| Case {
        template,
        policy,
        call,
        status,
        names_object: true,
        is_live: false,
        token: None,
    };
    let log = "/v1/organization/sms/messages";
    vec![
        case(Policy::AppInTestMode, 201, "/v1/sms", Call::post("/v1/sms").json(&body(&number))),
        case(Policy::AppInTestMode, 200, "/v1/sms", Call::get(format!("/v1/sms?phoneNumberId={number}"))),
        case(Policy::AppInTestMode, 200, "/v1/sms/{messageId}", Call::get(format!("/v1/sms/{message}"))),
        case(Policy::Member, 200, "/v1/organization/sms/messages", Call::get(format!("{log}?phoneNumberId={number}"))),
        case(Policy::Admin, 200, "/v1/organization/sms/messages/{messageId}", Call::get(format!("{log}/{message}"))),
    ]
}

/// The body of a recovery.
fn recover() -> Value {
    json!({"since": "2026-01-01T00:00:00Z"})
}

/// The operations of an app key on its own app's webhooks and phone numbers.
async fn own_cases(service: &impl Service, webhook: &Value, recovery: &str) -> Vec<Case> {
    let org = service.org();
    let own = |call: Call| service.send(call.key(&org.app_key));
    let hook = text(&own(Call::post("/v1/webhooks").json(webhook)).await.expect(201), "id");
    let hook = format!("/v1/webhooks/{hook}");
    let delivery = text(&own(Call::post(format!("{hook}/test"))).await.expect(202), "id");
    let number = Call::post("/v1/organization/phone-numbers").json(&json!({"number": "+12015550102"}));
    let number = text(&service.admin(number).await.expect(201), "id");
    let case = |status, template: &'static str, call: Call| Case {
        template,
        policy: Policy::App,
        call,
        status,
        names_object: template.contains('{'),
        is_live: false,
        token: None,
    };
    let take = Call::post("/v1/phone-numbers").json(&json!({"phoneNumberId": number}));
    vec![
        case(200, "/v1/webhooks", Call::get("/v1/webhooks")),
        case(201, "/v1/webhooks", Call::post("/v1/webhooks").json(webhook)),
        case(200, "/v1/webhooks/{webhookId}", Call::get(&hook)),
        case(200, "/v1/webhooks/{webhookId}", Call::put(&hook).json(&json!({"url": "https://example.com/b"}))),
        case(202, "/v1/webhooks/{webhookId}/test", Call::post(format!("{hook}/test"))),
        case(200, "/v1/webhooks/{webhookId}/rotate-secret", Call::post(format!("{hook}/rotate-secret"))),
        case(200, "/v1/webhooks/{webhookId}/deliveries", Call::get(format!("{hook}/deliveries"))),
        case(
            200,
            "/v1/webhooks/{webhookId}/deliveries/{deliveryId}",
            Call::get(format!("{hook}/deliveries/{delivery}")),
        ),
        case(
            202,
            "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
            Call::post(format!("{hook}/deliveries/{delivery}/redeliver")),
        ),
        case(202, "/v1/webhooks/{webhookId}/recover", Call::post(format!("{hook}/recover")).json(&recover())),
        case(200, "/v1/webhooks/{webhookId}/recoveries/{recoveryId}", Call::get(format!("/v1/webhooks/{recovery}"))),
        case(200, "/v1/webhooks/{webhookId}", Call::delete(&hook)),
        case(200, "/v1/phone-numbers", Call::get("/v1/phone-numbers")),
        Case { names_object: true, ..case(200, "/v1/phone-numbers", take) },
        case(200, "/v1/phone-numbers/{phoneNumberId}", Call::delete(format!("/v1/phone-numbers/{number}"))),
    ]
}

/// Creates a direct upload and uploads its bytes, so that it can be completed. Returns its id.
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

const LINKS: &str = "/v1/organization/chat/onboarding-links";

/// Creates a test link, and returns its id and token.
pub async fn onboarding_link(service: &impl Service) -> (String, String) {
    let body =
        json!({"successUrl": "https://example.com/done", "failureUrl": "https://example.com/failed", "test": true});
    let made = service.admin(Call::post(LINKS).json(&body)).await.expect(201);
    let token = text(&made, "url").split_once('#').unwrap().1.to_owned();
    (text(&made, "id"), token)
}

/// Begins a signup with a link, and returns the cookie and the state.
pub async fn begun_onboarding(service: &impl Service, token: &str) -> (String, String) {
    let reply = service.send(Call::put("/v1/onboarding/signup").key(token)).await;
    let cookie = reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let url = text(&reply.expect(200), "url");
    let (_, state) = url.split_once("state=").unwrap();
    (cookie, state.split('&').next().unwrap().to_owned())
}

async fn link_cases(service: &impl Service) -> Vec<Case> {
    let (shown, _) = onboarding_link(service).await;
    let (doomed, doomed_token) = onboarding_link(service).await;
    let (_, used_token) = onboarding_link(service).await;
    let (_, open_token) = onboarding_link(service).await;
    let (cookie, state) = begun_onboarding(service, &used_token).await;
    let new = json!({"successUrl": "https://example.com/done", "failureUrl": "https://example.com/failed", "state": "customer-7", "metadata": {"plan": "gold"}, "test": true});
    let complete = Call::post("/v1/onboarding/complete").header("cookie", &cookie);
    let complete = complete.json(&json!({"code": format!("code.{}", fresh_account()), "state": state}));
    let case = |policy, status, template: &'static str, call: Call, token: Option<&str>| Case {
        template,
        policy,
        call,
        status,
        names_object: template.contains('{'),
        is_live: false,
        token: token.map(str::to_owned),
    };
    let link = "/v1/organization/chat/onboarding-links/{onboardingLinkId}";
    use Policy::{Admin, Link};
    vec![
        case(Admin, 200, LINKS, Call::get(LINKS), None),
        case(Admin, 201, LINKS, Call::post(LINKS).json(&new), None),
        case(Admin, 200, link, Call::get(format!("{LINKS}/{shown}")), None),
        case(Admin, 200, link, Call::delete(format!("{LINKS}/{doomed}")), None),
        case(Link, 200, "/v1/onboarding", Call::get("/v1/onboarding"), Some(&open_token)),
        case(Link, 200, "/v1/onboarding/signup", Call::put("/v1/onboarding/signup"), Some(&open_token)),
        case(Link, 200, "/v1/onboarding/complete", complete, Some(&used_token)),
        case(Link, 200, "/v1/onboarding/cancel", Call::post("/v1/onboarding/cancel"), Some(&doomed_token)),
    ]
}
