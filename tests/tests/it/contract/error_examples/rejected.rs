//! Requests that are rejected.

use api::feed_query::feed_position;
use domain::events::feed::Position;
use serde_json::{Value, json};
use tests::catalogue::{Case, fresh_account, put_bytes, simulated_profile};
use tests::request::text;
use tests::samples::TEXT;
use tests::{Call, Service as _, World};

use super::NO_OBJECT;
use super::mistakes::wrong_body;
use super::states::rejected_by_state;

/// Requests that are rejected, the best example of each status first.
pub(super) async fn rejected(world: &World, case: &Case, operation: &Value) -> Vec<Call> {
    let id = operation["operationId"].as_str().unwrap();
    let call = case.call.clone().key(case.right_key(&world.org));

    let mut calls: Vec<Call> = wrong_body(id).map(|body| with_body(&call, &body)).into_iter().collect();
    if operation["parameters"].as_array().into_iter().flatten().any(|parameter| parameter["name"] == "limit") {
        let sign = if call.path.contains('?') { '&' } else { '?' };
        calls.push(with_path(&call, format!("{}{sign}limit=0", call.path)));
    }
    calls.extend(of_operation(world, id, &call).await);
    calls.extend(rejected_by_state(world, id, &call).await);
    calls.extend(of_any_operation(world, &call));
    calls
}

/// Requests that only this operation rejects in this way.
async fn of_operation(world: &World, id: &str, call: &Call) -> Vec<Call> {
    match id {
        "organization.chat.phoneNumbers.list" => {
            vec![with_path(call, format!("{}?chatBusinessProfileId=wabp_{NO_OBJECT}", call.path))]
        }
        "media.upload" => vec![
            call.clone().parts(&[("document", Some("a.txt"), Some("text/plain"), TEXT)]),
            call.clone().file("page.html", Some("text/html"), b"<!doctype html><title>x</title>"),
            call.clone().file("large.txt", Some("text/plain"), &vec![b'x'; 4_300_000]),
        ],
        "media.uploads.create" => vec![
            with_body(call, &json!({"fileName": "a.png", "mimeType": "image/png", "fileSize": 6_000_000})),
            with_body(call, &json!({"fileName": "a.html", "mimeType": "text/html", "fileSize": 10})),
        ],
        "media.complete" => uploads(world).await,
        "phoneNumbers.assign" => {
            let number = number_of_another_app(world).await;
            vec![with_body(call, &json!({"phoneNumberId": number}))]
        }
        "phoneNumbers.unassign" => {
            let number = number_of_another_app(world).await;
            vec![with_last_id(call, |_| number.clone())]
        }
        "organization.apps.create" | "organization.apps.update" => {
            vec![with_body(call, &json!({"name": "Shop", "slug": "shop"}))]
        }
        "organization.chat.businessProfiles.connect" => ["no-messaging", "refuse-133010", "refuse-131000"]
            .map(|token| with_body(call, &json!({"accessToken": token, "wabaId": "1001", "test": true})))
            .into(),
        "organization.chat.businessProfiles.completeSignup" => {
            let codes = ["refuse", "refuse-133010", "refuse-131000"];
            codes.map(|code| with_body(call, &json!({"code": code, "test": true}))).into()
        }
        "chat.groups.create" | "chat.groups.update" => {
            ["Friends-131215", "Friends-131000"].map(|subject| with_field(call, "subject", json!(subject))).into()
        }
        "chat.messages.send" => vec![
            with_field(call, "replyTo", json!(format!("msg_wa_{NO_OBJECT}"))),
            with_field(call, "to", json!("+99910131047")),
            with_field(call, "to", json!("+99910131057")),
        ],
        "sms.send" => vec![
            with_field(call, "mediaId", json!(format!("media_{NO_OBJECT}"))),
            with_field(call, "to", json!("+99940001")),
            with_field(call, "to", json!("+99940017")),
        ],
        "organization.chat.phoneNumbers.businessProfile.update" => {
            ["Open-100", "Open-131000"].map(|about| with_body(call, &json!({"about": about}))).into()
        }
        "organization.chat.phoneNumbers.verifyCode" => {
            ["136025", "131000"].map(|code| with_body(call, &json!({"code": code}))).into()
        }
        "organization.chat.phoneNumbers.registerAgain" | "organization.chat.phoneNumbers.pin.update" => {
            ["133005", "131000"].map(|pin| with_body(call, &json!({"pin": pin}))).into()
        }
        "playground.notifications.simulate" | "playground.simulations.run" => {
            vec![with_field(call, "target", json!(format!("wapn_test_{NO_OBJECT}")))]
        }
        "playground.chat.simulateInbound" | "playground.sms.simulateInbound" => {
            vec![with_field(call, "to", json!("+442079460199"))]
        }
        "organization.apps.events.list" | "events.list" => of_feed(world, call),
        "organization.chat.templates.get"
        | "organization.chat.templates.update"
        | "organization.chat.templates.delete" => {
            let path = call.path.rsplit_once('/').unwrap().0;
            let mut calls: Vec<Call> =
                ["x", "572279198452421"].map(|id| with_path(call, format!("{path}/{id}"))).into();
            if id == "organization.chat.templates.update" {
                let texts = ["Hello-100", "Hello-131000"].map(|text| json!([{"type": "BODY", "text": text}]));
                calls.extend(texts.map(|components| with_body(call, &json!({"components": components}))));
                calls.push(with_path(call, format!("{path}/{}", pending_template(world).await)));
            }
            calls
        }
        "organization.chat.templates.create" => {
            let texts = ["Hello-2388019", "Hello-131000"].map(|text| json!([{"type": "BODY", "text": text}]));
            texts.map(|components| with_field(call, "components", components)).into()
        }
        "chat.groups.participants.add" | "chat.groups.participants.remove" => {
            let participants = ["+12015550100-131215", "+12015550100-131000"];
            participants.map(|participant| with_body(call, &json!({"participants": [participant]}))).into()
        }
        _ => Vec::new(),
    }
}

