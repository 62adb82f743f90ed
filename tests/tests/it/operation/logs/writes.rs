//! Writes, each of which is one line.

use std::collections::BTreeSet;

use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tests::catalogue::{Case, Policy, cases};
use tests::logs::Captured;
use tests::request::text;
use tests::{Call, World};

use super::through_gateway;

/// The routes of the contract that change something, with a credential.
fn writes_of_the_contract() -> BTreeSet<String> {
    let document: Value =
        serde_json::from_str(include_str!("../../../../../docs/openapi.json")).expect("the document is JSON");
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

    for case in cases(&world).await {
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
        // The credential of a customer is the link, and that of a member a session or a link.
        let prefix = match case.policy {
            Policy::Link => "onb_",
            Policy::SignInLink => "mem_",
            Policy::SignedIn => "ses_",
            _ => "key_",
        };
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
        assert!(line["key"] == *object || is_known(&object, &body, &case, &world), "{route}: {object} {body}");
        left.remove(&route);
    }
    assert_eq!(left, BTreeSet::new(), "operations without a case");

    // Neither the file names nor the texts and numbers of the cases are logged.
    for sent in ["Acme 2", "Hello", "+442079460111", "blue-team-secret", "big.pdf"] {
        assert!(!captured.text().contains(sent), "logged {sent}");
    }
}

/// Whether the request or the response names the object.
fn is_known(object: &str, body: &Value, case: &Case, world: &World) -> bool {
    let mut sent = case.call.path.rsplit('/').chain(["", world.org.id.as_str()]);
    body["id"] == *object
        || body["number"] == *object
        || (!object.is_empty() && sent.any(|part| part == object))
        || (!object.is_empty() && String::from_utf8_lossy(&case.call.body).contains(object))
        || object.starts_with("wabp_")
}

/// A repeated request is a line of its own that says so; a rejected one has no object.
#[tokio::test]
async fn repeated_and_rejected_writes_are_distinguished() {
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
