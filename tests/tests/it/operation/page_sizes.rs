//! Pages end before the response is larger than Lambda accepts, however much the objects hold, and readers get all of them.

use std::time::Duration;

use domain::Mode;
use domain::chat::Template;
use domain::events::delivery::{ATTEMPTS_SHOWN, Attempt, BODY_KEPT, Delivery, DeliveryStatus};
use domain::events::event::{Audience, EventName, OutboxEvent};
use domain::id::{AppId, ChatBusinessProfileId, EventId, OrganizationId, PhoneNumberId, SmsMessageId, WebhookId};
use domain::message::Direction;
use domain::sms::SmsMessage;
use domain::{E164, Json};
use futures_util::{StreamExt as _, stream};
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::{Change, NameItem, SmsRecord, Stored, StoredTemplate};
use tests::chat::connect;
use tests::request::text;
use tests::{Call, Service as _, World};

/// The most that a page may have, as Lambda encodes it.
const MOST: usize = 5 * 1024 * 1024;
/// Takes four bytes for each mark in a response: two in the body's JSON, each of which is escaped again.
const MARKS: usize = 85_000;

/// Reads a list page by page. Returns its objects, and the numbers of objects of its pages.
async fn walk(world: &World, key: &str, path: &str) -> (Vec<Value>, Vec<usize>) {
    let (mut all, mut sizes, mut cursor) = (Vec::new(), Vec::new(), String::new());
    loop {
        let reply = world.send(Call::get(format!("{path}{cursor}")).key(key)).await;
        let size = reply.size_for_lambda();
        assert!(size <= MOST, "{path}: a page of {size} bytes");
        let page = reply.expect(200);
        let data = page["data"].as_array().unwrap();
        assert!(!data.is_empty(), "{path}: a page without objects leads nowhere");
        sizes.push(data.len());
        all.extend(data.iter().cloned());
        match page["nextCursor"].as_str() {
            None => return (all, sizes),
            Some(next) => cursor = format!("&cursor={next}"),
        }
    }
}

/// Checks that all pages but the last could not have had one more object of this size.
fn are_full(sizes: &[usize], object: usize) {
    let (_, full) = sizes.split_last().unwrap();
    assert!(
        !full.is_empty() && full.iter().all(|count| (count + 1) * object > MOST - 8 * 1024),
        "{sizes:?} of {object}"
    );
}

async fn commit(world: &World, changes: Vec<Change>) {
    let store = world.account.store();
    let commits = changes.iter().map(|change| async { drop(store.commit(change).await.unwrap()) });
    stream::iter(commits).buffer_unordered(16).for_each(async |()| ()).await;
}

#[tokio::test]
async fn replayed_quotation_marks_block_no_reader() {
    const COUNT: usize = 48;
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    let is_own = |number: &&Value| number["apps"][0]["appId"] == world.org.test_app.as_str();
    let number = text(numbers["data"].as_array().unwrap().iter().find(is_own).unwrap(), "id");
    for nth in 0..COUNT {
        let message = json!({"from": "16505551234", "id": format!("wamid.{nth}"), "timestamp": "2000000000",
            "type": "text", "text": {"body": "\"".repeat(MARKS)}});
        let value = json!({"messaging_product": "whatsapp", "metadata": {"display_phone_number": "1", "phone_number_id": "1"},
            "contacts": [{"profile": {"name": "Ann"}, "wa_id": "16505551234"}], "messages": [message]});
        let body = json!({"field": "messages", "value": value, "target": number});
        world.clock.advance(Duration::from_millis(1));
        world.send(Call::post("/v1/playground/notifications").key(key).json(&body)).await.expect(202);
    }
    world.dispatch().await;

    for path in ["/v1/events".to_owned(), format!("/v1/organization/apps/{}/events", world.org.test_app)] {
        let (mut sequences, mut received, mut after) = (Vec::new(), 0, "oldest".to_owned());
        loop {
            let key = if path.contains("organization") { &world.org.test_admin } else { key };
            let reply = world.send(Call::get(format!("{path}?after={after}&limit=100")).key(key)).await;
            let size = reply.size_for_lambda();
            assert!(size <= MOST, "a page of {size} bytes");
            let page = reply.expect(200);
            let data = page["data"].as_array().unwrap();
            if data.is_empty() {
                break;
            }
            received += data.iter().filter(|event| event["type"] == "messages.chat.received").count();
            sequences.extend(data.iter().map(|event| event["sequence"].as_u64().unwrap()));
            after = text(&page, "nextAfter");
        }
        assert!(sequences.iter().copied().eq(1..=sequences.len() as u64), "{sequences:?}");
        assert_eq!(received, COUNT, "{path}");
    }

    let own = "/v1/chat/messages?limit=40".to_owned();
    let of_number = format!("/v1/organization/chat/messages?chatPhoneNumberId={number}&limit=100");
    for (key, path) in [(key, own), (&world.org.admin, of_number)] {
        let (messages, sizes) = walk(&world, key, &path).await;
        let ids: Vec<String> = messages.iter().map(|message| text(message, "providerMessageId")).collect();
        assert_eq!(ids, (0..COUNT).rev().map(|nth| format!("wamid.{nth}")).collect::<Vec<_>>());
        // A text that no item could hold is cut.
        let longest = messages.iter().map(|message| text(message, "textBody").len()).max().unwrap();
        assert!(longest > MARKS / 2, "{longest}");
        are_full(&sizes, 4 * longest + 2_000);
    }
}

