//! Filtered lists of deliveries: what a page reads is bounded, and its cursor goes on where it stopped.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::events::delivery::{ATTEMPTS_SHOWN, Attempt, BODY_KEPT, Delivery, DeliveryStatus, HEADER_NAMES_KEPT};
use domain::events::event::EventName;
use domain::id::{AppId, EventId, OrganizationId, WebhookId};
use futures_util::{StreamExt as _, stream};
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::Change;
use tests::request::text;
use tests::{Call, Service as _, World};

const MEBIBYTE: usize = 1024 * 1024;

/// Creates a webhook of the live app. Returns its path and id.
async fn webhook(world: &World) -> (String, WebhookId) {
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    let body = json!({"url": "https://example.com", "events": ["messages.sms.sent"]});
    let id = text(&world.admin(Call::post(&path).json(&body)).await.expect(201), "id");
    (format!("{path}/{id}"), id.parse().unwrap())
}

/// Stores this many deliveries, one per millisecond, of which every `matching`-th has failed and the others have
/// succeeded. Returns the ids of the failed ones, newest first.
async fn store(world: &World, webhook: &WebhookId, count: usize, matching: usize, attempts: usize) -> Vec<String> {
    let organization: OrganizationId = world.org.id.parse().unwrap();
    let app: AppId = world.org.app.parse().unwrap();
    let mut deliveries = Vec::new();
    for n in 0..count {
        world.clock.advance(Duration::from_millis(1));
        let event = EventId::mint(world.now(), &SystemRandom::new());
        let kind = EventName::MessagesSmsSent.into();
        let mut delivery = Delivery::new(&event, kind, &app, webhook, world.now()).unwrap();
        let has_failed = n % matching == 0;
        delivery.status = if has_failed { DeliveryStatus::Failed } else { DeliveryStatus::Delivered }.into();
        delivery.next_attempt_at = None;
        delivery.attempts = (0..attempts).map(|_| attempt(world)).collect();
        deliveries.push(delivery);
    }
    let stored = world.account.store();
    let commits = deliveries.iter().map(|delivery| {
        let mut change = Change::new(&organization);
        change.create_delivery(delivery).unwrap();
        let stored = stored.clone();
        async move { stored.commit(&change).await.unwrap() }
    });
    stream::iter(commits).buffer_unordered(32).for_each(async |_| ()).await;
    let failed = deliveries.into_iter().rev().filter(|delivery| delivery.status == DeliveryStatus::Failed);
    failed.map(|delivery| delivery.id.to_string()).collect()
}

fn attempt(world: &World) -> Attempt {
    Attempt {
        attempted_at: world.now(),
        status_code: Some(500),
        error: None,
        duration_ms: 15_000,
        response_body: Some("x".repeat(BODY_KEPT)),
        header_names: vec!["h".repeat(HEADER_NAMES_KEPT / 20); 20],
        to_queue: false,
    }
}

/// Returns the ids on all pages of a filtered list, and the number of pages. Checks that no page reads more than it
/// may.
async fn walk(world: &World, path: &str, query: &str) -> (Vec<String>, usize) {
    let (mut ids, mut pages, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let get = world.admin(Call::get(format!("{path}/deliveries?{query}{cursor}")));
        let (page, cost) = world.faults.meter.of(get).await;
        let page = page.expect(200);
        // The credential, the webhook and its secrets are read too.
        assert!(cost.items_read <= 400 + 3, "{cost:?}");
        assert!(cost.bytes_read <= MEBIBYTE + 4096, "{cost:?}");
        pages += 1;
        ids.extend(page["data"].as_array().unwrap().iter().map(|delivery| text(delivery, "id")));
        match &page["nextCursor"] {
            Value::Null => return (ids, pages),
            next => cursor = format!("&cursor={}", next.as_str().unwrap()),
        }
    }
}

#[tokio::test]
async fn a_filtered_page_reads_four_hundred_deliveries_at_most() {
    let world = World::new().await;
    let (path, id) = webhook(&world).await;
    let failed = store(&world, &id, 500, 125, 0).await;
    assert_eq!(failed.len(), 4);
    let (found, pages) = walk(&world, &path, "status=FAILED").await;
    assert_eq!(found, failed);
    assert!((2..=3).contains(&pages), "{pages}");
    // A page ends as soon as it is full, and nothing is lost at its end.
    for limit in [1, 3, 4] {
        assert_eq!(walk(&world, &path, &format!("status=FAILED&limit={limit}")).await.0, failed, "limit {limit}");
    }
    let (none, pages) = walk(&world, &path, "status=SKIPPED").await;
    assert!(none.is_empty() && (2..=3).contains(&pages), "{pages}");
    let (delivered, _) = walk(&world, &path, "status=DELIVERED&limit=100").await;
    let distinct: BTreeSet<&String> = delivered.iter().collect();
    assert_eq!((delivered.len(), distinct.len()), (496, 496));
    assert!(delivered.is_sorted_by(|a, b| a > b), "newest first");
}

#[tokio::test]
async fn a_filtered_page_reads_a_mebibyte_at_most() {
    let world = World::new().await;
    let (path, id) = webhook(&world).await;
    let failed = store(&world, &id, 120, 40, ATTEMPTS_SHOWN).await;
    let (found, pages) = walk(&world, &path, "status=FAILED").await;
    assert_eq!(found, failed);
    assert!(pages > 3, "{pages}");
}
