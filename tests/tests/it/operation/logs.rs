//! Log lines name the request or object that they are about, and contain no values from requests.

use std::collections::BTreeSet;
use std::time::Duration;

use api::HttpService;
use aws::queue::{Job, QueueEvent};
use axum::Router;
use axum::routing::post;
use domain::id::EventId;
use http::Request;
use http_body_util::BodyExt as _;
use lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpRequestContext;
use lambda_http::request::RequestContext;
use lambda_runtime::{Context, LambdaEvent};
use ring::rand::SystemRandom;
use runtime::invoked;
use runtime::logging::WORKSPACE_CRATES;
use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::chat::connect;
use tests::faults::Fault;
use tests::logs::Captured;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::samples::PNG;
use tests::standin::{APP_SECRET, Misbehave, VERIFY_TOKEN, error, signature};
use tests::{Call, Service as _, World};

const BODY: &str = "a-recognisable-body";
const HEADER: &str = "a-recognisable-header";

/// The call in the gateway's format.
fn through_gateway(call: Call, id: &str, route: Option<String>) -> Request<axum::body::Body> {
    let mut request = call.request();
    let mut gateway = ApiGatewayV2httpRequestContext::default();
    gateway.request_id = Some(id.to_owned());
    gateway.route_key = route;
    request.extensions_mut().insert(RequestContext::ApiGatewayV2(gateway));
    request
}

/// The call in the gateway's format, with a recognizable value wherever one is possible.
fn recognisable(call: Call, id: &str) -> Request<axum::body::Body> {
    let agent = format!("curl/8 {HEADER}");
    let call = call.header("x-something", HEADER).header("idempotency-key", HEADER).header("user-agent", &agent);
    through_gateway(call, id, None)
}

async fn answer(api: &HttpService, call: Call, id: &str) -> u16 {
    api.respond(recognisable(call, id)).await.status().as_u16()
}

/// Returns the only log line of a request or an invocation.
#[track_caller]
fn only_line(captured: &Captured, request: &str) -> Value {
    let lines = captured.lines_of(request);
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines[0].clone()
}

#[track_caller]
fn says_nothing_of(captured: &Captured, secrets: &[&str]) {
    for secret in secrets {
        assert!(!captured.text().contains(secret), "logged {secret}");
        assert!(!captured.everything().contains(secret), "logged {secret}, but for the filter");
    }
}

async fn panics(body: String) -> &'static str {
    match body.as_str() {
        "literal" => panic!("a literal"),
        _ => panic!("{body}"),
    }
}

#[tokio::test]
async fn nothing_of_a_request_is_logged_whatever_becomes_of_it() {
    let captured = Captured::start();
    let world = World::new().await;
    let (org, settings) = (&world.org, "/v1/organization/settings");
    let send = async |call: Call, id: &str| answer(world.api(&call.path), call, id).await;
    let patch = |name: Value| Call::patch(settings).json(&json!({ "name": name })).key(&org.admin);

    assert_eq!(send(patch(json!(BODY)), "success").await, 200);
    assert_eq!(send(patch(json!([BODY])), "bad-request").await, 400);
    assert_eq!(send(patch(json!(BODY)).key(&format!("{}x", org.admin)), "unauthenticated").await, 401);
    assert_eq!(send(Call::get(format!("{settings}/{BODY}?a={BODY}")), "no-path").await, 404);
    for id in ["success", "bad-request", "unauthenticated", "no-path"] {
        assert_eq!(captured.lines_of(id), Vec::<Value>::new(), "nothing of it is our fault");
    }
    world.faults.set(Fault::TimedOut);
    assert_eq!(send(patch(json!(BODY)), "server-error").await, 500);
    world.faults.clear();
    let line = only_line(&captured, "server-error");
    assert_eq!((&line["level"], &line["status"]), (&json!("ERROR"), &json!(500)));
    assert!(text(&line, "message").starts_with("request failed: "), "{line}");
    assert_eq!(line.get("organization"), None, "who called was not proven");

    let installation = world.worker.inbox.context.installation.clone();
    let broken = || HttpService::new(Router::new().route("/panic", post(panics)), installation.clone());
    for (sent, id, said) in [(BODY, "panic", "at this place"), ("literal", "panic-literal", "a literal")] {
        let call = Call::post("/panic").bytes(sent).key(&org.admin);
        assert_eq!(answer(&broken(), call, id).await, 500);
        let lines = captured.lines_of(id);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert_eq!(lines[0]["message"], format!("panic: {said}"));
        assert!(text(&lines[0], "place").starts_with("tests/tests/it/operation/logs.rs:"));
        assert_eq!(lines[1]["message"], "request failed: panic");
    }
    says_nothing_of(&captured, &[BODY, HEADER, &org.admin]);
}

