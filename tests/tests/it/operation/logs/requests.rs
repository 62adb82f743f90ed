//! Requests that fail.

use api::HttpService;
use axum::Router;
use axum::routing::post;
use serde_json::{Value, json};
use tests::faults::Fault;
use tests::logs::Captured;
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

use super::{BODY, HEADER, answer, only_line, says_nothing_of};

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
        assert!(text(&lines[0], "place").starts_with("tests/tests/it/operation/logs/requests.rs:"));
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
