//! The examples of errors in the OpenAPI document are recorded responses of the service, each to its own operation.

mod everywhere;
mod mistakes;
mod parameters;
mod rejected;
mod states;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use tests::catalogue::{Case, cases};
use tests::{Call, Reply, Service as _, World};

use self::rejected::rejected;

const FILE: &str = "../contract/errors.json";
/// An id's random part that no object has.
const NO_OBJECT: &str = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";
/// A position in a feed.
const POSITION: &str = "MTpmZWVkL2FwcF90ZXN0XzNNVjVTRzF5bjJycWhXeTR6djBDME11TzYzRjoxLTA6M0R0NENM";

/// The recorded bodies, by operation id and status.
type Recorded = BTreeMap<String, BTreeMap<String, Value>>;

/// `UPDATE_SAMPLES=1` records the examples again; `cargo run -p contract` then adds them to the document.
#[tokio::test]
async fn the_examples_of_errors_are_what_the_service_answers() {
    let world = World::new().await;
    let recorded = record(&world).await;

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var("UPDATE_SAMPLES").is_ok() {
        std::fs::write(&path, contract::print::json(&json!(recorded))).unwrap();
    }

    let committed: Recorded = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for (id, statuses) in &recorded {
        assert_eq!(committed.get(id), Some(statuses), "{id}: set UPDATE_SAMPLES=1");
    }
    assert_eq!(committed.len(), recorded.len());
}

/// Sends rejected requests to every operation, and records the responses.
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
        let empty = Call { path: format!("{}?hub.mode=subscribe", call.path), ..call.clone() };
        keep(world, operation, call.clone(), vec![empty, call], &mut recorded).await;
    }
    recorded.insert("everywhere".to_owned(), everywhere::record(world).await);
    recorded
}

/// The body of a response as the document shows it, which has the address of its own installation.
fn shown(reply: &Reply) -> Value {
    serde_json::from_str(&reply.text.replace(tests::settings::DOCS_URL, "https://api.example.com")).unwrap()
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
    let mut kept = BTreeMap::new();
    let is_deletion = valid.method == http::Method::DELETE;
    // Later cases need the object that a deletion would remove.
    let calls = if is_deletion { calls } else { [calls, vec![valid.clone(), valid]].concat() };

    for call in calls {
        let reply = world.send(call).await;
        let status = reply.status.as_u16().to_string();
        if own.contains(&status) {
            let mut body = shown(&reply);
            if body["error"].get("additional_info").is_some() && status == "410" {
                // A position depends on the ids of organization and app.
                body["error"]["additional_info"] = json!([POSITION]);
            }
            kept.entry(status).or_insert(body);
        }
    }
    if !kept.is_empty() {
        recorded.insert(operation["operationId"].as_str().unwrap().to_owned(), kept);
    }
}

/// The responses that have the same example at every operation.
const SHARED: [&str; 7] = [
    "Unauthorized",
    "Conflict",
    "PayloadTooLarge",
    "UnsupportedMediaType",
    "UnprocessableEntity",
    "TooManyRequests",
    "InternalServerError",
];

/// The statuses whose example belongs to the operation: all errors but those that look the same everywhere, and 413 of an upload.
fn own_statuses(operation: &Value) -> BTreeSet<String> {
    let is_upload = operation.pointer("/requestBody/content/multipart~1form-data").is_some();
    let is_shared = |response: &Value| {
        let name = response["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
        name.is_some_and(|name| SHARED.contains(&name))
    };
    let responses = operation["responses"].as_object().unwrap().iter();
    let own = responses.filter(|(status, response)| {
        status.starts_with(['4', '5']) && !is_shared(response) || status.as_str() == "413" && is_upload
    });
    own.map(|(status, _)| status.clone()).collect()
}
