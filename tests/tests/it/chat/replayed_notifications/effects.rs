//! What updates of test numbers change: groups, messages, contacts and the users of the playground.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::event_counts;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{apply, message, own_number, replay};
use crate::chat::{assert_fields, merged};

/// The fields of groups, for a group that the test number has.
#[tokio::test]
async fn groups_can_be_suspended_joined_and_left() {
    let world = World::new().await;
    let own = own_number(&world).await;
    let group = json!({"chatPhoneNumberId": own, "subject": "Friends"});
    let group = world.send(Call::post("/v1/chat/groups").key(&world.org.test_app_key).json(&group)).await.expect(201);
    let path = format!("/v1/chat/groups/{}", text(&group, "id"));
    let items = world.account.items().await;
    let stored = items.iter().find(|item| item["PK"].starts_with("GRP#")).unwrap();
    let platform_id = stored["providerGroupId"].clone();
    let told = async |field: &str, kind: &str, more: Value| {
        world.clock.advance(Duration::from_secs(1));
        let time = world.now().seconds().to_string();
        let update = merged(json!({"type": kind, "group_id": platform_id, "timestamp": time}), &more);
        apply(&world, &own, field, &json!({"groups": [update]})).await;
        world.send(Call::get(&path).key(&world.org.test_app_key)).await.expect(200)
    };

    let joined = json!({"added_participants": [{"wa_id": "16505551234"}]});
    let after = told("group_participants_update", "group_participants_add", joined).await;
    assert_eq!(after["participants"].as_array().unwrap().len(), 1, "{after}");

    let left = json!({"removed_participants": [{"wa_id": "16505551234"}]});
    let after = told("group_participants_update", "group_participants_remove", left).await;
    assert_eq!(after["participants"].as_array().unwrap().len(), 0, "{after}");

    let after = told("group_status_update", "group_suspend", json!({})).await;
    assert_eq!(after["status"], "SUSPENDED", "{after}");
}

/// Updates that come before what they are about, and those that tell more of somebody who is known.
#[tokio::test]
async fn updates_come_in_any_order() {
    let world = World::new().await;
    let own = own_number(&world).await;
    let time = world.now().seconds().to_string();
    let told = async |field: &str, list: &str, element: Value| {
        let mut value = json!({"metadata": {"phone_number_id": "424242"}});
        value[list] = json!([element]);
        apply(&world, &own, field, &value).await;
    };

    // Participants join before the group is known.
    for participant in ["16505551234", "16505551235"] {
        let joined = json!({"type": "group_participants_add", "group_id": "G-1", "timestamp": time,
            "added_participants": [{"wa_id": participant}]});
        told("group_participants_update", "groups", joined).await;
    }
    let created = json!({"type": "group_create", "group_id": "G-1", "request_id": "R-1", "timestamp": time,
        "subject": "Friends"});
    told("group_lifecycle_update", "groups", created).await;

    // A member is first known by the user id, and later by the number.
    let sent = json!({"id": "wamid.g.1", "status": "sent", "timestamp": time, "recipient_id": "G-2",
        "recipient_type": "group", "recipient_participant_user_id": "US.5"});
    let more = json!({"status": "delivered", "recipient_participant_id": "16505551234"});
    told("messages", "statuses", sent.clone()).await;
    told("messages", "statuses", merged(sent, &more)).await;

    // A contact with a user id is found by the number, too.
    let time = json!({"timestamp": time});
    let first = merged(message("wamid.c.1", "16505559876"), &time);
    told("messages", "messages", merged(first, &json!({"from_user_id": "US.9"}))).await;
    told("messages", "messages", merged(message("wamid.c.2", "16505559876"), &time)).await;
    assert_eq!(event_counts(&world, &world.org).await["contacts.chat.created"], 1);

    let path = format!("/v1/organization/chat/messages?chatPhoneNumberId={own}");
    let listed = world.admin(Call::get(path)).await.expect(200);
    let outbound =
        listed["data"].as_array().unwrap().iter().find(|one| one["providerMessageId"] == "wamid.g.1").unwrap();
    let details = world.admin(Call::get(format!("/v1/organization/chat/messages/{}", text(outbound, "id")))).await;
    assert_eq!(details.expect(200)["recipients"].as_array().unwrap().len(), 1);
}

/// The response to the send is lost; a replayed status tells that the message was sent, and the list shows that, too.
#[tokio::test]
async fn a_replayed_status_resolves_an_unknown_outcome() {
    let world = World::new().await;

    let (number, key) = (own_number(&world).await, world.org.test_app_key.as_str());
    let body = json!({"from": number, "to": "+99930006", "type": "text", "text": {"body": "Hello"}});
    let sent = world.send(Call::post("/v1/chat/messages").key(key).json(&body)).await.expect(202);
    assert_eq!(sent["outcome"], "UNKNOWN");

    let value = json!({
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "19995550000", "phone_number_id": "424242"},
        "statuses": [{
            "id": "wamid.replayed.1",
            "status": "sent",
            "timestamp": world.now().seconds().to_string(),
            "recipient_id": "99930006",
            "biz_opaque_callback_data": format!("{}:{}", world.org.id, text(&sent, "id")),
        }],
    });
    apply(&world, &number, "messages", &value).await;

    let listed = world.send(Call::get("/v1/chat/messages?outcome=ACCEPTED").key(key)).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    assert_fields(&listed["data"][0], &json!({"id": sent["id"], "providerMessageId": "wamid.replayed.1"}));
}

/// Those who write in replayed notifications are users of the playground, in the order of their first messages.
#[tokio::test]
async fn users_that_wrote_in_notifications_are_listed() {
    let world = World::new().await;

    let (own, key) = (own_number(&world).await, world.org.test_app_key.as_str());
    let users = async || {
        let listed = world.admin(Call::get("/v1/organization/playground/chat/phone-numbers/user")).await;
        listed.expect(200)["numbers"].clone()
    };
    let drawn = world.send(Call::post("/v1/playground/chat/phone-numbers/user").key(key)).await.expect(201);
    let drawn = text(&drawn, "number");
    let replay_from = async |senders: [(&str, &str); 3]| {
        let messages = senders.map(|(id, from)| message(id, from));
        let replayed = replay(&world, &own, "messages", &json!({"messages": messages})).await.expect(202);
        assert_eq!(replayed["applied"], 3);
    };

    replay_from([("wamid.1", "16505551234"), ("wamid.2", "16505551234"), ("wamid.3", &drawn[1..])]).await;
    let mut seen: Vec<Value> = users().await.as_array().unwrap().clone();
    seen.sort_by_key(|number| number != "+16505551234");
    assert_eq!(seen, [json!("+16505551234"), json!(drawn)]);

    // Neither twice, nor for a status or an echo, nor the organization's own numbers.
    world.clock.advance(Duration::from_secs(1));
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let system = system["numbers"][0].as_str().unwrap()[1..].to_owned();
    replay_from([("wamid.4", "16505551234"), ("wamid.5", "16505550009"), ("wamid.7", system.as_str())]).await;
    let status = json!({"statuses": [{"id": "wamid.6", "status": "sent", "recipient_id": "16505557777"}]});
    replay(&world, &own, "messages", &status).await.expect(202);
    assert_eq!(users().await.as_array().unwrap().len(), 3);
    assert_eq!(users().await[2], "+16505550009");

    // And they can write again, by any route.
    let inbound = json!({"from": "+16505551234", "type": "text", "text": {"body": "x"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&inbound)).await.expect(201);
    assert_eq!(users().await.as_array().unwrap().len(), 3);
}
