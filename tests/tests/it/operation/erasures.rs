//! The erasure of a contact, by the content of the table, the bucket and the queues afterwards.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::faults::Fault;
use tests::request::text;
use tests::sms::linked_number;
use tests::topics::inbound;
use tests::world::Organization;
use tests::{Call, Service as _, World};

const DIGITS: &str = "16505551234";
const NUMBER: &str = "+16505551234";
const USER_ID: &str = "US.134";
const OTHER: &str = "16505550002";
/// Longer than the sweep waits before it queues an erasure again.
const LATER: Duration = Duration::from_secs(15 * 60 + 1);
/// Classes of items that end by themselves, as the receipt says.
const ENDING: &[&str] = &["EVT#", "FEED#", "FEEDREF#", "DLV#", "IDEM#", "SIM#"];

type Items = Vec<BTreeMap<String, String>>;

fn erase(organization: &str, contact: &str) -> Value {
    json!({"operation": "eraseContact", "organizationId": organization, "contact": contact})
}

async fn receipt(world: &World, contact: &str) -> Value {
    let show = json!({"operation": "showErasure", "organizationId": world.org.id, "contact": contact});
    world.operate(show).await.unwrap()
}

/// Lets the sweep find what is due, and the worker do it.
async fn run_jobs(world: &World) {
    world.sweep().await;
    world.work_off().await;
}

async fn erased(world: &World, contact: &str) -> Value {
    let begun = world.operate(erase(&world.org.id, contact)).await.unwrap();
    assert_eq!(begun["status"], "RUNNING");
    run_jobs(world).await;
    let receipt = receipt(world, contact).await;
    assert_eq!(receipt["status"], "DONE", "{receipt}");
    assert!(world.dead_letters().await.is_empty());
    receipt
}

/// The keys of the organization's items that name the contact, except those that end by themselves.
async fn naming(world: &World, organization: &str, names: &[&str]) -> Vec<String> {
    let items = world.account.items().await.into_iter();
    let own = items.filter(|item| item["PK"].split('#').nth(1) == Some(organization));
    let lasting = own.filter(|item| ENDING.iter().all(|class| !item["PK"].starts_with(class)));
    let named = lasting.filter(|item| item.values().any(|value| names.iter().any(|name| value.contains(name))));
    named.map(|item| format!("{} {}", item["PK"], item["SK"])).collect()
}

async fn items_of(world: &World, organization: &str) -> Items {
    let items = world.account.items().await;
    items.into_iter().filter(|item| item.values().any(|value| value.contains(organization))).collect()
}

async fn receive(world: &World, line: &Line, from: (&str, &str), message: Value) {
    let contact = json!({"profile": {"name": "Ann"}, "wa_id": from.0, "user_id": from.1});
    let mut message = message;
    message["from"] = json!(from.0);
    message["from_user_id"] = json!(from.1);
    message["timestamp"] = json!("2000000000");
    let notification = line.about("messages", &json!({"contacts": [contact], "messages": [message]}));
    world.notify(&notification).await.expect(200);
}

async fn report(world: &World, line: &Line, status: Value) {
    let mut status = status;
    status["timestamp"] = json!("2000000001");
    world.notify(&line.status(&status)).await.expect(200);
}

fn said(id: &str) -> Value {
    json!({"id": id, "type": "text", "text": {"body": "Hello"}})
}

async fn tell_group(world: &World, line: &Line, field: &str, more: Value) {
    let mut group = json!({"group_id": "group-1", "timestamp": 2_000_000_000});
    group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.notify(&line.about(field, &json!({"groups": [group]}))).await.expect(200);
}

async fn send(world: &World, line: &Line, body: Value) -> Value {
    world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)).await.expect(201)
}

