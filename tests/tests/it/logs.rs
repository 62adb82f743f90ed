//! Log lines name the request or object that they are about, and contain no values from requests.

use std::time::Duration;

use api::HttpService;
use aws::queue::{Job, QueueEvent};
use axum::Router;
use axum::routing::post;
use domain::id::EventId;
use http::Request;
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

/// The call in the gateway's format, with a recognizable value wherever one is possible.
fn recognisable(call: Call, id: &str) -> Request<axum::body::Body> {
    let mut request = call.header("x-something", HEADER).header("idempotency-key", HEADER).request();
    let mut gateway = ApiGatewayV2httpRequestContext::default();
    gateway.request_id = Some(id.to_owned());
    request.extensions_mut().insert(RequestContext::ApiGatewayV2(gateway));
    request
}

async fn answer(api: &HttpService, call: Call, id: &str) -> u16 {
    api.respond(recognisable(call, id)).await.status().as_u16()
}

/// The log lines of a request or an invocation.
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
        assert!(text(&lines[0], "place").starts_with("tests/tests/it/logs.rs:"));
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

/// Notifications, and the worker's messages.
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
    // One update that cannot be applied, and one of a group that nobody requested.
    let odd = line.message(&json!({"id": "wamid.2", "timestamp": BODY, "type": "text", "text": {"body": BODY}}));
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
        assert_eq!(outcome.batch_item_failures.len(), 1);
        let lines = captured.lines_of(id);
        let failed = lines.iter().find(|line| text(line, "message").starts_with("a job failed: ")).unwrap();
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
    invoked(invocation("sweep", json!({})), async |_: Value| world.sweeper.sweep().await).await;
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
