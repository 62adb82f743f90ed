//! Histories become messages with their own times and directions, and cause no events.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::chat::{Line, connect, event_counts};
use tests::request::text;
use tests::settings::of_size;
use tests::{Call, Service as _, World};

use super::{history, import, message, part, text_body, waiting};
use crate::chat::assert_fields;

const ANN: &str = "16505551234";
const BOB: &str = "16505550002";

/// Some days before now, in seconds.
fn days_ago(world: &World, days: i64) -> i64 {
    world.now().seconds() - days * 86_400
}

async fn business_app(world: &World, line: &Line) -> Value {
    let path = format!("/v1/organization/chat/phone-numbers/{}", line.number);
    world.admin(Call::get(path)).await.expect(200)["businessApp"].clone()
}

#[tokio::test]
async fn a_history_is_stored_and_imported_without_events() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7301").await;
    let before = event_counts(&world, &world.org).await;
    let at = |days: i64| days_ago(&world, days);
    let chats = [
        (
            ANN,
            vec![
                message("wamid.1", ANN, at(40), &text_body("Are you open?")),
                message("wamid.2", &line.display, at(39), &text_body("Yes")),
            ],
        ),
        (
            BOB,
            vec![message(
                "wamid.3",
                BOB,
                at(10),
                &json!({"type": "location", "location": {"latitude": 1.5, "longitude": 2}}),
            )],
        ),
    ];
    let told = history(&line, &[part(55, &chats)]);

    let reply = world.notify(&told).await.expect(200);
    assert_eq!(reply, json!({"accepted": 4, "ignored": 0}));
    assert_eq!((waiting(&world).await, line.messages(&world).await.len()), (2, 0));
    assert_fields(&business_app(&world, &line).await, &json!({"history": {"status": "RECEIVING", "progress": 55}}));

    // Repeated before and after the import, it changes nothing.
    world.notify(&told).await.expect(200);
    assert_eq!(waiting(&world).await, 2);
    import(&world).await;
    assert_eq!(waiting(&world).await, 0);
    let messages = line.messages(&world).await;
    world.notify(&told).await.expect(200);
    import(&world).await;
    assert_eq!(line.messages(&world).await, messages);

    // Newest first, by their own times.
    let ids: Vec<&str> = messages.iter().map(|message| message["providerMessageId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["wamid.3", "wamid.2", "wamid.1"]);
    let own = format!("+{}", line.display);
    assert_fields(
        &messages[2],
        &json!({"direction": "INBOUND", "fromPhoneNumber": "+16505551234", "toPhoneNumber": own,
        "textBody": "Are you open?", "isHistory": true}),
    );
    assert_fields(
        &messages[1],
        &json!({"direction": "OUTBOUND", "fromPhoneNumber": own, "toPhoneNumber": "+16505551234",
        "textBody": "Yes", "isHistory": true}),
    );
    for message in &messages {
        assert_eq!(message["createdAt"], message["sentAt"]);
    }
    assert_eq!(
        text(&messages[2], "sentAt")[..10],
        world.now().minus(Duration::from_secs(40 * 86_400)).to_string()[..10]
    );
    let details = line.details(&world, &text(&messages[1], "id")).await;
    assert_eq!(details["systemData"]["history_context"]["status"], "READ");
    assert_eq!(event_counts(&world, &world.org).await, before, "a history causes no events");

    // They are in the conversation, and their senders are contacts: a message of theirs creates none.
    let path = format!("/v1/organization/chat/messages?chatPhoneNumberId={}&contact=%2B{ANN}", line.number);
    assert_eq!(world.admin(Call::get(path)).await.expect(200)["data"].as_array().unwrap().len(), 2);
    world.notify(&line.message(&json!({"id": "wamid.9", "type": "text", "text": {"body": "Hello"}}))).await.expect(200);
    let now = event_counts(&world, &world.org).await;
    assert_eq!((now.get("contacts.chat.created"), now["messages.chat.received"]), (None, 1));
}

#[tokio::test]
async fn parts_come_in_any_order_and_media_follow() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7302").await;
    let at = days_ago(&world, 3);
    let placeholder = message("wamid.picture", ANN, at, &json!({"type": "media_placeholder"}));
    let picture = json!({"id": "wamid.picture", "from": ANN, "timestamp": at.to_string(), "type": "image",
        "image": {"id": "9001", "mime_type": "image/jpeg", "caption": "Look"}});
    world.platform.state().media.insert("9001".to_owned(), vec![7; 300]);
    let medium = line.about("history", &json!({"messages": [picture]}));
    let last = history(&line, &[part(100, &[(ANN, vec![placeholder])])]);
    let first = history(&line, &[part(20, &[(BOB, vec![message("wamid.b", BOB, at, &text_body("b"))])])]);

    // The medium before its placeholder, and after it.
    for order in [[&medium, &last, &first], [&last, &medium, &first]] {
        for told in order {
            world.notify(told).await.expect(200);
            import(&world).await;
        }
        let messages = line.messages(&world).await;
        assert_eq!(messages.len(), 2);
        let shown = messages.iter().find(|message| message["providerMessageId"] == "wamid.picture").unwrap();
        assert_fields(
            shown,
            &json!({"type": "image", "mediaCaption": "Look", "mediaFileSize": 300, "isHistory": true}),
        );
        assert!(text(shown, "mediaUrl").contains("X-Amz-Signature"));
    }
    assert_fields(&business_app(&world, &line).await, &json!({"history": {"status": "COMPLETE", "progress": 100}}));
}

