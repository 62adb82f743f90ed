//! How many recoveries a webhook can have, how many deliveries a day, what they cost, and that they end with the webhook.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use messaging_client::types::WebhookRecoveryStatus;
use serde_json::json;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::settings::TABLE;
use tests::{Call, Service as _, World};

use super::{SINCE, begin, counts, ended, id_of, recover, recovered, store_failed, webhook, with_failed};

#[tokio::test]
async fn a_webhook_has_one_running_recovery() {
    let (world, _receiver, hook) = with_failed(status(200), 3).await;

    let body = json!({"since": SINCE});
    let request = || world.send(recover(&world, &hook, &body));
    let both = futures_util::join!(request(), request());
    let (begun, refused) = if both.0.status == 202 { both } else { (both.1, both.0) };

    let id = text(&begun.expect(202), "id");
    let message = text(&refused.refused(409, Some("webhookId"), None)["error"], "message");
    assert!(message.contains(&id), "{message}");
    assert_eq!(ended(&world, &hook, &id).await.status, WebhookRecoveryStatus::Completed);

    assert_eq!(counts(&recovered(&world, &hook, &body).await), ("COMPLETED", 0, 0, 0));

    // A repeated request with an Idempotency-Key begins nothing, and gets the first response.
    let once = recover(&world, &hook, &body).header("idempotency-key", "again");
    let first = world.send(once.clone()).await.expect(202);
    assert_eq!(world.send(once).await.expect(202), first);
    let own = format!("/v1/webhooks/{}/recoveries/{}", id_of(&hook), text(&first, "id"));
    assert_eq!(world.send(Call::get(own).key(&world.org.test_app_key)).await.expect(200)["id"], first["id"]);
}

#[tokio::test]
async fn a_recovery_ends_with_its_webhook() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(410));
    let (gone, deleted) =
        (webhook(&world, &world.org, &receiver.url).await, webhook(&world, &world.org, &receiver.url).await);
    for hook in [&gone, &deleted] {
        store_failed(&world, hook, 3).await;
    }

    // The receiver wants no further events, so the webhook is disabled.
    let recovery = recovered(&world, &gone, &json!({"since": SINCE})).await;
    assert_eq!(counts(&recovery), ("STOPPED", 1, 0, 1));
    assert!(recovery.reason.as_deref().unwrap().contains("disabled"), "{recovery:?}");

    world.send(recover(&world, &gone, &json!({"since": SINCE}))).await.refused(409, Some("webhookId"), None);
    assert_eq!(
        counts(&recovered(&world, &gone, &json!({"since": SINCE, "dryRun": true})).await),
        ("COMPLETED", 3, 0, 0)
    );

    let id = begin(&world, &deleted, &json!({"since": SINCE})).await;
    world.admin(Call::delete(&deleted)).await.expect(200);
    while world.deliver().await {}
    assert_eq!(receiver.count(), 1);

    let stored = world.account.store().of(&world.org.id.parse().unwrap());
    let stored = stored.recovery(&id_of(&deleted), &id.parse().unwrap()).await.unwrap().unwrap();
    assert_eq!((stored.is_running(), stored.reason.as_deref()), (false, Some("The webhook was deleted.")));
    world.admin(Call::get(format!("{deleted}/recoveries/{id}"))).await.refused(404, Some("webhookId"), None);
}

#[tokio::test]
async fn a_day_has_a_limit() {
    let (world, receiver, hook) = with_failed(status(200), 30).await;
    recovered(&world, &hook, &json!({"since": SINCE, "dryRun": true})).await;

    // 99,990 were recovered today. A dry run counts as many as a recovery would attempt, and uses up nothing.
    let key = AttributeValue::S(format!("RCV#{}#{}", world.org.id, id_of(&hook)));
    let update = world.account.dynamodb.update_item().table_name(TABLE).key("PK", key);
    let update = update.key("SK", AttributeValue::S("HEAD".to_owned())).update_expression("SET recoveredToday = :most");
    update.expression_attribute_values(":most", AttributeValue::N("99990".to_owned())).send().await.unwrap();

    let dry = recovered(&world, &hook, &json!({"since": SINCE, "dryRun": true})).await;
    assert_eq!(counts(&dry), ("STOPPED", 10, 0, 0));
    assert!(dry.reason.as_deref().unwrap().contains("100000 deliveries"), "{dry:?}");

    let recovery = recovered(&world, &hook, &json!({"since": SINCE})).await;
    assert_eq!(counts(&recovery), ("STOPPED", 10, 10, 0));
    assert!(recovery.reason.as_deref().unwrap().contains("100000 deliveries"), "{recovery:?}");

    for dry_run in [false, true] {
        let refused = world.send(recover(&world, &hook, &json!({"since": SINCE, "dryRun": dry_run}))).await;
        assert!(refused.header("retry-after").is_some());
        refused.refused(429, None, Some("rate_limit_exceeded"));
    }

    // The next day has a limit of its own.
    world.clock.advance(Duration::from_secs(24 * 3600));
    assert_eq!(
        counts(&recovered(&world, &hook, &json!({"since": recovery.processed_until, "dryRun": true})).await),
        ("COMPLETED", 20, 0, 0)
    );
    assert_eq!(
        counts(&recovered(&world, &hook, &json!({"since": recovery.processed_until})).await),
        ("COMPLETED", 20, 20, 0)
    );
    assert_eq!((receiver.ids().len(), receiver.count()), (30, 30));
}

#[tokio::test]
async fn a_webhook_has_three_dry_runs_per_hour() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    let other = webhook(&world, &world.org, &receiver.url).await;
    store_failed(&world, &hook, 2).await;

    // The hour is that of the clock.
    world.clock.advance(Duration::from_secs(3600 - world.now().seconds().unsigned_abs() % 3600));

    let dry = json!({"since": SINCE, "dryRun": true});
    for _ in 0..3 {
        recovered(&world, &hook, &dry).await;
    }

    let before = world.account.items().await;
    let refused = world.send(recover(&world, &hook, &dry)).await;
    let after: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    let error = refused.refused(429, None, Some("rate_limit_exceeded"));
    assert!(text(&error["error"], "message").contains("3 dry runs per hour"), "{error}");
    assert!((1..=3600).contains(&after), "{after}");
    assert_eq!(world.account.items().await, before);

    // Another webhook and a recovery that is not a dry run have quotas of their own.
    begin(&world, &other, &dry).await;
    assert_eq!(counts(&recovered(&world, &hook, &json!({"since": SINCE})).await), ("COMPLETED", 2, 2, 0));

    world.clock.advance(Duration::from_secs(after));
    begin(&world, &hook, &dry).await;
}

#[tokio::test]
async fn a_recovery_costs_a_read_and_a_write_per_delivery() {
    let (world, receiver, hook) = with_failed(status(200), 101).await;
    begin(&world, &hook, &json!({"since": SINCE})).await;

    world.deliver_from(&world.account.deliveries).await;
    let round = world.deliver_from(&world.account.patient_deliveries);
    let (_, cost) = world.faults.meter.of(round).await;
    assert_eq!(receiver.ids().len(), 101);

    // Beginning, end, slot and three batches; each delivery is one event read and one delivery written.
    let (read, write) = (cost.read_units / 101.0, cost.write_units / 101.0);
    assert!(read <= 1.6, "{read} read units per delivery: {cost:?}");
    assert!(write <= 1.2, "{write} write units per delivery: {cost:?}");
}
