//! Connecting a released account again, by its organization or by another one.

use std::time::Duration;

use serde_json::json;
use tests::catalogue::{PROFILES, SIGNUP};
use tests::chat::{connect, events};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{claims, disconnect, grant, hello, send, signup};
use crate::chat::profile_secrets;

#[tokio::test]
async fn another_organization_connects_a_released_account_and_sees_nothing_of_the_old_one() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7203").await;
    world.notify(&hello(&line, "wamid.1")).await.expect(200);
    let sent = text(&world.send(send(&line)).await.expect(201), "id");
    world.admin(disconnect(&line.profile)).await.expect(200);
    let released_at = world.now().seconds();
    world.clock.advance(Duration::from_secs(10));
    let other = world.organization("Other").await;

    grant(&world, "7203");
    let theirs = world.send(signup("other", "7203").key(&other.admin)).await.expect(201);
    assert_ne!(theirs["id"], line.profile);
    let number = text(&theirs["phoneNumbers"][0], "id");
    assert_ne!(number, line.number);
    assert!(claims(&world).await.iter().all(|(_, organization)| *organization == other.id));

    let list = Call::get(format!("/v1/organization/chat/messages?chatPhoneNumberId={number}")).key(&other.admin);
    let count = async || world.send(list.clone()).await.expect(200)["data"].as_array().unwrap().len();
    assert_eq!(count().await, 0);
    for foreign in [&line.profile, &line.number] {
        let kind = if foreign.starts_with("wabp_") { "business-profiles" } else { "phone-numbers" };
        let path = format!("/v1/organization/chat/{kind}/{foreign}");
        assert_eq!(world.send(Call::get(path).key(&other.admin)).await.status, 404);
    }

    // A notification from before the release, which the platform repeats, and a late status are not theirs.
    let mut late = hello(&line, "wamid.late");
    late["entry"][0]["time"] = json!(released_at - 1);
    world.notify(&late).await.expect(200);
    let data = format!("{}:{sent}", world.org.id);
    let status = json!({"id": "wamid.sent.1", "status": "delivered", "timestamp": "2000000000",
        "recipient_id": "16505551234", "biz_opaque_callback_data": data});
    world.notify(&line.status(&status)).await.expect(200);
    assert_eq!(count().await, 0);
    assert!(events(&world, &other, "messages.chat.received").await.is_empty());

    world.notify(&hello(&line, "wamid.new")).await.expect(200);
    assert_eq!(count().await, 1);

    // The first organization keeps what it had, and cannot take the account back while the other one has it.
    assert_eq!(line.messages(&world).await.len(), 2);
    grant(&world, "7203");
    world.admin(signup("back", "7203")).await.refused(409, Some("wabaId"), Some("resource_already_exists"));
    world.send(disconnect(&text(&theirs, "id")).key(&other.admin)).await.expect(200);
    grant(&world, "7203");
    let back = world.admin(signup("back again", "7203")).await.expect(200);
    assert_eq!((&back["id"], &back["phoneNumbers"][0]["id"]), (&json!(line.profile), &json!(line.number)));
}

#[tokio::test]
async fn an_account_that_is_connected_again_continues_with_its_profile_and_numbers() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7204").await;
    world.send(send(&line)).await.expect(201);
    world.admin(disconnect(&line.profile)).await.expect(200);

    // The code of the first signup is spent.
    world.admin(Call::post(SIGNUP).json(&json!({"code": "code.7204"}))).await.refused(422, Some("code"), None);

    grant(&world, "7204");
    let again = world.admin(signup("again", "7204")).await.expect(200);
    assert_eq!((&again["id"], again.get("disconnectedAt")), (&json!(line.profile), None));
    assert_eq!(again["phoneNumbers"].as_array().unwrap().len(), 1);
    assert_eq!(again["phoneNumbers"][0]["id"], line.number);
    assert_eq!(
        (claims(&world).await.len(), profile_secrets(&world).await),
        (2, vec![format!("profiles/{}", line.profile)])
    );

    // The number is still the app's, and has its messages.
    world.send(send(&line)).await.expect(201);
    assert_eq!(line.messages(&world).await.len(), 2);
    world.notify(&hello(&line, "wamid.1")).await.expect(200);
    assert_eq!(line.messages(&world).await.len(), 3);

    // The same with a token, twice: the first request's record does not stand for the second.
    for _ in 0..2 {
        world.admin(disconnect(&line.profile)).await.expect(200);
        let token = Call::post(PROFILES).json(&json!({"accessToken": "token-7204", "wabaId": "7204"}));
        assert_eq!(world.admin(token).await.expect(200)["id"], line.profile);
        world.send(send(&line)).await.expect(201);
    }

    assert_eq!(events(&world, &world.org, "chat.account.connected").await.len(), 4);
    assert_eq!(events(&world, &world.org, "chat.account.disconnected").await.len(), 3);
}