#[tokio::test]
async fn a_log_of_sms_ends_its_pages_in_time() {
    let world = World::new().await;
    let created = Call::post("/v1/organization/phone-numbers").json(&json!({"number": "+12015550100"}));
    let number = text(&world.admin(created).await.expect(201), "id");
    let id: PhoneNumberId = number.parse().unwrap();
    let organization: OrganizationId = world.org.id.parse().unwrap();
    let (from, to): (E164, E164) = ("+12015550100".parse().unwrap(), "+442079460111".parse().unwrap());
    let retention = world.account.store().of(&organization).message_retention().await.unwrap();
    let mut changes = Vec::new();
    for _ in 0..30 {
        world.clock.advance(Duration::from_millis(1));
        let message = SmsMessageId::mint(id.mode(), world.now(), &SystemRandom::new());
        let (from, to) = (from.clone(), to.clone());
        let mut message = SmsMessage::blank(message, &id, Direction::Inbound, from, to, world.now());
        message.text = Some("\\".repeat(MARKS));
        let mut change = Change::new(&organization);
        change.create_message(&Stored::new(SmsRecord::new(message), retention)).unwrap();
        changes.push(change);
    }
    commit(&world, changes).await;
    let path = format!("/v1/organization/sms/messages?phoneNumberId={number}&limit=100");
    let (messages, sizes) = walk(&world, &world.org.admin, &path).await;
    assert!(messages.iter().map(|message| text(message, "id")).is_sorted_by(|a, b| a > b));
    assert_eq!(messages.len(), 30);
    are_full(&sizes, 4 * MARKS + 1_000);
}

/// Control characters take seven bytes each: the body has `\u0001`, whose backslash is escaped again.
#[tokio::test]
async fn a_log_of_deliveries_ends_its_pages_in_time() {
    const COUNT: usize = 60;
    let world = World::new().await;
    let hooks = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    let body = json!({"url": "https://example.com/hook", "events": ["messages.sms.received"]});
    let hook = text(&world.admin(Call::post(&hooks).json(&body)).await.expect(201), "id");
    let (organization, app): (OrganizationId, AppId) =
        (world.org.id.parse().unwrap(), world.org.test_app.parse().unwrap());
    let webhook: WebhookId = hook.parse().unwrap();
    let mut changes = Vec::new();
    for _ in 0..COUNT {
        world.clock.advance(Duration::from_millis(1));
        let (now, kind) = (world.now(), EventName::MessagesSmsReceived);
        let id = EventId::mint(now, &SystemRandom::new());
        let audience = Audience::App(app.to_string());
        let data = "{}".to_owned();
        let event =
            OutboxEvent { id, kind: kind.into(), mode: Mode::Test, audience, data, created_at: now, request_id: None };
        let mut delivery = Delivery::new(&event.id, kind.into(), &app, &webhook, now).unwrap();
        let attempt = Attempt {
            attempted_at: now,
            status_code: Some(500),
            error: None,
            duration_ms: 1,
            response_body: Some("\u{1}".repeat(BODY_KEPT)),
            header_names: Vec::new(),
            to_queue: false,
        };
        delivery.attempts = vec![attempt; ATTEMPTS_SHOWN];
        (delivery.status, delivery.next_attempt_at) = (DeliveryStatus::Failed.into(), None);
        let mut change = Change::new(&organization);
        change.store_event_without_dispatch(&event).unwrap();
        change.create_delivery(&delivery).unwrap();
        changes.push(change);
    }
    commit(&world, changes).await;
    let own = format!("/v1/webhooks/{hook}/deliveries?limit=100");
    for (key, path) in
        [(&world.org.admin, format!("{hooks}/{hook}/deliveries?limit=100")), (&world.org.test_app_key, own)]
    {
        let (deliveries, sizes) = walk(&world, key, &path).await;
        assert!(deliveries.iter().map(|delivery| text(delivery, "id")).is_sorted_by(|a, b| a > b));
        assert_eq!(deliveries.len(), COUNT, "{sizes:?}");
        assert!(sizes[0] < COUNT, "{sizes:?}");
    }
}

