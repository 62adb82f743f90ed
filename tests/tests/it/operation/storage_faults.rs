//! Faults between the service and DynamoDB, injected into the SDK's HTTP client.

use serde_json::json;
use tests::catalogue::cases;
use tests::faults::Fault;
use tests::request::text;
use tests::{Call, Service as _, World};

const SETTINGS: &str = "/v1/organization/settings";

#[tokio::test]
async fn throttling_is_429_and_silence_is_500_for_every_operation() {
    let world = World::new().await;
    let cases = cases(&world).await;
    let before = world.account.items().await;
    for fault in [Fault::TimedOut, Fault::Throttled] {
        world.faults.set(fault);
        let calls = cases.iter().map(|case| world.send(case.call.clone().key(case.right_key(&world.org))));
        for reply in futures_util::future::join_all(calls).await {
            match fault {
                Fault::Throttled => {
                    assert_eq!(reply.header("retry-after"), Some("1"));
                    let body = reply.refused(429, None, Some("rate_limit_exceeded"));
                    assert_eq!(body["error"]["type"], json!("api_error"));
                }
                _ => {
                    let body = reply.refused(500, None, None);
                    assert_eq!(
                        body["error"],
                        json!({"type": "api_error", "message": "Something went wrong on our side."})
                    );
                }
            }
        }
        world.faults.clear();
    }
    assert_eq!(world.account.items().await, before);
}

#[tokio::test]
async fn a_transaction_that_always_meets_another_one_is_429() {
    let world = World::new().await;
    let before = world.account.items().await;
    world.faults.set(Fault::Conflicting);
    let calls = [
        Call::post("/v1/organization/apps").json(&json!({"name": "x"})),
        Call::post("/v1/organization/phone-numbers").json(&json!({"number": "+12015550100"})),
        Call::delete(format!("/v1/organization/apps/{}", world.org.app)),
    ];
    for reply in futures_util::future::join_all(calls.map(|call| world.admin(call))).await {
        assert!(reply.header("retry-after").is_some());
        reply.refused(429, None, Some("rate_limit_exceeded"));
    }
    world.faults.clear();
    world.admin(Call::get(SETTINGS)).await.expect(200);
    assert_eq!(world.account.items().await, before);
}

/// The SDK retries the call; the retry must neither create a second object nor report a conflict.
#[tokio::test]
async fn a_lost_answer_is_repeated_without_harm() {
    let world = World::new().await;
    let count = async |class: &str| {
        let items = world.account.items().await;
        items.iter().filter(|item| item["PK"].starts_with(class)).count()
    };
    let apps = count("APP#").await;
    world.faults.set(Fault::AnswerLost);
    world.admin(Call::post("/v1/organization/apps").json(&json!({"name": "x"}))).await.expect(201);
    assert_eq!(count("APP#").await, apps + 1);
    let system =
        world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await.expect(200);
    world.faults.set(Fault::AnswerLost);
    let sms = json!({"from": "+442079460123", "to": system["numbers"][0], "text": "x"});
    let sent =
        world.send(Call::post("/v1/playground/sms/inbound").key(&world.org.test_app_key).json(&sms)).await.expect(201);
    assert!(text(&sent, "id").starts_with("msg_sms_test_"));
    assert_eq!(count("SMS#").await, 1);
    world.faults.set(Fault::UpdateAnswerLost);
    let upload = Call::post("/v1/media").key(&world.org.app_key).file("a.png", None, tests::samples::PNG);
    let made = world.send(upload).await.expect(201);
    world.send(Call::get(format!("/v1/media/{}", text(&made, "id"))).key(&world.org.app_key)).await.expect(200);
}

#[tokio::test]
async fn a_single_write_that_meets_a_transaction_is_repeated() {
    let world = World::new().await;
    world.faults.set(Fault::WriteConflicts);
    world.admin(Call::patch(SETTINGS).json(&json!({"name": "Patient"}))).await.expect(200);
}

/// DynamoDB works, but the bucket does not respond.
#[tokio::test]
async fn a_deletion_that_stopped_half_way_goes_on_when_asked_again() {
    let world = World::new().await;
    let upload = Call::post("/v1/media").key(&world.org.app_key).file("a.png", None, tests::samples::PNG);
    let path = format!("/v1/media/{}", text(&world.send(upload).await.expect(201), "id"));
    world.faults.set(Fault::BucketSilent);
    for _ in 0..2 {
        world.send(Call::delete(&path).key(&world.org.app_key)).await.refused(500, None, None);
    }
    world.faults.clear();
    world.send(Call::get(&path).key(&world.org.app_key)).await.refused(404, Some("mediaId"), None);
    world.send(Call::delete(&path).key(&world.org.app_key)).await.refused(404, Some("mediaId"), None);
    assert_eq!(world.account.objects().await, Vec::<String>::new());
}