#[tokio::test]
async fn a_line_names_request_organization_and_app() {
    let captured = Captured::start();
    let world = World::new().await;
    let org = &world.org;
    // The bucket is called only after authentication.
    let upload = || Call::post("/v1/media").key(&org.app_key).file("a.png", None, PNG);
    world.faults.set(Fault::BucketSilent);
    assert_eq!(answer(world.api("/v1/media"), upload(), "of-an-app").await, 500);
    let line = only_line(&captured, "of-an-app");
    assert_eq!((&line["organization"], &line["app"]), (&json!(org.id), &json!(org.app)));
    // An admin's request names the app in its path.
    let hook = json!({"url": "https://example.com", "events": ["chat.account.connected"]});
    world.faults.clear();
    let hooks = format!("/v1/organization/apps/{}/webhooks", org.app);
    let hook = text(&world.admin(Call::post(&hooks).json(&hook)).await.expect(201), "id");
    world.faults.set(Fault::BucketSilent);
    let test = Call::post(format!("{hooks}/{hook}/test")).key(&org.admin);
    answer(world.api(&hooks), test, "of-an-admin").await;
    world.faults.clear();
    let line = only_line(&captured, "of-an-admin");
    assert_eq!((&line["organization"], &line["app"]), (&json!(org.id), &json!(org.app)));
    says_nothing_of(&captured, &[HEADER, &org.admin, &org.app_key]);
}

fn invocation<T>(id: &str, payload: T) -> LambdaEvent<T> {
    let mut context = Context::default();
    context.request_id = id.to_owned();
    LambdaEvent::new(payload, context)
}

fn message(body: &str) -> QueueEvent {
    let record = json!({"messageId": "message-1", "receiptHandle": "1", "body": body, "attributes": {}});
    serde_json::from_value(json!({"Records": [record]})).unwrap()
}

