//! The examples of errors in the OpenAPI document are recorded responses of the service, each to its own operation.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use api::feed_query::feed_position;
use contract::Operation;
use domain::feed::Position;
use serde_json::{Value, json};
use tests::catalogue::{Case, cases, fresh_account, put_bytes, simulated_profile};
use tests::request::text;
use tests::samples::TEXT;
use tests::{Call, Service as _, World};

const FILE: &str = "../contract/errors.json";
/// An id's random part that no object has.
const NO_OBJECT: &str = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";
/// A position in a feed.
const POSITION: &str = "MTpmZWVkL2FwcF90ZXN0XzNNVjVTRzF5bjJycWhXeTR6djBDME11TzYzRjoxLTA6M0R0NENM";

/// The recorded bodies, by operation id and status.
type Recorded = BTreeMap<String, BTreeMap<String, Value>>;

/// A body with a typical mistake.
fn wrong_body(id: &str) -> Option<Value> {
    let events = json!({"url": "https://example.com/events", "events": ["messages.chat.received", "message.read"]});
    Some(match id {
        "updateSettings" => json!({"mediaRetentionDays": 0}),
        "createAdminKey" => json!({"name": "Backend", "expiresAt": "2020-01-01T00:00:00.000Z"}),
        "takePhoneNumber" => json!({"phoneNumberId": "+12015550100"}),
        "createPhoneNumber" => json!({"number": "020 7946 0000"}),
        "createApp" | "updateApp" => json!({"name": "Backend", "slug": "Back end"}),
        "createAppKey" => json!({"name": ""}),
        "createWebhook" | "updateWebhook" | "createOwnWebhook" | "updateOwnWebhook" => events,
        "testWebhook" | "testOwnWebhook" => json!({"event": "message.read"}),
        "recoverWebhook" | "recoverOwnWebhook" => json!({"since": "2026-11-21T00:00:00Z", "statuses": ["PENDING"]}),
        "rotateSecret" | "rotateOwnSecret" => json!({"gracePeriodSeconds": -1}),
        "setCalling" => json!({"maxConcurrentCalls": 0}),
        "createUpload" => json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 0}),
        "simulateInboundChat" => json!({"from": "+12015550100", "type": "image"}),
        "simulateNotification" => {
            json!({"field": "messages", "value": [], "target": "wapn_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv"})
        }
        "runSimulation" => json!({"scenario": "account_reviewed", "delaySeconds": 7200}),
        "sendChatMessage" => {
            json!({"from": "+12015550100", "to": "020 7946 0000", "type": "text", "text": {"body": "Hello"}})
        }
        "simulateInboundSms" => json!({"from": "020 7946 0000", "to": "+12015550100", "text": "Hello"}),
        "sendSms" => json!({"from": "+12015550100", "to": "020 7946 0000", "text": "Hello"}),
        "connectAccount" => json!({"accessToken": "EAAB a copied token", "wabaId": "1001"}),
        "createOnboardingLink" => {
            json!({"successUrl": "http://example.com/done", "failureUrl": "https://example.com/failed"})
        }
        "completeOnboarding" => json!({"code": "code.1001", "state": ""}),
        "completeSignup" => json!({"code": "code.1001", "redirectUri": "example.com"}),
        "registerChatPhoneNumber" => {
            json!({"displayPhoneNumber": "020 7946 0000", "providerPhoneNumberId": "1", "providerBusinessAccountId": "1"})
        }
        "syncTemplates" => json!({"chatBusinessProfileId": "102290129340398"}),
        "createTemplate" => json!({
            "chatBusinessProfileId": format!("wabp_{NO_OBJECT}"), "name": "order_shipped", "language": "en_US", "category": "UTILITY",
            "components": [{"type": "BODY", "text": "Hello {{1}}, your order is on its way."}],
        }),
        "updateTemplate" => {
            json!({"components": [{"type": "BODY", "text": "Order {{1}}", "example": {"body_text": [["12"]]}}]})
        }
        "blockUsers" | "unblockUsers" => json!({"users": ["020 7946 0000"]}),
        "updateNumberProfile" => json!({"websites": ["example.com"]}),
        "updateGroup" => json!({"subject": ""}),
        "approveJoinRequests" | "rejectJoinRequests" => json!({"joinRequestIds": []}),
        "createGroup" => json!({"chatPhoneNumberId": format!("wapn_{NO_OBJECT}"), "subject": ""}),
        "removeParticipants" => json!({"participants": ["020 7946 0000"]}),
        _ => return None,
    })
}

