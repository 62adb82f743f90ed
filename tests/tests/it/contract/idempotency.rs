use std::time::Duration;

use http::StatusCode;
use serde_json::json;
use tests::catalogue::{Case, cases};
use tests::chat::connect;
use tests::faults::Fault;
use tests::request::text;
use tests::samples::{PDF, PNG};
use tests::standin::{Misbehave, error};
use tests::{Call, Reply, Service as _, World};

const APPS: &str = "/v1/organization/apps";
const REPLAYED: &str = "idempotency-replayed";

fn keyed(call: Call, key: &str) -> Call {
    call.header("idempotency-key", key)
}

#[tokio::test]
async fn every_post_answers_a_repetition_with_its_first_answer() {
    let world = World::new().await;
    let mut calls = Vec::new();
    for (index, case) in cases(&world).await.into_iter().filter(Case::is_repeatable).enumerate() {
        let call = keyed(case.call.clone().key(case.right_key(&world.org)), &format!("key-{index}"));
        let first = world.send(call.clone()).await;
        assert_eq!((first.status.as_u16(), first.header(REPLAYED)), (case.status, None), "{case:?}: {first:?}");
        // A repeated request to send a message counts against the quota.
        let items = async || {
            let items = world.account.items().await;
            items.iter().filter(|item| !item["PK"].starts_with("RATE#")).count()
        };
        let before = items().await;
        let again = world.send(call.clone()).await;
        assert_eq!(
            (again.status, &again.text, again.header(REPLAYED)),
            (StatusCode::from_u16(case.repeated_status()).unwrap(), &first.text, Some("true")),
            "{case:?}"
        );
        assert_eq!(items().await, before, "{case:?}");
        calls.push(call);
    }
    world.clock.advance(Duration::from_secs(24 * 3600 - 1));
    for call in &calls {
        assert_eq!(world.send(call.clone()).await.header(REPLAYED), Some("true"), "{call:?}: forgotten too early");
    }
    world.clock.advance(Duration::from_secs(1));
    for call in calls {
        assert_eq!(world.send(call.clone()).await.header(REPLAYED), None, "{call:?}: kept for 24 hours");
    }
}

#[tokio::test]
async fn the_scope_is_organization_credential_method_and_path() {
    let world = World::new().await;
    let body = json!({"name": "Once"});
    let send = async |key: &str, path: &str| world.send(keyed(Call::post(path).key(key).json(&body), "k")).await;
    let first = send(&world.org.admin, APPS).await.expect(201);
    let other = text(
        &world.admin(Call::post("/v1/organization/admin-keys").json(&json!({"name": "k"}))).await.expect(201),
        "key",
    );
    assert_ne!(send(&other, APPS).await.expect(201)["id"], first["id"], "another credential");
    send(&world.org.admin, "/v1/organization/admin-keys").await.expect(201);
    let stranger = world.organization("Stranger").await;
    assert_eq!(send(&stranger.admin, APPS).await.header(REPLAYED), None);
    assert_eq!(send(&world.org.admin, APPS).await.expect(201), first);
}