/// Makes everything that names the contact: chat messages in both directions, with a file, sent here and elsewhere; a group
/// with messages; and SMS.
async fn everything(world: &World, line: &Line) {
    let ann = (DIGITS, USER_ID);
    world.platform.state().media.insert("900".to_owned(), b"bytes".to_vec());
    receive(world, line, ann, said("wamid.in")).await;
    let image = json!({"id": "wamid.image", "type": "image", "image": {"id": "900", "mime_type": "image/jpeg"}});
    receive(world, line, ann, image).await;
    world.work_off().await;
    let hello = json!({"from": line.number, "to": NUMBER, "type": "text", "text": {"body": "Hello"}});
    let sent = send(world, line, hello).await;
    let own = format!("{}:{}", line.org.id, text(&sent, "id"));
    report(
        world,
        line,
        json!({"id": text(&sent, "providerMessageId"), "status": "delivered", "recipient_id": DIGITS,
        "biz_opaque_callback_data": own}),
    )
    .await;
    report(world, line, json!({"id": "wamid.elsewhere", "status": "sent", "recipient_id": DIGITS})).await;
    let create = json!({"chatPhoneNumberId": line.number, "subject": "Friends"});
    world.send(Call::post("/v1/chat/groups").key(&line.org.app_key).json(&create)).await.expect(201);
    let request = format!("request-{}", world.platform.seen("groups").len());
    tell_group(world, line, "group_lifecycle_update", json!({"type": "group_create", "request_id": request})).await;
    let joined = json!([{"wa_id": DIGITS}, {"wa_id": OTHER}]);
    tell_group(
        world,
        line,
        "group_participants_update",
        json!({"type": "group_participants_add", "added_participants": joined}),
    )
    .await;
    let in_group = |id: &str| json!({"id": id, "type": "text", "text": {"body": "All"}, "group_id": "group-1"});
    receive(world, line, ann, in_group("wamid.group.ann")).await;
    receive(world, line, (OTHER, "US.2"), in_group("wamid.group.bob")).await;
    for member in [DIGITS, OTHER] {
        report(
            world,
            line,
            json!({"id": "wamid.group.sent", "status": "delivered", "recipient_id": "group-1",
            "recipient_type": "group", "group_id": "group-1", "recipient_participant_id": member,
            "participant_recipient_id": member}),
        )
        .await;
    }
    receive(world, line, (OTHER, "US.2"), said("wamid.bob")).await;
}

async fn line_and_sms(world: &World, account: &str) -> Line {
    let line = connect(world, &world.org, account).await;
    everything(world, &line).await;
    linked_number(world, "+12015550100").await;
    for (from, id) in [(NUMBER, "in-1"), ("+16505550002", "in-2")] {
        let reporter = inbound::Reporter::Live;
        let text = inbound(from, "+12015550100", "Hello", id).to_string();
        let update = inbound::CarrierUpdate { reporter, at: world.now(), text };
        world.worker.inbox.apply_carrier_update(&update).await.unwrap();
    }
    line
}