#[tokio::test]
async fn lists_of_templates_end_their_pages_in_time() {
    const COUNT: usize = 30;
    let world = World::new().await;
    let line = connect(&world, &world.org, "5911").await;
    let profile: ChatBusinessProfileId = line.profile.parse().unwrap();
    let organization: OrganizationId = world.org.id.parse().unwrap();
    let mut changes = Vec::new();
    for nth in 0..COUNT {
        let now = world.now();
        let template = Template {
            id: (7_000_000 + nth).to_string(),
            chat_business_profile_id: profile.clone(),
            name: Some("long".to_owned()),
            language: Some(format!("l{nth:02}")),
            category: Some("UTILITY".to_owned()),
            status: "APPROVED".to_owned(),
            components: Some(Json::of(&json!([{"type": "BODY", "text": "\"".repeat(MARKS)}])).unwrap()),
            parameter_format: None,
            message_send_ttl_seconds: None,
            quality_score: None,
            rejected_reason: None,
            created_at: now,
            updated_at: now,
        };
        let stored = StoredTemplate {
            template,
            status_at: now,
            quality_at: now,
            category_at: now,
            components_at: None,
            is_named: true,
            edited_at: Vec::new(),
            revision: 1,
        };
        let mut change = Change::new(&organization);
        change.create_template(&stored, NameItem::Moves).unwrap();
        changes.push(change);
    }
    commit(&world, changes).await;
    let of_profile = format!("/v1/organization/chat/templates?chatBusinessProfileId={}", line.profile);
    let of_number = format!("/v1/chat/templates?chatPhoneNumberId={}", line.number);
    for (key, path) in [(&world.org.admin, of_profile), (&world.org.app_key, of_number)] {
        // By the platform's ids, by languages, and with a filter that looks at more templates than the page may have.
        for filters in ["&limit=100", "&limit=100&name=long", "&limit=20&status=APPROVED"] {
            let (templates, sizes) = walk(&world, key, &format!("{path}{filters}")).await;
            assert!(templates.iter().map(|template| text(template, "id")).is_sorted_by(|a, b| a > b), "{filters}");
            assert_eq!(templates.len(), COUNT, "{filters}: {sizes:?}");
            are_full(&sizes, 4 * MARKS + 2_000);
        }
    }
}

/// The platform's own lists go on after the platform's own cursors, so a page that is too long is asked for again, shorter.
#[tokio::test]
async fn lists_of_the_platform_end_their_pages_in_time() {
    const COUNT: usize = 70;
    let world = World::new().await;
    let line = connect(&world, &world.org, "5912").await;
    let user = |nth: usize| format!("US.{nth:02}{}", "x".repeat(100_000));
    world.platform.state().blocked.insert(line.platform_number.clone(), (0..COUNT).map(user).collect());
    let path = format!("/v1/chat/phone-numbers/{}/blocked-users?limit=100", line.number);
    let (users, sizes) = walk(&world, &world.org.app_key, &path).await;
    let users: Vec<String> = users.iter().map(|entry| text(entry, "user")).collect();
    assert!(users.iter().cloned().eq((0..COUNT).map(user)), "{sizes:?}");
}
