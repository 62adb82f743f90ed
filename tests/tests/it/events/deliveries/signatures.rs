//! The request that a receiver gets: its headers, its body and the secrets that sign it.

use std::collections::BTreeSet;
use std::time::Duration;

use messaging_client::types::WebhookDeliveryStatus;
use serde_json::json;
use standardwebhooks::Webhook;
use tests::receiver::{Got, Receiver, status};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{SMS, advance_to, attempt, stored, subscribed, webhook, write};
use crate::events::log_of;

#[tokio::test]
async fn an_event_arrives_signed_with_its_headers() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let (path, secret) = webhook(&world, &receiver.url, &SMS).await;

    write(&world).await;
    world.send_events().await;

    let got = receiver.got();
    assert_eq!(got.len(), 1);
    Webhook::new(&secret).unwrap().verify(&got[0].body, &got[0].headers).unwrap();
    assert_eq!(got[0].head, "POST /hooks?a=b");
    assert_eq!(got[0].headers["x-team"], "blue-team-secret");
    assert_eq!(got[0].headers["content-type"], "application/json");
    assert!(got[0].headers["user-agent"].to_str().unwrap().starts_with("messaging-api/"));

    let body = got[0].json();
    assert_eq!((&body["id"], &body["type"]), (&json!(got[0].id()), &json!("messages.sms.received")));
    assert_eq!((&body["organizationId"], &body["appId"]), (&json!(world.org.id), &json!(world.org.test_app)));
    assert_eq!((&body["mode"], &body["data"]["text"]), (&json!("test"), &json!("Hello")));
    assert!(!String::from_utf8_lossy(&got[0].body).contains("secret"));

    let log = log_of(&world, &path).await;
    assert_eq!((log.len(), &log[0].status), (1, &WebhookDeliveryStatus::Delivered));
    assert_eq!((&log[0].event_id, &log[0].next_attempt_at), (&got[0].id(), &None));
    assert_eq!(log[0].attempts[0].status_code, Some(204));
    assert!(world.waiting_events().await.is_empty());
}

#[tokio::test]
async fn both_secrets_sign_while_one_replaces_the_other() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (path, old) = webhook(&world, &receiver.url, &SMS).await;
    let rotate = |grace: i64| Call::post(format!("{path}/rotate-secret")).json(&json!({"gracePeriodSeconds": grace}));

    for wrong in [-1, 604_801] {
        world.admin(rotate(wrong)).await.refused(400, Some("gracePeriodSeconds"), None);
    }

    let new = text(&world.admin(rotate(3600)).await.expect(200), "secret");
    let is_signed_by = |secret: &str, at: usize| {
        let got = &receiver.got()[at];
        Webhook::new(secret).unwrap().verify(&got.body, &got.headers).is_ok()
    };

    write(&world).await;
    world.send_events().await;
    assert!(is_signed_by(&old, 0) && is_signed_by(&new, 0));

    // A leaked secret can be replaced immediately.
    let newest = text(&world.admin(rotate(0)).await.expect(200), "secret");
    write(&world).await;
    world.send_events().await;
    assert!(is_signed_by(&newest, 1) && !is_signed_by(&new, 1) && !is_signed_by(&old, 1));

    let shown = world.admin(Call::get(&path)).await.expect(200);
    assert!(shown.get("secret").is_none());
}

/// The secrets that a delivery is signed with. The verifying library uses the system clock.
fn signers(got: &Got, secrets: &[&str]) -> Vec<bool> {
    let header = |name: &str| got.headers[name].to_str().unwrap();
    let sent: BTreeSet<&str> = header("webhook-signature").split(' ').collect();
    let at = header("webhook-timestamp").parse().unwrap();
    let expected = secrets.iter().map(|secret| Webhook::new(secret).unwrap().sign(&got.id(), at, &got.body).unwrap());
    let signers: Vec<bool> = expected.map(|signature| sent.contains(signature.as_str())).collect();
    assert_eq!(sent.len(), signers.iter().filter(|signed| **signed).count(), "{sent:?}");
    signers
}

#[tokio::test]
async fn a_replaced_secret_signs_for_a_day_and_no_longer() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (path, old) = webhook(&world, &receiver.url, &SMS).await;
    let rotated = world.admin(Call::post(format!("{path}/rotate-secret"))).await.expect(200);
    let new = text(&rotated, "secret");

    for (wait, expected) in [(86_399, [true, true]), (2, [false, true])] {
        world.clock.advance(Duration::from_secs(wait));
        write(&world).await;
        world.send_events().await;
        assert_eq!(signers(receiver.got().last().unwrap(), &[&old, &new]), expected, "{wait}");
    }

    assert_eq!(receiver.got().len(), 2);
}

/// The timestamp is that of the attempt, so that receivers can reject old requests.
#[tokio::test]
async fn the_timestamp_is_of_the_attempt() {
    let (world, receiver, path) = subscribed(status(503)).await;
    write(&world).await;
    world.dispatch().await;

    let mut attempted = Vec::new();
    for _ in 0..3 {
        let delivery = stored(&world, &path).await;
        advance_to(&world, delivery.next_attempt_at.unwrap());
        attempt(&world, &delivery).await;
        attempted.push(world.now().seconds().to_string());
    }

    let told: Vec<String> =
        receiver.got().iter().map(|got| got.headers["webhook-timestamp"].to_str().unwrap().to_owned()).collect();
    assert_eq!(told, attempted);
    assert_ne!(told[0], told[2]);
}