/// Replaces the last id of the path, or the filter of a list.
fn with_last_id(call: &Call, id: impl Fn(&str) -> String) -> Call {
    let (path, query) =
        call.path.split_once('?').map_or((call.path.as_str(), None), |(path, query)| (path, Some(query)));
    if let Some((name, value)) = query.and_then(|query| query.split_once('=')) {
        return Call { path: format!("{path}?{name}={}", id(value)), ..call.clone() };
    }
    let mut segments: Vec<String> = path.split('/').map(str::to_owned).collect();
    if let Some(last) = segments.iter_mut().rev().find(|segment| is_id(segment)) {
        *last = id(last);
    }
    Call { path: segments.join("/"), ..call.clone() }
}

fn is_id(text: &str) -> bool {
    text.contains('_') && text.len() > NO_OBJECT.len()
}

fn unknown(id: &str) -> String {
    format!("{}{NO_OBJECT}", &id[..id.len() - NO_OBJECT.len()])
}

/// The request with other ids in its body.
fn with_unknown_ids(call: &Call) -> Option<Call> {
    let mut body: Value = serde_json::from_slice(&call.body).ok()?;
    for (name, value) in body.as_object_mut()? {
        match (name.as_str(), value) {
            ("appIds", Value::Array(ids)) => {
                for id in ids {
                    *id = json!(unknown(id.as_str()?));
                }
            }
            ("chatPhoneNumberId" | "chatBusinessProfileId", id) => *id = json!(unknown(id.as_str()?)),
            ("phoneNumberId", id) => *id = json!(unknown(id.as_str()?)),
            ("providerBusinessAccountId", id) => *id = json!("102290129340398"),
            ("from", number) => *number = json!("+12015550199"),
            _ => {}
        }
    }
    Some(call.clone().json(&body))
}