#[tokio::test]
async fn a_business_may_decline_to_share() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7303").await;
    let error = json!({"code": 2_593_109, "title": "History sync is turned off by the business", "message": "off"});
    world.notify(&history(&line, &[json!({"errors": [error]})])).await.expect(200);
    let shown = business_app(&world, &line).await;
    assert_eq!(shown, json!({"history": {"status": "DECLINED", "errorCode": 2_593_109}}));
    let profile =
        world.admin(Call::get(format!("/v1/organization/chat/business-profiles/{}", line.profile))).await.expect(200);
    assert_eq!(profile["phoneNumbers"][0]["businessApp"], shown);

    let check = world.admin(Call::get("/v1/organization/chat/platform-check")).await.expect(200);
    let all = check["data"].as_array().unwrap();
    let own = all.iter().find(|finding| finding["check"] == "number_history").unwrap();
    assert_fields(own, &json!({"status": "WARNING", "subject": line.number}));
    assert!(text(own, "remedy").contains("sign up again"));
}

/// Messages that are older than messages are kept, and those without an id or a number, are left out; a message that cannot be
/// read is a dead letter, and the others do not wait for it.
#[tokio::test]
async fn an_unreadable_part_does_not_stop_the_import() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7304").await;
    let old = message("wamid.old", ANN, days_ago(&world, 5000), &text_body("old"));
    let without_id = json!({"from": ANN, "timestamp": days_ago(&world, 1).to_string(), "type": "text"});
    let good = message("wamid.good", ANN, days_ago(&world, 1), &text_body("good"));
    world.notify(&history(&line, &[part(10, &[(ANN, vec![old, without_id, good])])])).await.expect(200);
    import(&world).await;
    let messages = line.messages(&world).await;
    assert_eq!((messages.len(), &messages[0]["textBody"]), (1, &json!("good")));
    assert_eq!((world.dead_letters().await.len(), waiting(&world).await), (1, 0));
}

/// Messages of 30 chats, which one notification reports.
const PER_NOTIFICATION: usize = 1500;

fn large_history(line: &Line, number: usize, at: i64) -> Value {
    let chat = |user: usize| {
        let digits = format!("165{number:04}{user:04}");
        let id = |n: i64| format!("wamid.{number}.{user}.{n}");
        let messages = (0..50).map(|n| message(&id(n), &digits, at + n, &text_body("x"))).collect::<Vec<_>>();
        json!({"id": digits, "messages": messages})
    };
    let threads: Vec<Value> = (0..PER_NOTIFICATION / 50).map(chat).collect();
    history(line, &[json!({"metadata": {"phase": 1, "chunk_order": number, "progress": 50}, "threads": threads})])
}

