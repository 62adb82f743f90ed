//! Updates of the platform that are queued, although others are applied before the response.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::{Line, connect, events, notification};
use tests::request::text;
use tests::standin::{APP_SECRET, signature};
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/platform/notifications";

/// Processes a notification through the queue, as if there were no time to apply it before the response.
async fn put_off(world: &World, notification: &Value) {
    let body = notification.to_string().into_bytes();
    let signature = signature(APP_SECRET, &body);
    let call = Call::post(PATH).header("x-hub-signature-256", &signature).bytes(body);
    assert_eq!(world.notifications(Duration::ZERO).respond(call.request()).await.status(), 200);
    world.work_off().await;
}

/// A message from a contact identified by one of these or by both.
fn message(line: &Line, id: &str, wa_id: Option<&str>, user_id: Option<&str>) -> Value {
    let contact = json!({"profile": {"name": "Ann"}, "wa_id": wa_id, "user_id": user_id});
    let sent = json!({"id": id, "from": wa_id, "from_user_id": user_id, "timestamp": "2000000000", "type": "image",
        "image": {"id": "900", "mime_type": "image/jpeg"}});
    line.about("messages", &json!({"contacts": [contact], "messages": [sent]}))
}

#[tokio::test]
async fn messages_and_contacts_may_be_put_off() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1901").await;
    world.platform.state().media.insert("900".to_owned(), b"bytes".to_vec());

    let number = Some("16505551234");
    put_off(&world, &message(&line, "wamid.1", number, None)).await;
    put_off(&world, &message(&line, "wamid.2", number, Some("US.1"))).await;
    put_off(&world, &message(&line, "wamid.3", None, Some("US.1"))).await;

    let removed = json!({"type": "contact", "action": "remove", "contact": {"phone_number": "16505551234"},
        "metadata": {"timestamp": 2_000_000_010}});
    put_off(&world, &line.about("smb_app_state_sync", &json!({"state_sync": [removed]}))).await;

    for status in ["sent", "delivered"] {
        let told = json!({"id": "wamid.4", "status": status, "timestamp": "2000000001", "recipient_id": "16505551234"});
        put_off(&world, &line.status(&told)).await;
    }

    // An inbound message takes the place of the outbound one that its status seemed to be about, and of its recipient.
    let status = json!({"id": "wamid.5", "status": "sent", "timestamp": "2000000001", "recipient_id": "16505551234"});
    put_off(&world, &line.status(&status)).await;
    let text = json!({"id": "wamid.5", "type": "system", "system": {"body": "moved", "type": "user_changed_number", "wa_id": "16505550009"}});
    put_off(&world, &line.message(&text)).await;

    for id in ["wamid.6", "wamid.4"] {
        let edit = json!({"id": format!("{id}.edit"), "type": "edit", "edit": {"original_message_id": id}});
        put_off(&world, &line.message(&edit)).await;
    }

    let messages = line.messages(&world).await;
    assert_eq!(messages.len(), 7);
    assert_eq!(messages.iter().filter(|message| message["direction"] == "INBOUND").count(), 6);
    assert_eq!(world.account.objects().await.len(), 3, "the worker asks for media itself");
    assert!(world.dead_letters().await.is_empty());
}

/// An update of a group.
fn of_group(line: &Line, field: &str, id: &str, more: Value) -> Value {
    let mut group = json!({"group_id": id, "timestamp": 2_000_000_000});
    group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line.about(field, &json!({"groups": [group]}))
}

#[tokio::test]
async fn news_of_groups_may_be_put_off() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1902").await;
    let create = || {
        let body = json!({"chatPhoneNumberId": line.number, "subject": "Friends"});
        Call::post("/v1/chat/groups").key(&line.org.app_key).json(&body)
    };
    let made = |request: &str, id: &str| {
        let more =
            json!({"type": "group_create", "request_id": request, "invite_link": "https://chat.whatsapp.com/XYZ"});
        of_group(&line, "group_lifecycle_update", id, more)
    };

    let joined = json!({"type": "group_participants_add", "added_participants": [{"wa_id": "16505551234"}]});
    put_off(&world, &of_group(&line, "group_participants_update", "first", joined)).await;
    put_off(&world, &made("request-1", "first")).await;
    let early = world.send(create()).await.expect(201);
    assert_eq!((&early["status"], &early["participants"]), (&json!("ACTIVE"), &json!(["+16505551234"])));

    let later = text(&world.send(create()).await.expect(201), "id");
    put_off(&world, &made("request-2", "second")).await;
    let renamed = json!({"group_subject": {"text": "Best friends", "update_successful": true}});
    put_off(&world, &of_group(&line, "group_settings_update", "second", renamed)).await;
    put_off(&world, &of_group(&line, "group_lifecycle_update", "second", json!({"type": "group_delete"}))).await;

    let later = world.send(Call::get(format!("/v1/chat/groups/{later}")).key(&line.org.app_key)).await.expect(200);
    assert_eq!((&later["subject"], &later["status"]), (&json!("Best friends"), &json!("DELETED")));
    assert!(world.dead_letters().await.is_empty());
}

#[tokio::test]
async fn news_of_accounts_numbers_and_templates_may_be_put_off() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1903").await;
    let tell = async |time: i64, field: &str, value: Value| {
        put_off(&world, &notification("1903", 2_000_000_000 + time, field, &value)).await;
    };

    tell(0, "account_review_update", json!({"decision": "REJECTED"})).await;
    let flagged = json!({"display_phone_number": line.display, "event": "FLAGGED"});
    tell(0, "phone_number_quality_update", flagged).await;

    let status = |event: &str| json!({"event": event, "message_template_id": 7, "message_template_name": "t", "message_template_language": "en"});
    tell(0, "message_template_status_update", status("PENDING")).await;
    tell(10, "message_template_status_update", status("APPROVED")).await;

    let chat = "/v1/organization/chat";
    let templates = format!("{chat}/templates?chatBusinessProfileId={}", line.profile);
    assert_eq!(world.admin(Call::get(&templates)).await.expect(200)["data"][0]["status"], "APPROVED");
    tell(20, "message_template_status_update", status("DELETED")).await;
    assert_eq!(world.admin(Call::get(&templates)).await.expect(200)["data"], json!([]));

    let number = world.admin(Call::get(format!("{chat}/phone-numbers/{}", line.number))).await.expect(200);
    assert_eq!(number["qualityEvent"], "FLAGGED");

    tell(100_000_000, "account_update", json!({"event": "PARTNER_REMOVED"})).await;
    let profile = world.admin(Call::get(format!("{chat}/business-profiles/{}", line.profile))).await.expect(200);
    assert_eq!(profile["reviewDecision"], "REJECTED");
    assert_eq!(events(&world, &world.org, "chat.account.disconnected").await.len(), 1);
    assert!(world.dead_letters().await.is_empty());
}