/// The routes of the contract that change something, with a credential.
fn writes_of_the_contract() -> BTreeSet<String> {
    let document: Value =
        serde_json::from_str(include_str!("../../../../docs/openapi.json")).expect("the document is JSON");
    let mut writes = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in ["post", "put", "patch", "delete"] {
            let operation = &item[method];
            if operation["security"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind != &json!({}))) {
                writes.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    writes
}

/// Every write is one line with organization, key, object and request; every read is one line without an object.
#[tokio::test]
async fn every_write_says_who_changed_what() {
    let captured = Captured::start();
    let world = World::new().await;
    let (mut left, mut count) = (writes_of_the_contract(), 0);
    assert!(left.len() > 25, "{left:?}");
    for case in tests::catalogue::cases(&world).await {
        count += 1;
        let route = format!("{} {}", case.method(), case.template);
        let id = format!("{}-{count}", world.org.id);
        let key = case.right_key(&world.org).to_owned();
        let call = case.call.clone().key(&key).header("user-agent", "curl/8.5.0");
        let request = through_gateway(call, &id, Some(route.clone()));
        let path = request.uri().path().to_owned();
        let response = world.with_worker(world.api_of(case.method(), &path).respond(request)).await;
        assert_eq!(response.status(), case.status, "{route}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let lines = captured.records_of(&id);
        let [line] = lines.as_slice() else { panic!("{route}: {lines:?}") };
        let is_write = case.method() != http::Method::GET;
        assert_eq!(line["message"], if is_write { "write" } else { "request" }, "{route}");
        assert_eq!(
            (&line["route"], &line["status"], &line["client"]),
            (&json!(route), &json!(case.status), &json!("curl"))
        );
        assert_eq!(line["organization"], world.org.id, "{route}");
        // The credential of a customer is the link.
        let prefix = if case.template.starts_with("/v1/onboarding") { "onb_" } else { "key_" };
        assert!(text(line, "key").starts_with(prefix), "{route}: {line}");
        assert!(!captured.text().contains(&key), "{route}");
        if !is_write {
            assert_eq!(line.get("object"), None, "{route}");
            continue;
        }
        // A signal to the sender of a message changes no object.
        if body == json!({"success": true}) && !case.template.contains('{') {
            assert_eq!(line.get("object"), None, "{route}");
            left.remove(&route);
            continue;
        }
        let object = text(line, "object");
        let sent = case.call.path.rsplit('/').chain(["", world.org.id.as_str()]);
        let is_known = body["id"] == *object
            || body["number"] == *object
            || (!object.is_empty() && sent.into_iter().any(|part| part == object))
            || (!object.is_empty() && String::from_utf8_lossy(&case.call.body).contains(&object))
            || object.starts_with("wabp_")
            || line["key"] == *object;
        assert!(is_known, "{route}: {object} {body}");
        left.remove(&route);
    }
    assert_eq!(left, BTreeSet::new(), "operations without a case");
    // Neither the file names nor the texts and numbers of the cases are logged.
    for sent in ["Acme 2", "Hello", "+442079460111", "blue-team-secret", "big.pdf"] {
        assert!(!captured.text().contains(sent), "logged {sent}");
    }
}

/// A repeated request is a line of its own that says so; a rejected one has no object.
#[tokio::test]
async fn repeated_and_rejected_writes_are_told_apart() {
    let captured = Captured::start();
    let world = World::new().await;
    let path = "/v1/organization/apps";
    let route = Some(format!("POST {path}"));
    let create = |id: &str, name: &str| {
        let call = Call::post(path).json(&json!({"name": name})).key(&world.org.admin).header("idempotency-key", "1");
        through_gateway(call, id, route.clone())
    };
    for (id, name, status) in [("once", "A", 201), ("again", "A", 201), ("other", "B", 422)] {
        let id = format!("{}-{id}", world.org.id);
        assert_eq!(world.api(path).respond(create(&id, name)).await.status(), status);
    }
    let record = |id: &str| captured.records_of(&format!("{}-{id}", world.org.id)).remove(0);
    let (once, again, other) = (record("once"), record("again"), record("other"));
    assert_eq!((&once["object"], &once["message"]), (&again["object"], &again["message"]));
    assert_eq!((once.get("replayed"), again.get("replayed")), (None, Some(&json!(true))));
    assert_eq!((&other["message"], other.get("object"), &other["status"]), (&json!("request"), None, &json!(422)));
    assert_eq!(once["client"], "none");
}

/// What a request leaves behind is logged with its id: the job of the worker, the dispatch of its event, and each attempt.
#[tokio::test]
async fn later_work_carries_the_request_that_caused_it() {
    let captured = Captured::start();
    let world = World::with_local_webhooks().await;
    let org = &world.org;
    let receiver = Receiver::start(status(200));
    let hook = json!({"url": receiver.url, "events": ["messages.sms.received", "messages.chat.received"]});
    let hooks = format!("/v1/organization/apps/{}/webhooks", org.test_app);
    world.admin(Call::post(&hooks).json(&hook)).await.expect(201);
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&org.test_app_key)).await.expect(200);
    let path = "/v1/playground/sms/inbound";
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": BODY});
    let origin = format!("{}-sms", org.id);
    let call = Call::post(path).json(&sms).key(&org.test_app_key);
    let response = world.api(path).respond(through_gateway(call, &origin, None)).await;
    assert_eq!(response.status(), 201);
    world.dispatch().await;
    world.deliver().await;
    let steps = |origin: &str| -> Vec<String> {
        captured.lines_with("origin", origin).iter().map(|line| text(line, "message")).collect()
    };
    assert_eq!(steps(&origin), ["event dispatched", "delivery attempted"]);
    let attempted = &captured.lines_with("origin", &origin)[1];
    assert_eq!((&attempted["organization"], &attempted["app"]), (&json!(org.id), &json!(org.test_app)));
    assert_eq!(attempted["status"], 200);
    assert!(text(attempted, "delivery").starts_with("dlv_"), "{attempted}");
    assert!(receiver.got()[0].json().get("requestId").is_none(), "receivers do not see it");

    // A notification whose updates are queued, and whose events the worker therefore emits.
    let line = connect(&world, org, "1503").await;
    let body = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": BODY}})).to_string();
    let path = "/v1/platform/notifications";
    let origin = format!("{}-notification", org.id);
    let signed = signature(APP_SECRET, body.as_bytes());
    let call = Call::post(path).header("x-hub-signature-256", &signed).bytes(body);
    let response = world.notifications(Duration::ZERO).respond(through_gateway(call, &origin, None)).await;
    assert_eq!(response.status(), 200);
    world.work_off().await;
    world.dispatch().await;
    // The message's event, and that of its new contact.
    assert_eq!(steps(&origin), ["job done", "event dispatched", "event dispatched"]);
    says_nothing_of(&captured, &[BODY]);
}