#[tokio::test]
async fn nothing_names_an_erased_contact_and_all_else_stays() {
    let world = World::new().await;
    let other: Organization = world.organization("Other").await;
    let others = connect(&world, &other, "4202").await;
    everything(&world, &others).await;
    let line = line_and_sms(&world, "4201").await;
    assert!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await.len() > 15);
    let untouched = items_of(&world, &other.id).await;
    let of_bob = naming(&world, &world.org.id, &[OTHER, "US.2"]).await;
    let files = world.account.objects().await.len();

    let receipt = erased(&world, NUMBER).await;
    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());
    // Three of the conversation sent and received here, one sent elsewhere, one in the group, one SMS.
    assert_eq!(receipt["erased"], json!({"messages": 6, "media": 1, "contacts": 1, "groupMentions": 2}));
    assert_eq!((&receipt["contactEndsWith"], &receipt["runs"]), (&json!("1234"), &json!(1)));
    let until = |at: usize| text(&receipt["remaining"][at], "until");
    let in_days = |days: u64| serde_json::to_value(world.now().plus(Duration::from_secs(days * 86_400))).unwrap();
    assert_eq!((json!(until(0)), json!(until(3))), (in_days(32), in_days(35)));
    assert!(receipt["kept"][0].as_str().unwrap().contains("opt-out list"));
    assert!(!receipt.to_string().contains("5551234"));

    assert_eq!(items_of(&world, &other.id).await, untouched, "another organization's items");
    assert_eq!(naming(&world, &world.org.id, &[OTHER, "US.2"]).await, of_bob, "another contact's items");
    assert_eq!(world.account.objects().await.len(), files - 1);
    let statuses: Vec<_> =
        line.messages(&world).await.iter().map(|message| text(message, "providerMessageId")).collect();
    assert_eq!(statuses.len(), 3, "{statuses:?}");

    // What the platform still reports about erased messages brings nothing back.
    for status in ["delivered", "read"] {
        report(&world, &line, json!({"id": "wamid.elsewhere", "status": status, "recipient_id": DIGITS})).await;
    }
    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());

    // Who writes again is a new contact.
    receive(&world, &line, (DIGITS, USER_ID), said("wamid.again")).await;
    assert_eq!(line.messages(&world).await.len(), 4);
    let again = erased(&world, NUMBER).await;
    assert_eq!((&again["runs"], &again["erased"]["messages"]), (&json!(2), &json!(7)));
    assert_eq!(line.messages(&world).await.len(), 3);
}

#[tokio::test]
async fn a_user_id_leads_to_the_same_person() {
    let world = World::new().await;
    line_and_sms(&world, "4203").await;
    let receipt = erased(&world, USER_ID).await;
    assert_eq!((&receipt["contactEndsWith"], &receipt["erased"]["messages"]), (&json!("34"), &json!(6)));
    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());
}

/// A number that a contact had, and that another person has now, keeps the messages of that person.
#[tokio::test]
async fn a_number_that_changed_hands_keeps_the_messages_of_its_new_user() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4204").await;
    receive(&world, &line, (DIGITS, USER_ID), said("wamid.1")).await;
    receive(&world, &line, (DIGITS, "US.9"), said("wamid.2")).await;
    let receipt = erased(&world, USER_ID).await;
    assert_eq!(receipt["erased"]["messages"], 1);
    assert_eq!(line.messages(&world).await.len(), 1);
    assert_eq!(naming(&world, &world.org.id, &[USER_ID]).await, Vec::<String>::new());
    // By the number, all of its messages go.
    assert_eq!(erased(&world, NUMBER).await["erased"]["messages"], 1);
    assert_eq!(line.messages(&world).await.len(), 0);
}

#[tokio::test]
async fn an_erasure_is_finished_after_any_interruption() {
    let world = World::new().await;
    line_and_sms(&world, "4205").await;
    let of_bob = naming(&world, &world.org.id, &[OTHER, "US.2"]).await;
    let begun = world.operate(erase(&world.org.id, NUMBER)).await.unwrap();
    let mut kills = 0;
    for step in (0..).step_by(2) {
        run_sweep_until_queued(&world).await;
        world.faults.set(Fault::StoppedAfter(step));
        let was_stopped = tokio::select! {
            _ = world.work() => false,
            () = world.faults.struck() => true,
        };
        world.faults.clear();
        world.clock.advance(LATER);
        if !was_stopped || receipt(&world, NUMBER).await["status"] == "DONE" {
            break;
        }
        kills += 1;
    }
    assert!(kills > 6, "{kills} kills");
    run_jobs(&world).await;
    let done = receipt(&world, NUMBER).await;
    assert_eq!((&done["status"], &done["reference"], &done["runs"]), (&json!("DONE"), &begun["reference"], &json!(1)));
    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());
    assert_eq!(naming(&world, &world.org.id, &[OTHER, "US.2"]).await, of_bob);
    assert_eq!(world.account.objects().await, Vec::<String>::new());
}

async fn run_sweep_until_queued(world: &World) {
    world.index_caught_up().await;
    assert_eq!(world.sweep().await.failed, 0);
}