/// Requests that are rejected, the best example of each status first.
async fn rejected(world: &World, case: &Case, operation: &Value) -> Vec<Call> {
    let id = operation["operationId"].as_str().unwrap();
    let org = &world.org;
    let call = case.call.clone().key(case.right_key(org));
    let with = |body: Value| call.clone().json(&body);
    let mut calls = Vec::new();
    calls.extend(wrong_body(id).map(&with));
    if operation["parameters"].as_array().into_iter().flatten().any(|parameter| parameter["name"] == "limit") {
        let sign = if call.path.contains('?') { '&' } else { '?' };
        calls.push(Call { path: format!("{}{sign}limit=0", call.path), ..call.clone() });
    }
    match id {
        "listChatPhoneNumbers" => {
            let filter = format!("?chatBusinessProfileId=wabp_{NO_OBJECT}");
            calls.push(Call { path: call.path.clone() + &filter, ..call.clone() });
        }
        "uploadMedia" => {
            calls.push(call.clone().parts(&[("document", Some("a.txt"), Some("text/plain"), TEXT)]));
            calls.push(call.clone().file("page.html", Some("text/html"), b"<!doctype html><title>x</title>"));
            calls.push(call.clone().file("large.txt", Some("text/plain"), &vec![b'x'; 4_300_000]));
        }
        "createUpload" => {
            calls.push(with(json!({"fileName": "a.png", "mimeType": "image/png", "fileSize": 6_000_000})));
            calls.push(with(json!({"fileName": "a.html", "mimeType": "text/html", "fileSize": 10})));
        }
        "completeUpload" => calls.extend(uploads(world).await),
        "takePhoneNumber" => {
            let number = number_of_another_app(world).await;
            calls.push(with(json!({"phoneNumberId": number})));
        }
        "giveBackPhoneNumber" => {
            let number = number_of_another_app(world).await;
            calls.push(with_last_id(&call, |id| if is_id(id) { number.clone() } else { id.to_owned() }));
        }
        "createApp" | "updateApp" => calls.push(with(json!({"name": "Shop", "slug": "shop"}))),
        "connectAccount" => {
            for token in ["no-messaging", "refuse-133010"] {
                calls.push(with(json!({"accessToken": token, "wabaId": "1001", "test": true})));
            }
        }
        "completeSignup" => {
            for code in ["refuse", "refuse-133010"] {
                calls.push(with(json!({"code": code, "test": true})));
            }
        }
        "createGroup" => {
            let mut body: Value = serde_json::from_slice(&call.body).unwrap();
            body["subject"] = json!("Friends-131215");
            calls.push(with(body));
        }
        "sendChatMessage" => {
            let mut body: Value = serde_json::from_slice(&call.body).unwrap();
            body["replyTo"] = json!(format!("msg_wa_{NO_OBJECT}"));
            calls.push(with(body));
        }
        "sendSms" => {
            let mut body: Value = serde_json::from_slice(&call.body).unwrap();
            body["mediaId"] = json!(format!("media_{NO_OBJECT}"));
            calls.push(with(body));
        }
        "simulateNotification" | "runSimulation" => {
            let mut body: Value = serde_json::from_slice(&call.body).unwrap();
            body["target"] = json!(format!("wapn_test_{NO_OBJECT}"));
            calls.push(with(body));
        }
        "simulateInboundChat" | "simulateInboundSms" => {
            let mut body: Value = serde_json::from_slice(&call.body).unwrap();
            body["to"] = json!("+442079460199");
            calls.push(with(body));
        }
        "listEvents" | "listOwnEvents" => {
            let (organization, app) = (org.id.parse().unwrap(), org.test_app.parse().unwrap());
            let gone = feed_position(&organization, &app, Position { opening: 0, sequence: 0 });
            calls.push(Call { path: call.path.replace("oldest", &gone), ..call.clone() });
            for other in [org.app.clone(), unknown(&org.test_app)] {
                calls.push(Call { path: call.path.replace(&org.test_app, &other), ..call.clone() });
            }
        }
        "getTemplate" | "updateTemplate" | "deleteTemplate" => {
            let path = call.path.rsplit_once('/').unwrap().0.to_owned();
            calls.extend(["x", "572279198452421"].map(|id| Call { path: format!("{path}/{id}"), ..call.clone() }));
            if id == "updateTemplate" {
                calls.push(with(json!({"components": [{"type": "BODY", "text": "Hello-2388293"}]})));
                calls.push(Call { path: format!("{path}/{}", pending_template(world).await), ..call.clone() });
            }
        }
        "createTemplate" => {
            let mut body: Value = serde_json::from_slice(&call.body).unwrap();
            body["components"][0] = json!({"type": "BODY", "text": "Hello-2388293"});
            calls.push(with(body));
        }
        "removeParticipants" => calls.push(with(json!({"participants": ["+12015550100-131215"]}))),
        _ => {}
    }
    calls.extend(with_unknown_ids(&call));
    calls.push(with_last_id(&call, |id| if is_id(id) { unknown(id) } else { id.to_owned() }));
    calls.push(with_last_id(&call, |id| if is_id(id) { "x".to_owned() } else { id.to_owned() }));
    calls.push(call.clone().header("webhook-id", "evt_1"));
    calls.push(call.clone().key(&org.app_key));
    calls.push(call.clone().key(&org.test_admin));
    calls.extend(serde_json::from_slice(&call.body).ok().map(|mut body: Value| {
        body["test"] = json!(false);
        with(body).key(&org.test_admin)
    }));
    calls
}