#[tokio::test]
async fn other_input_under_the_same_key_is_refused() {
    let world = World::new().await;
    let send = async |body: &str| {
        world.admin(keyed(Call::post(APPS).header("content-type", "application/json").bytes(body), "k")).await
    };
    let first = send(r#"{"name":"a","slug":"s"}"#).await.expect(201);
    send(r#"{"name":"b","slug":"s"}"#).await.refused(422, Some("Idempotency-Key"), None);
    assert_eq!(send(r#"{ "slug": "s", "name": "a" }"#).await.expect(201), first, "order and white space are not input");
    let media = async |name: &str, mime: Option<&str>, content: &[u8]| -> Reply {
        world.send(keyed(Call::post("/v1/media").key(&world.org.app_key).file(name, mime, content), "m")).await
    };
    media("a", None, PNG).await.expect(201);
    media("b", None, PNG).await.refused(422, Some("Idempotency-Key"), None);
    media("a", Some("image/png"), PNG).await.refused(422, Some("Idempotency-Key"), None);
    media("a", None, PDF).await.refused(422, Some("Idempotency-Key"), None);
}

#[tokio::test]
async fn final_refusals_are_remembered_and_passing_ones_free_the_key() {
    let world = World::new().await;
    let path = "/v1/organization/apps/app_0ujtsYcgvSTl8PAuAdqWYSMnLOv/keys";
    let call = || world.admin(keyed(Call::post(path), "k"));
    let first = call().await;
    first.clone().refused(404, Some("appId"), None);
    let again = call().await;
    assert_eq!(
        (again.status.as_u16(), &again.text, again.header(REPLAYED)),
        (404, &first.text, Some("true")),
        "{:?}",
        again.headers
    );

    let taken = json!({"name": "x", "slug": "live"});
    let call = || world.admin(keyed(Call::post(APPS).json(&taken), "taken"));
    call().await.refused(409, Some("slug"), Some("resource_already_exists"));
    world.admin(Call::delete(format!("{APPS}/{}", world.org.app))).await.expect(200);
    let again = call().await;
    assert_eq!(again.header(REPLAYED), Some("true"));
    again.refused(409, Some("slug"), Some("resource_already_exists"));

    let call = |body: serde_json::Value| world.admin(keyed(Call::post(APPS).json(&body), "free"));
    call(json!({"name": ""})).await.refused(400, Some("name"), None);
    world.faults.set(Fault::Conflicting);
    call(json!({"name": "a"})).await.refused(429, None, Some("rate_limit_exceeded"));
    world.faults.clear();
    call(json!({"name": "b"})).await.expect(201);
}

#[tokio::test]
async fn a_failed_upload_frees_its_key_and_a_lost_one_after_its_lease() {
    let world = World::new().await;
    let call = |content: &[u8]| {
        world.send(keyed(Call::post("/v1/media").key(&world.org.app_key).file("a", None, content), "k"))
    };
    world.faults.set(Fault::Conflicting);
    call(PNG).await.refused(429, None, Some("rate_limit_exceeded"));
    world.faults.clear();
    call(PNG).await.expect(201);

    let call = || world.send(keyed(Call::post("/v1/media").key(&world.org.app_key).file("a", None, PNG), "lost"));
    world.faults.set(Fault::StoppedAfter(3));
    tokio::select! {
        reply = call() => panic!("{reply:?}"),
        () = world.faults.struck() => {}
    }
    world.faults.clear();
    // The first request may still be in progress.
    for wait in [0, 59] {
        world.clock.advance(Duration::from_secs(wait));
        let running = call().await;
        assert_eq!(running.header("retry-after"), Some("1"), "{running:?}");
        running.refused(409, Some("Idempotency-Key"), None);
    }
    world.clock.advance(Duration::from_secs(1));
    let made = call().await;
    assert_eq!(made.header(REPLAYED), None);
    made.expect(201);
}

/// After a platform failure, a retry with the same key runs again.
#[tokio::test]
async fn a_fault_of_the_platform_frees_the_key() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1501").await;
    let body = json!({"chatPhoneNumberId": line.number, "subject": "Friends"});
    let call = || world.send(keyed(Call::post("/v1/chat/groups").key(&line.org.app_key).json(&body), "k"));
    world.platform.misbehave("groups", Misbehave::Status(500, error(131_000, "broken").to_string()), 1);
    call().await.refused(502, None, Some("platform_api_error"));
    world.platform.misbehave("groups", Misbehave::CutOff, 1);
    call().await.refused(503, None, Some("platform_api_unavailable"));
    let made = call().await;
    assert_eq!(made.header(REPLAYED), None);
    let made = made.expect(201);
    let again = call().await;
    assert_eq!((again.header(REPLAYED), again.json()), (Some("true"), made));
    assert_eq!(world.platform.seen("groups").len(), 3);
}

#[tokio::test]
async fn twenty_at_once_make_one() {
    let world = World::new().await;
    let body = json!({"name": "Only"});
    let calls = (0..20).map(|_| world.admin(keyed(Call::post(APPS).json(&body), "k")));
    let replies = futures_util::future::join_all(calls).await;
    let fresh = replies.iter().filter(|reply| reply.header(REPLAYED).is_none()).count();
    assert_eq!(fresh, 1, "{replies:?}");
    assert!(replies.iter().all(|reply| reply.status == 201 && reply.text == replies[0].text));

    let upload = |_| world.send(keyed(Call::post("/v1/media").key(&world.org.app_key).file("a", None, PNG), "m"));
    let replies = futures_util::future::join_all((0..10).map(upload)).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201 && reply.header(REPLAYED).is_none()).count(), 1);
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        reply.clone().refused(409, Some("Idempotency-Key"), None);
        assert_eq!(reply.header("retry-after"), Some("1"));
    }
    assert_eq!(world.account.objects().await.len(), 1);
}

#[tokio::test]
async fn a_repetition_is_answered_when_the_time_it_names_has_passed() {
    let world = World::new().await;
    let at = world.now().plus(Duration::from_secs(60)).to_string();
    let body = json!({"name": "short", "expiresAt": at});
    let call = || world.admin(keyed(Call::post("/v1/organization/admin-keys").json(&body), "k"));
    let first = call().await.expect(201);
    world.clock.advance(Duration::from_secs(120));
    assert_eq!(call().await.expect(201), first);
}

#[tokio::test]
async fn the_table_holds_no_secret_of_an_answer() {
    let world = World::new().await;
    let made = world
        .admin(keyed(Call::post("/v1/organization/admin-keys").json(&json!({"name": "k"})), "k"))
        .await
        .expect(201);
    let items = format!("{:?}", world.account.items().await);
    let key = text(&made, "key");
    assert!(!items.contains(&key) && !items.contains(&format!("{:?}", key.as_bytes()).replace(['[', ']'], "")));
}

#[tokio::test]
async fn keys_are_1_to_255_visible_characters_with_or_without_quotes() {
    let world = World::new().await;
    let send =
        async |key: &str, name: &str| world.admin(keyed(Call::post(APPS).json(&json!({"name": name})), key)).await;
    for key in ["", "\"\"", "a b", &"k".repeat(256)] {
        send(key, "x").await.refused(400, Some("Idempotency-Key"), None);
    }
    send(&"k".repeat(255), "long").await.expect(201);
    let bare = send("8e03978e", "y").await.expect(201);
    assert_eq!(send("\"8e03978e\"", "y").await.expect(201), bare);
}