/// Log lines about notifications and about the worker's messages name the organization, if it is known.
#[tokio::test]
async fn updates_and_jobs_are_logged_by_whose_they_are() {
    let captured = Captured::start();
    let world = World::new().await;
    let line = connect(&world, &world.org, "1501").await;
    let path = "/v1/platform/notifications";
    let told = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": BODY}})).to_string();
    let unsigned = Call::post(path).bytes(told.clone()).header("x-hub-signature-256", HEADER);
    assert_eq!(answer(world.api(path), unsigned, "refused").await, 401);
    assert_eq!(only_line(&captured, "refused")["message"], "rejected a notification with a wrong signature");
    // One update that cannot be applied, and one with an unknown field.
    let odd = line.message(&json!({"id": null, "type": "text", "text": {"body": BODY}}));
    let unknown = tests::chat::notification(&line.account, 1, BODY, &json!({"text": BODY}));
    for (body, id, message) in [
        (odd.to_string(), "odd-update", "an update could not be applied and is queued: "),
        (unknown.to_string(), "unknown-field", "ignored updates of accounts, numbers or fields that are not in use"),
    ] {
        let signed = signature(APP_SECRET, body.as_bytes());
        let call = Call::post(path).header("x-hub-signature-256", &signed).bytes(body);
        assert_eq!(answer(world.api(path), call, id).await, 200);
        let logged = only_line(&captured, id);
        assert!(text(&logged, "message").starts_with(message), "{logged}");
        assert_eq!(logged.get("organization").is_some(), id == "odd-update");
    }
    let queued = world.messages(&world.account.queue).await;
    for (body, id, organization) in
        [(queued[0].as_str(), "job", Some(&world.org.id)), (&format!("[\"{BODY}\"]"), "no-job", None)]
    {
        let work = async |event: QueueEvent| world.worker.work(event).await;
        let outcome = invoked(invocation(id, message(body)), work).await;
        assert!(outcome.batch_item_failures.is_empty(), "it is a dead letter");
        let lines = captured.lines_of(id);
        let failed = lines.iter().find(|line| text(line, "message").starts_with("a job can never succeed: ")).unwrap();
        assert_eq!(failed["queueMessage"], "message-1");
        assert_eq!(failed["organization"].as_str(), organization.map(String::as_str));
    }
    assert!(matches!(serde_json::from_str(&queued[0]), Ok(Job::Updates { .. })));
    says_nothing_of(&captured, &[BODY, HEADER, APP_SECRET, VERIFY_TOKEN, "token-1501"]);
}

