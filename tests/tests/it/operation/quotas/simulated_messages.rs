//! Simulated messages of an app.

use serde_json::json;
use tests::{Call, Service as _, World};

use super::{DAY, at_once, is_over, pass, spent};

#[tokio::test]
async fn an_app_simulates_ten_thousand_messages_a_day() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let numbers = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);

    let scope = world.org.test_app.clone();
    spent(&world, &scope, "playgroundMessages", 9_990, DAY).await;
    let body = json!({"from": "+15550009999", "to": numbers["numbers"][0], "text": "Hello"});
    let call = |_| Call::post("/v1/playground/sms/inbound").key(key).json(&body);

    let (made, refused) = at_once(&world, 20, call).await;
    assert_eq!(made, 10);
    refused.into_iter().for_each(|reply| is_over(reply, DAY));

    pass(&world, DAY);
    world.send(call(0)).await.expect(201);
}