/// Two jobs at once, as a queue may deliver one twice, do no more than one.
#[tokio::test]
async fn a_job_that_is_delivered_twice_does_no_harm() {
    let world = World::new().await;
    line_and_sms(&world, "4206").await;
    let of_bob = naming(&world, &world.org.id, &[OTHER, "US.2"]).await;
    let begun = world.operate(erase(&world.org.id, NUMBER)).await.unwrap();
    let job = aws::queue::Job::EraseContact {
        v: aws::queue::VERSION,
        organization_id: world.org.id.parse().unwrap(),
        reference: text(&begun, "reference"),
    };
    world.worker.jobs.queue.send(&[job.clone(), job]).await.unwrap();
    world.work_off().await;
    world.clock.advance(LATER);
    run_jobs(&world).await;
    assert_eq!(receipt(&world, NUMBER).await["status"], "DONE");
    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());
    assert_eq!(naming(&world, &world.org.id, &[OTHER, "US.2"]).await, of_bob);
}

/// More messages than a page has, between others.
#[tokio::test]
async fn a_long_conversation_is_erased_page_by_page() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4207").await;
    for n in 0..130 {
        let from = if n % 5 == 0 { (OTHER, "US.2") } else { (DIGITS, USER_ID) };
        receive(&world, &line, from, said(&format!("wamid.{n}"))).await;
    }
    let receipt = erased(&world, NUMBER).await;
    assert_eq!(receipt["erased"]["messages"], 104);
    assert_eq!(line.messages(&world).await.len(), 26);
    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_message_that_waits_is_not_sent_after_its_erasure() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4208").await;
    let body = json!({"from": line.number, "to": NUMBER, "type": "text", "text": {"body": "Hello"}, "queue": true});
    world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)).await;
    erased(&world, NUMBER).await;
    while world.send_queued().await {}
    assert!(world.platform.seen("/messages").is_empty());
    assert_eq!(naming(&world, &world.org.id, &[DIGITS]).await, Vec::<String>::new());
}

