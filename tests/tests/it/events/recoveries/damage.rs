//! Events and deliveries that cannot be read do not hold up a recovery.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::id::{AppId, EventId};
use serde_json::json;
use tests::receiver::status;
use tests::settings::TABLE;

use super::{SINCE, counts, recovered, with_failed};
use crate::events::log_of;

/// An event that cannot be read, or not be sent, delays no other.
#[tokio::test]
async fn a_damaged_event_is_passed_over() {
    let (world, receiver, hook) = with_failed(status(200), 6).await;
    let log = log_of(&world, &hook).await;
    let app: AppId = world.org.test_app.parse().unwrap();

    // The newest has no data, and the one before it data that are no JSON.
    for (nth, update) in [(0, "REMOVE #data"), (1, "SET #data = :broken")] {
        let event: EventId = log[nth].event_id.parse().unwrap();
        let outbox = domain::events::delivery::outbox_of_event(&event, &app);
        let key = AttributeValue::S(format!("EVT#{}#{outbox}", world.org.id));
        let call = world.account.dynamodb.update_item().table_name(TABLE).key("PK", key);
        let call = call.key("SK", AttributeValue::S("EVT".to_owned())).update_expression(update);
        let call = call.expression_attribute_names("#data", "data");
        let broken = (nth == 1).then(|| [(":broken".to_owned(), AttributeValue::S("{".to_owned()))].into());
        call.set_expression_attribute_values(broken).send().await.unwrap();
    }

    assert_eq!(counts(&recovered(&world, &hook, &json!({"since": SINCE})).await), ("COMPLETED", 6, 4, 2));
    assert_eq!(receiver.ids().len(), 4);
}

#[tokio::test]
async fn an_unreadable_delivery_is_passed_over() {
    let (world, receiver, hook) = with_failed(status(200), 5).await;
    let log = log_of(&world, &hook).await;
    let sort = log[2].id.strip_prefix("dlv_").expect("the id of a delivery");
    let (webhook, org) = (hook.rsplit('/').next().unwrap(), &world.org.id);

    let mut damaged = 0;
    for partition in 0..8 {
        let key = AttributeValue::S(format!("DLV#{org}#{webhook}#{partition}"));
        let call = world.account.dynamodb.update_item().table_name(TABLE).key("PK", key);
        let call = call.key("SK", AttributeValue::S(sort.to_owned()));
        let call = call.condition_expression("attribute_exists(PK)").update_expression("SET #status = :broken");
        let call = call.expression_attribute_names("#status", "status");
        let call = call.expression_attribute_values(":broken", AttributeValue::L(Vec::new()));
        damaged += usize::from(call.send().await.is_ok());
    }
    assert_eq!(damaged, 1);

    assert_eq!(counts(&recovered(&world, &hook, &json!({"since": SINCE})).await), ("COMPLETED", 4, 4, 0));
    assert_eq!(receiver.ids().len(), 4);
}
