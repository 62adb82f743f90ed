//! Code paths that no other test covers and that need privileges which are used nowhere else: tools/ci/privileges.py checks that
//! every allowed privilege is used.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::catalogue::{SIGNUP, put_bytes, uploaded};
use tests::chat::{Line, connect, events, notification};
use tests::faults::Fault;
use tests::receiver::{Receiver, plain};
use tests::request::text;
use tests::samples::PDF;
use tests::settings::TABLE;
use tests::standin::{APP_SECRET, Misbehave, signature};
use tests::{Call, Service as _, World};

const APPS: &str = "/v1/organization/apps";
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
fn message(line: &Line, id: &str, name: &str, (wa_id, user_id): (Option<&str>, Option<&str>)) -> Value {
    let contact = json!({"profile": {"name": name}, "wa_id": wa_id, "user_id": user_id});
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
    put_off(&world, &message(&line, "wamid.1", "Ann", (number, None))).await;
    put_off(&world, &message(&line, "wamid.2", "Ann", (number, Some("US.1")))).await;
    put_off(&world, &message(&line, "wamid.3", "Ann", (None, Some("US.1")))).await;
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
    signup(domain::playground::SIMULATED_WABA_ID).await.expect(400);
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

/// Restores a deleted secret, which Secrets Manager allows for a week.
#[tokio::test]
async fn a_token_deleted_by_mistake_comes_back_with_the_next_signup() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1905").await;
    let secrets = &world.account.secrets;
    let name = format!("profiles/{}", line.profile);
    secrets.delete_secret().secret_id(&name).recovery_window_in_days(7).send().await.unwrap();
    let token = json!({"access_token": "token-1905"}).to_string();
    world.platform.misbehave("oauth", Misbehave::Status(200, token), 1);
    let again = Call::post(SIGNUP).json(&json!({"code": "another", "wabaId": "1905"}));
    assert_eq!(world.admin(again).await.expect(200)["id"], json!(line.profile));
    let kept = secrets.get_secret_value().secret_id(&name).send().await.unwrap();
    assert!(kept.secret_string.unwrap().contains("accessToken"));
}

async fn classes(world: &World, class: &str) -> usize {
    world.account.items().await.iter().filter(|item| item["PK"].starts_with(class)).count()
}

async fn sims_of_nobody(world: &World) -> bool {
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    numbers["data"].as_array().unwrap().iter().all(|number| number["apps"] == json!([]))
}

#[tokio::test]
async fn a_deleted_test_app_takes_its_numbers_with_it() {
    let world = World::new().await;
    world.admin(Call::delete(format!("{APPS}/{}", world.org.test_app))).await.expect(200);
    assert!(sims_of_nobody(&world).await);
    assert_eq!(classes(&world, "WAPN#").await, 0);
    assert_eq!(classes(&world, "PGNUM#").await, 3, "no number is given out again");
}

/// The sweep cleans up after an interrupted deletion, and retries if it fails.
#[tokio::test]
async fn the_remains_of_a_test_app_are_cleared_in_the_end() {
    let world = World::new().await;
    let app = format!("{APPS}/{}", world.org.test_app);
    let hook = json!({"url": "https://example.com", "events": ["chat.account.connected"]});
    world.admin(Call::post(format!("{app}/webhooks")).json(&hook)).await.expect(201);
    for step in 3.. {
        world.faults.set(Fault::StoppedAfter(step));
        tokio::select! {
            reply = world.admin(Call::delete(&app)) => panic!("{reply:?} before it was stopped"),
            () = world.faults.struck() => {}
        }
        world.faults.clear();
        if classes(&world, "GONE#").await == 1 {
            break;
        }
    }
    world.clock.advance(Duration::from_secs(60));
    world.faults.set(Fault::Conflicting);
    world.index_caught_up().await;
    assert_eq!(world.sweep_once().await.failed, 1);
    world.faults.clear();
    world.clock.advance(Duration::from_secs(301));
    assert_eq!(world.sweep().await.failed, 0);
    assert_eq!(classes(&world, "GONE#").await, 0);
    assert!(sims_of_nobody(&world).await);
}

#[tokio::test]
async fn media_stay_due_while_the_bucket_is_silent() {
    let world = World::new().await;
    uploaded(&world).await;
    world.clock.advance(Duration::from_secs(21 * 60));
    world.faults.set(Fault::BucketSilent);
    world.index_caught_up().await;
    assert_eq!(world.sweep_once().await.failed, 1);
    world.faults.clear();
    world.clock.advance(Duration::from_secs(301));
    assert_eq!(world.sweep().await.failed, 0);
    assert_eq!((classes(&world, "MEDIA#").await, world.account.objects().await.len()), (0, 0));
}

#[tokio::test]
async fn what_every_app_is_to_hear_is_dispatched_by_the_sweep_too() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1906").await;
    let hooks = format!("{APPS}/{}/webhooks", world.org.app);
    let hook = json!({"url": "https://example.com", "events": ["chat.account.disconnected"]});
    let hook = text(&world.admin(Call::post(&hooks).json(&hook)).await.expect(201), "id");
    let gone = json!({"event": "PARTNER_REMOVED"});
    world.notify(&notification(&line.account, 2_100_000_000, "account_update", &gone)).await.expect(200);
    world.clock.advance(Duration::from_secs(301));
    assert_eq!(world.sweep().await.failed, 0);
    let told = world.admin(Call::get(format!("{hooks}/{hook}/deliveries"))).await.expect(200);
    assert_eq!(told["data"].as_array().unwrap().len(), 1);
}

/// After an internal failure, a delivery to a slow receiver is retried and stays in the patient queue.
#[tokio::test]
async fn a_fault_of_ours_beside_a_slow_receiver_is_made_good() {
    let world = World::with_patience(delivery::DEADLINE).await;
    let receiver = Receiver::start(Arc::new(|_, _| (Duration::from_millis(2500), plain(200, ""))));
    let hook = json!({"url": receiver.url, "events": ["messages.sms.received"]});
    world.admin(Call::post(format!("{APPS}/{}/webhooks", world.org.test_app)).json(&hook)).await.expect(201);
    let key = &world.org.test_app_key;
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);
    let event = world.waiting_events().await.remove(0);
    world.dispatch().await;
    world.deliver_from(&world.account.deliveries).await;
    let rename = async |from: &str, to: &str| {
        let update = world.account.dynamodb.update_item().table_name(TABLE);
        let update = update.key("PK", AttributeValue::S(event.clone())).key("SK", AttributeValue::S("EVT".to_owned()));
        let update = update.update_expression("SET #to = #from REMOVE #from");
        let update = update.expression_attribute_names("#to", to).expression_attribute_names("#from", from);
        update.send().await.unwrap();
    };
    let patient = &world.account.patient_deliveries;
    rename("data", "lost").await;
    assert!(world.deliver_from(patient).await);
    assert_eq!(receiver.got().len(), 1, "no further attempt");
    rename("lost", "data").await;
    assert!(world.deliver_from(patient).await);
    assert_eq!((receiver.got().len(), receiver.ids().len()), (2, 1));
}