/// A template whose review never ends, so that it cannot be edited.
async fn pending_template(world: &World) -> String {
    let profile = simulated_profile(world, &fresh_account(), false).await;
    let body = json!({
        "chatBusinessProfileId": profile["id"], "name": "order_pending", "language": "en_US", "category": "UTILITY",
        "components": [{"type": "BODY", "text": "Hello"}],
    });
    text(&world.admin(Call::post("/v1/organization/chat/templates").json(&body)).await.expect(201), "id")
}

async fn number_of_another_app(world: &World) -> String {
    let apps = world.admin(Call::get("/v1/organization/apps?limit=100")).await.expect(200);
    let is_other = |app: &&Value| app["id"] != world.org.app.as_str() && app["isTestApp"] == false;
    let other = apps["data"].as_array().unwrap().iter().find(is_other).unwrap()["id"].clone();
    let numbers = world.admin(Call::get("/v1/organization/phone-numbers?limit=100")).await.expect(200);
    let number = format!("+120155502{:02}", numbers["data"].as_array().unwrap().len());
    let made = Call::post("/v1/organization/phone-numbers").json(&json!({"number": number, "appIds": [other]}));
    text(&world.admin(made).await.expect(201), "id")
}

/// Completions without bytes, and with bytes of another type.
async fn uploads(world: &World) -> Vec<Call> {
    let announced = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": TEXT.len()});
    let mut calls = Vec::new();
    for is_uploaded in [false, true] {
        let upload = Call::post("/v1/media/uploads").key(&world.org.app_key).json(&announced);
        let upload = world.send(upload).await.expect(201);
        if is_uploaded {
            put_bytes(&upload, TEXT.to_vec()).await.unwrap();
        }
        calls.push(Call::post(format!("/v1/media/{}/complete", text(&upload, "id"))).key(&world.org.app_key));
    }
    calls
}

/// The statuses whose example belongs to the operation: 400, 404, those that its annotation describes, and 413 of an upload.
fn own_statuses(operation: &Value) -> BTreeSet<String> {
    let is_upload = operation.pointer("/requestBody/content/multipart~1form-data").is_some();
    let responses = operation["responses"].as_object().unwrap().iter();
    let own = responses.filter(|(status, response)| {
        ["400", "404"].contains(&status.as_str())
            || status.as_str() == "413" && is_upload
            || ["403", "409", "410", "413", "415", "422"].contains(&status.as_str()) && response.get("$ref").is_none()
    });
    own.map(|(status, _)| status.clone()).collect()
}

async fn record(world: &World) -> Recorded {
    let document = contract::document();
    let mut recorded = Recorded::new();
    let shop = Call::post("/v1/organization/apps").json(&json!({"name": "Shop", "slug": "shop"}));
    world.admin(shop).await.expect(201);
    for case in cases(world).await {
        let operation = &document["paths"][case.template][case.method().as_str().to_lowercase()];
        let mut calls = rejected(world, &case, operation).await;
        if operation["responses"].get("410").is_some() && case.method() == http::Method::POST {
            calls.push(of_an_erased_message(world, &case).await);
        }
        keep(world, operation, case.call.clone().key(case.right_key(&world.org)), calls, &mut recorded).await;
    }
    for route in contract::ROUTES.iter().filter(|route| ["reference", "notifications"].contains(&route.function)) {
        let operation = &document["paths"][&route.path][route.method.as_str().to_lowercase()];
        let call = Call::new(route.method.clone(), route.path.replace(['{', '}'], ""));
        let hook = call.clone().header("webhook-id", "evt_1");
        let empty = Call { path: format!("{}?hub.mode=subscribe", call.path), ..call.clone() };
        keep(world, operation, call.clone(), vec![hook, empty, call], &mut recorded).await;
    }
    recorded
}

/// Sends a message, erases its recipient, and returns the request that sent it.
async fn of_an_erased_message(world: &World, case: &Case) -> Call {
    let mut body: Value = serde_json::from_slice(&case.call.body).unwrap();
    body["to"] = json!("+16505550186");
    let call = case.call.clone().json(&body).key(case.right_key(&world.org)).header("idempotency-key", "erased");
    world.send(call.clone()).await.expect(201);
    let erase = json!({"operation": "eraseContact", "organizationId": world.org.id, "contact": body["to"]});
    world.operate(erase).await.unwrap();
    world.sweep().await;
    world.work_off().await;
    call
}