/// The messages of deleted numbers are still readable, so they are erased, too. In test mode, only the fictional number itself
/// stays allocated, and a block stays.
#[tokio::test]
async fn contacts_of_test_mode_and_of_deleted_numbers_are_erased() {
    let world = World::new().await;
    let (org, key) = (&world.org, &world.org.test_app_key);
    let user = "+16505551234";
    let chat = json!({"from": user, "type": "text", "profileName": "Ann", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&chat)).await.expect(201);
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let sms = json!({"from": user, "to": system["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);
    world.work_off().await;
    let delete = Call::delete(format!("/v1/organization/apps/{}", org.test_app));
    world.admin(delete).await.expect(200);
    let receipt = erased(&world, user).await;
    assert_eq!(receipt["erased"]["messages"], 2);
    let left = naming(&world, &org.id, &[DIGITS]).await;
    assert!(left.iter().all(|key| key.starts_with("PGNUM#") || key.starts_with("PGCONV#")), "{left:?}");
}

#[tokio::test]
async fn a_block_of_a_simulated_contact_stays() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let chat = json!({"from": NUMBER, "type": "text", "profileName": "Ann", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&chat)).await.expect(201);
    let numbers =
        world.send(Call::get("/v1/organization/chat/phone-numbers").key(&world.org.test_admin)).await.expect(200);
    let number = text(&numbers["data"][0], "id");
    let block = Call::post(format!("/v1/chat/phone-numbers/{number}/blocked-users")).key(key);
    world.send(block.json(&json!({"users": [NUMBER]}))).await.expect(200);
    assert_eq!(erased(&world, NUMBER).await["erased"]["messages"], 1);
    let left = naming(&world, &world.org.id, &[DIGITS]).await;
    assert!(left.iter().all(|key| key.starts_with("PGNUM#") || key.starts_with("PGCONV#")), "{left:?}");
    let listed =
        world.send(Call::get(format!("/v1/chat/phone-numbers/{number}/blocked-users")).key(key)).await.expect(200);
    assert!(listed.to_string().contains(DIGITS), "{listed}");
    let users =
        world.send(Call::get("/v1/organization/playground/chat/phone-numbers/user").key(&world.org.test_admin)).await;
    assert!(users.status == 200 && !users.text.contains(DIGITS), "{}", users.text);
}

#[tokio::test]
async fn a_request_is_repeated_or_refused() {
    let world = World::new().await;
    let begun = world.operate(erase(&world.org.id, NUMBER)).await.unwrap();
    world.clock.advance(Duration::from_secs(30));
    assert_eq!(world.operate(erase(&world.org.id, NUMBER)).await.unwrap(), begun, "it still runs");
    assert!(begun.get("finishedAt").is_none() && begun["remaining"][0].get("until").is_none());
    run_jobs(&world).await;
    let nothing = json!({"messages": 0, "media": 0, "contacts": 0, "groupMentions": 0});
    assert_eq!(receipt(&world, NUMBER).await["erased"], nothing);
    let item = world.account.items().await.into_iter().find(|item| item["PK"].starts_with("ERASE#")).unwrap();
    assert!(item.values().all(|value| !value.contains("5551234")) && !item.contains_key("dueAt"), "{item:?}");

    let unknown = format!("org_{}", "0".repeat(27));
    for (organization, contact, expected) in [
        (world.org.id.as_str(), "16505551234", "contact: contact must be a phone number in E.164 format"),
        (world.org.id.as_str(), "a b", "contact: contact must be a phone number in E.164 format"),
        (unknown.as_str(), NUMBER, "organizationId: "),
    ] {
        let refused = world.operate(erase(organization, contact)).await.unwrap_err();
        assert!(refused.starts_with(expected), "{refused}");
    }
    let show = json!({"operation": "showErasure", "organizationId": world.org.id, "contact": "US.1"});
    assert!(world.operate(show).await.unwrap_err().starts_with("contact: "));
}

#[tokio::test]
async fn the_operator_takes_a_number_from_its_organization() {
    let world = World::new().await;
    let number = "+12015550100";
    let id = linked_number(&world, number).await;
    let release =
        |number: &str| json!({"operation": "releaseNumber", "organizationId": world.org.id, "number": number});
    let released = world.operate(release(number)).await.unwrap();
    assert_eq!(released, json!({"number": number, "carrierStatus": "RELEASING"}));
    run_jobs(&world).await;
    world.admin(Call::get(format!("/v1/organization/phone-numbers/{id}"))).await.expect(404);
    assert!(world.account.items().await.iter().all(|item| !item["PK"].starts_with("CPN#")));
    assert_eq!(world.operate(release(number)).await.unwrap(), json!({"number": number, "carrierStatus": null}));

    let add = Call::post("/v1/organization/phone-numbers")
        .json(&json!({"number": "+12015550199", "appIds": [world.org.app]}));
    let own = text(&world.admin(add).await.expect(201), "id");
    assert_eq!(world.operate(release("+12015550199")).await.unwrap()["carrierStatus"], json!(null));
    world.admin(Call::get(format!("/v1/organization/phone-numbers/{own}"))).await.expect(404);
    let app = world.admin(Call::get(format!("/v1/organization/apps/{}", world.org.app))).await.expect(200);
    assert!(!app.to_string().contains(&own), "{app}");

    let system = Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key);
    let system = world.send(system).await.expect(200)["numbers"][0].as_str().unwrap().to_owned();
    // The numbers that a test app was created with are no exception.
    assert_eq!(world.operate(release(&system)).await.unwrap(), json!({"number": system, "carrierStatus": null}));
    let listed = world.admin(Call::get("/v1/organization/phone-numbers")).await.expect(200);
    assert!(!listed.to_string().contains(&system), "{listed}");
    assert!(world.operate(release("12")).await.unwrap_err().starts_with("number: "));
}