/// A notification with thousands of messages is a few items of the table, and leaves nothing in the worker's queue. While a job
/// imports them, updates of today are applied before they are answered, as ever. `FULL_SIZE=1` imports 100,000 messages and
/// prints how long they and the updates take.
#[tokio::test]
async fn updates_of_today_do_not_wait_for_a_large_history() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7305").await;
    let (notifications, at) = (of_size(1, 67), days_ago(&world, 90));
    let total = notifications * PER_NOTIFICATION;
    for number in 0..notifications {
        let reply = world.notify(&large_history(&line, number, at)).await.expect(200);
        assert_eq!(reply["accepted"], PER_NOTIFICATION + 1);
    }
    assert_eq!(waiting(&world).await, 1 + total / 100);
    assert!(!world.work().await, "the history is in the worker's queue");

    let is_imported = AtomicBool::new(false);
    let importing = async {
        let begun = Instant::now();
        import(&world).await;
        is_imported.store(true, Ordering::Relaxed);
        begun.elapsed()
    };
    let today = async {
        let mut times = Vec::new();
        while !is_imported.load(Ordering::Relaxed) {
            let id = format!("wamid.today.{}", times.len());
            let begun = Instant::now();
            world.notify(&line.message(&json!({"id": id, "type": "text", "text": {"body": "Hi"}}))).await.expect(200);
            times.push(begun.elapsed());
            // The conversation of today, which the history has no part in.
            let path = format!("/v1/organization/chat/messages?chatPhoneNumberId={}&contact=%2B{ANN}", line.number);
            let log = world.admin(Call::get(path)).await.expect(200)["data"].as_array().unwrap().clone();
            assert!(log.iter().any(|message| message["providerMessageId"] == id), "{id} is not applied at once");
            tokio::time::sleep(Duration::from_millis(100)).await;
            // Jobs end when their time is up, and leave the rest to the next one.
            world.clock.advance(Duration::from_secs(10));
        }
        times.sort();
        times
    };
    let (took, times) = tokio::join!(importing, today);
    eprintln!(
        "{total} messages in {took:?}; {} updates, median {:?}, last {:?}",
        times.len(),
        times[times.len() / 2],
        times.last()
    );

    let items = world.account.items().await;
    let stored = items.iter().filter(|item| item["PK"].starts_with("MSG#") && item["SK"] == "MSG").count();
    assert_eq!((stored, waiting(&world).await), (total + times.len(), 0));
}

/// The worker stops after each of its AWS calls in turn, and the next job imports the rest.
#[tokio::test]
async fn an_import_that_stops_goes_on() {
    let world = World::new().await;
    let mut stops = 0;
    for step in 0.. {
        let line = connect(&world, &world.org, &format!("74{step:02}")).await;
        let at = days_ago(&world, 2);
        let messages = (0..3).map(|n| message(&format!("wamid.{step}.{n}"), ANN, at + n, &text_body("x"))).collect();
        world.notify(&history(&line, &[part(100, &[(ANN, messages)])])).await.expect(200);
        world.sweep().await;
        let whole = crate::chat::unless_stopped(&world, step, world.work()).await;
        if whole.is_none() {
            stops += 1;
            // The sweep queues the import again.
            world.clock.advance(Duration::from_secs(16 * 60));
            import(&world).await;
        }
        assert_eq!((line.messages(&world).await.len(), waiting(&world).await), (3, 0), "step {step}");
        if whole.is_some() {
            break;
        }
    }
    assert!(stops > 10, "{stops} steps");
}

/// An erasure waits until no part of a history waits, which could have messages of the contact.
#[tokio::test]
async fn an_erasure_waits_for_the_history() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7306").await;
    let at = days_ago(&world, 2);
    let told = history(&line, &[part(100, &[(ANN, vec![message("wamid.1", ANN, at, &text_body("secret words"))])])]);
    world.notify(&told).await.expect(200);
    let contact = format!("+{ANN}");
    let erase = json!({"operation": "eraseContact", "organizationId": world.org.id, "contact": contact});
    world.operate(erase).await.unwrap();
    world.work_off().await;
    let show = json!({"operation": "showErasure", "organizationId": world.org.id, "contact": contact});
    assert_eq!(world.operate(show.clone()).await.unwrap()["status"], "RUNNING");

    import(&world).await;
    world.clock.advance(Duration::from_secs(16 * 60));
    import(&world).await;
    let receipt = world.operate(show).await.unwrap();
    assert_eq!((&receipt["status"], &receipt["erased"]["messages"]), (&json!("DONE"), &json!(1)));
    assert!(!format!("{:?}", world.account.items().await).contains("secret words"));
}