/// Sends the requests, and then the valid one twice, so that later cases find its effect. Keeps the first response of
/// each status. A valid deletion is not sent.
async fn keep(world: &World, operation: &Value, valid: Call, calls: Vec<Call>, recorded: &mut Recorded) {
    let own = own_statuses(operation);
    let kept = recorded.entry(operation["operationId"].as_str().unwrap().to_owned()).or_default();
    let is_deletion = valid.method == http::Method::DELETE;
    // Later cases need the object that a deletion would remove.
    let calls = if is_deletion { calls } else { [calls, vec![valid.clone(), valid]].concat() };
    for call in calls {
        let reply = world.send(call).await;
        let status = reply.status.as_u16().to_string();
        if own.contains(&status) {
            // The document has the address of its own installation.
            let body = reply.text.replace(tests::settings::DOCS_URL, "https://api.example.com");
            let mut body: Value = serde_json::from_str(&body).unwrap();
            if body["error"].get("additional_info").is_some() && status == "410" {
                // A position depends on the ids of organization and app.
                body["error"]["additional_info"] = json!([POSITION]);
            }
            kept.entry(status).or_insert(body);
        }
    }
}

/// `UPDATE_SAMPLES=1` records the examples again; `cargo run -p contract` then adds them to the document.
#[tokio::test]
async fn the_examples_of_errors_are_what_the_service_answers() {
    let world = World::new().await;
    let recorded = record(&world).await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var("UPDATE_SAMPLES").is_ok() {
        std::fs::write(&path, format!("{:#}\n", json!(recorded))).unwrap();
    }
    let committed: Recorded = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for (id, statuses) in &recorded {
        assert_eq!(committed.get(id), Some(statuses), "{id}: set UPDATE_SAMPLES=1");
    }
    assert_eq!(committed.len(), recorded.len());
}

/// The names that an error of the operation can have in `param`.
fn parameters(document: &Value, operation: &Operation<'_>) -> BTreeSet<String> {
    let resolve = |value: &Value| match value["$ref"].as_str() {
        Some(reference) => document.pointer(&reference[1..]).unwrap().clone(),
        None => value.clone(),
    };
    let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let mut names: BTreeSet<String> =
        parameters.map(|parameter| resolve(parameter)["name"].as_str().unwrap().to_owned()).collect();
    let content = operation.value.get("requestBody").and_then(|body| body["content"].as_object());
    for media in content.into_iter().flatten().map(|(_, media)| media) {
        let schema = resolve(&media["schema"]);
        let variants = schema["oneOf"].as_array().cloned().unwrap_or_default();
        for schema in variants.iter().map(resolve).chain([schema]) {
            names.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
        }
        names.insert("Content-Type".to_owned());
    }
    // Rules about the content of a file name the file, also where it was uploaded before.
    if operation.path.starts_with("/v1/media") {
        names.insert("file".to_owned());
    }
    // A delivery of a webhook must not call the API.
    names.insert("webhook-id".to_owned());
    names
}

#[test]
fn an_example_of_an_error_names_a_parameter_of_its_operation() {
    let document = contract::document();
    let mut named = 0;
    for operation in contract::operations(&document) {
        let names = parameters(&document, &operation);
        for (status, response) in operation.value["responses"].as_object().unwrap() {
            let reference = response["$ref"].as_str().map_or("", |reference| &reference[1..]);
            let response = document.pointer(reference).filter(|_| !reference.is_empty()).unwrap_or(response);
            let Some(param) = response.pointer("/content/application~1json/example/error/param") else { continue };
            let root = param.as_str().unwrap().split(['.', '[']).next().unwrap();
            // The platform's query parameters have a dot in their names.
            let is_own = names.contains(root) || names.contains(param.as_str().unwrap());
            assert!(is_own, "{} {status}: {param} is not one of {names:?}", operation.id());
            named += 1;
        }
    }
    assert!(named > 140, "{named}");
}
