//! Idempotency keys, which a rejected request does not use up.

use domain::testing::playground::SIMULATED_WABA_ID;
use serde_json::{Value, json};
use tests::catalogue::{SIGNUP, put_bytes};
use tests::request::text;
use tests::samples::PDF;
use tests::{Call, Service as _, World};

use super::APPS;

/// In three of the functions that take an `Idempotency-Key`, a rejected request is corrected and sent again with the
/// same key.
#[tokio::test]
async fn a_rules_refusal_frees_the_key_in_every_function() {
    let world = World::new().await;
    let org = &world.org;
    let keyed = |call: Call| call.header("idempotency-key", "k");

    let keys = format!("{APPS}/{}/keys", org.app);
    let mut last = String::new();
    for _ in 0..19 {
        last = text(&world.admin(Call::post(&keys)).await.expect(201), "id");
    }
    world.admin(keyed(Call::post(&keys))).await.expect(400);
    world.admin(Call::delete(format!("{keys}/{last}"))).await.expect(200);
    world.admin(keyed(Call::post(&keys))).await.expect(201);

    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&org.test_app_key)).await.expect(200);
    let sms = |from: &Value| {
        let body = json!({"from": from, "to": system["numbers"][0], "text": "Hello"});
        world.send(keyed(Call::post("/v1/playground/sms/inbound").key(&org.test_app_key).json(&body)))
    };
    sms(&system["numbers"][1]).await.expect(400);
    sms(&json!("+442079460112")).await.expect(201);

    let signup = |account: &str| {
        let body = json!({"code": "code", "wabaId": account, "test": true});
        world.admin(keyed(Call::post(SIGNUP).json(&body)))
    };
    signup(SIMULATED_WABA_ID).await.expect(400);
    signup("1904").await.expect(201);
}

#[tokio::test]
async fn an_upload_of_another_size_frees_its_key() {
    let world = World::new().await;
    let announced = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": PDF.len() + 1});
    let announce = Call::post("/v1/media/uploads").key(&world.org.app_key).json(&announced);
    let upload = world.send(announce).await.expect(201);

    let complete = || {
        let call = Call::post(format!("/v1/media/{}/complete", text(&upload, "id"))).key(&world.org.app_key);
        world.send(call.header("idempotency-key", "k"))
    };

    // The signature covers the length, so only the bucket itself could hold other bytes.
    let short = world.account.s3.put_object().bucket(&world.account.bucket);
    let key = format!("incoming/{}/{}", world.org.id, text(&upload, "id"));
    short.key(key).body(PDF.to_vec().into()).send().await.unwrap();
    complete().await.expect(400);

    put_bytes(&upload, [PDF, b"\n"].concat()).await.unwrap();
    complete().await.expect(200);
}