/// A position that is no longer kept, and the feeds of a live app and of no app.
fn of_feed(world: &World, call: &Call) -> Vec<Call> {
    let org = &world.org;
    let (organization, app) = (org.id.parse().unwrap(), org.test_app.parse().unwrap());
    let gone = feed_position(&organization, &app, Position { opening: 0, sequence: 0 });
    vec![
        with_path(call, call.path.replace("oldest", &gone)),
        with_path(call, call.path.replace(&org.test_app, &org.app)),
        with_path(call, call.path.replace(&org.test_app, &unknown(&org.test_app))),
    ]
}

/// Other ids, an empty `Idempotency-Key`, and keys of other kinds.
fn of_any_operation(world: &World, call: &Call) -> Vec<Call> {
    let org = &world.org;
    let mut calls: Vec<Call> = with_unknown_ids(call).into_iter().collect();
    calls.push(with_last_id(call, unknown));
    calls.push(with_last_id(call, |_| "x".to_owned()));
    if call.method == http::Method::POST {
        calls.push(call.clone().header("idempotency-key", ""));
    }
    calls.push(call.clone().key(&org.app_key));
    calls.push(call.clone().key(&org.test_admin));
    calls.extend(serde_json::from_slice(&call.body).ok().map(|mut body: Value| {
        body["test"] = json!(false);
        with_body(call, &body).key(&org.test_admin)
    }));
    calls
}

pub(super) fn with_path(call: &Call, path: String) -> Call {
    Call { path, ..call.clone() }
}

pub(super) fn with_body(call: &Call, body: &Value) -> Call {
    call.clone().json(body)
}

fn body_of(call: &Call) -> Value {
    serde_json::from_slice(&call.body).unwrap()
}

pub(super) fn with_field(call: &Call, field: &str, value: Value) -> Call {
    let mut body = body_of(call);
    body[field] = value;
    with_body(call, &body)
}

/// Replaces the last id of the path, or the filter of a list if it is an id.
pub(super) fn with_last_id(call: &Call, id: impl Fn(&str) -> String) -> Call {
    let (path, query) =
        call.path.split_once('?').map_or((call.path.as_str(), None), |(path, query)| (path, Some(query)));
    if let Some((name, value)) = query.and_then(|query| query.split_once('=')) {
        let value = if is_id(value) { id(value) } else { value.to_owned() };
        return with_path(call, format!("{path}?{name}={value}"));
    }

    let mut segments: Vec<String> = path.split('/').map(str::to_owned).collect();
    if let Some(last) = segments.iter_mut().rev().find(|segment| is_id(segment)) {
        *last = id(last);
    }
    with_path(call, segments.join("/"))
}

fn is_id(text: &str) -> bool {
    text.contains('_') && text.len() > NO_OBJECT.len()
}

/// An id of the same kind that no object has.
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