#[tokio::test]
async fn events_and_deliveries_are_logged_by_whose_they_are() {
    let captured = Captured::start();
    let world = World::with_local_webhooks().await;
    let org = &world.org;
    let receiver = Receiver::start(status(410));
    let hook = json!({"url": receiver.url, "events": ["messages.sms.received"], "headers": {"X-Team": HEADER}});
    let hooks = format!("/v1/organization/apps/{}/webhooks", org.test_app);
    let hook = world.admin(Call::post(&hooks).json(&hook)).await.expect(201);
    let (id, secret) = (text(&hook, "id"), text(&hook, "secret"));
    world.admin(Call::post(format!("{hooks}/{id}/test"))).await.expect(202);

    world.faults.set(Fault::TimedOut);
    let partition = format!("EVT#{}#{}", org.id, EventId::mint(world.now(), &SystemRandom::new()));
    let event = json!({"Records": [{"dynamodb": {"Keys": {"PK": {"S": partition}}}}]});
    let event = serde_json::from_value(event).unwrap();
    invoked(invocation("stream", event), async |event| world.dispatcher.work(event).await).await;
    let lines = captured.lines_of("stream");
    assert!(!lines.is_empty() && lines.iter().all(|line| line["organization"] == org.id), "{lines:?}");

    let queued = world.messages(&world.account.deliveries).await;
    let work = async |event: QueueEvent| world.deliverer.work(event).await;
    invoked(invocation("failing", message(&queued[0])), work).await;
    world.faults.clear();
    let lines = captured.lines_of("failing");
    let failed = lines.iter().find(|line| text(line, "message").starts_with("a delivery failed: ")).unwrap();
    assert_eq!(failed["queueMessage"], "message-1");
    invoked(invocation("disabling", message(&queued[0])), work).await;
    let disabled = only_line(&captured, "disabling");
    assert_eq!(
        (&disabled["message"], &disabled["webhook"]),
        (&json!("The receiver responded with 410 Gone."), &json!(id))
    );
    for line in lines.iter().chain([&disabled]) {
        assert_eq!((&line["organization"], &line["app"]), (&json!(org.id), &json!(org.test_app)), "{line}");
    }
    says_nothing_of(&captured, &[HEADER, &secret, &receiver.url]);
}

#[tokio::test]
async fn a_sweep_is_logged_by_whose_the_things_are() {
    let captured = Captured::start();
    let world = World::new().await;
    world.platform.account("1502", &[]);
    world.platform.misbehave("/1502", Misbehave::Status(400, error(100, "no access").to_string()), 4);
    let signup = Call::post(SIGNUP).json(&json!({"code": "code.1502"}));
    world.admin(signup).await.refused(422, Some("wabaId"), Some("platform_api_error"));
    world.clock.advance(Duration::from_secs(86_460));
    world.faults.set(Fault::BucketSilent);
    invoked(invocation("sweep", json!({})), async |_: Value| world.sweep_once().await).await;
    let line = only_line(&captured, "sweep");
    assert_eq!(line["organization"], world.org.id);
    assert!(text(&line, "message").starts_with("a due item could not be processed: Secrets Manager"), "{line}");
}

/// Errors of dependencies are logged with their place only; lower levels are not logged.
#[test]
fn dependencies_cannot_say_anything_in_their_own_words() {
    let captured = Captured::start();
    let said = "said-by-a-dependency";
    let span = runtime::logging::request("dependency");
    span.in_scope(|| {
        tracing::error_span!(target: "hyper::client", "exchange", header = said).in_scope(|| {
            tracing::error!(target: "hyper::client", header = said, "{said}");
            tracing::warn!(target: "hyper::client", header = said, "{said}");
            tracing::info!(target: "apis::client", header = said, "{said}");
        });
    });
    let line = only_line(&captured, "dependency");
    assert_eq!(line["message"], "a dependency reports an error");
    assert!(text(&line, "place").starts_with("hyper::client:"), "{line}");
    assert!(!captured.text().contains(said));
}

/// The filter lists exactly the project's crates: a missing crate would not be logged.
#[test]
fn our_crates_are_those_of_the_workspace() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let folders = ["functions", "shared"].map(|folder| std::fs::read_dir(format!("{root}/{folder}")).unwrap());
    let mut crates: Vec<String> =
        folders.into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    crates.sort();
    assert_eq!(crates, WORKSPACE_CRATES);
    let lock = std::fs::read_to_string(format!("{root}/Cargo.lock")).unwrap();
    for name in WORKSPACE_CRATES {
        assert_eq!(lock.matches(&format!("name = \"{name}\"\n")).count(), 1, "{name}");
    }
}
