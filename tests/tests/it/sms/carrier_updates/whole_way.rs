//! The whole way of a message: from the request to its receipts and its reply.

use std::time::Duration;

use runtime::Metric;
use serde_json::json;
use tests::request::text;
use tests::sms::linked_number;
use tests::standin::Misbehave;
use tests::topics::{Topic, inbound};
use tests::{Call, Service as _, World};

use super::{FIRST, RECIPIENT, counted, events, hear_all};

/// The whole way of a live message: linked by the operator, sent through the API, resolved by a receipt, and answered.
#[tokio::test]
async fn a_sent_message_gets_its_receipts_and_its_reply() {
    let world = World::with_stream().await;
    let (org, own) = (&world.org, "+12015550100");
    let number = linked_number(&world, own).await;

    let body = json!({"from": own, "to": RECIPIENT, "text": "Hello"});
    let sent = world.send(Call::post("/v1/sms").key(&org.app_key).json(&body)).await.expect(201);
    let input = world.carrier_account.state().sends[0].input.clone();

    let receipts = Topic::leading_to(&world.account.carrier).await;
    for (result, is_final) in [("SENT", false), ("DELIVERED", true)] {
        let receipt = json!({
            "eventType": format!("TEXT_{result}"), "eventTimestamp": FIRST, "isFinal": is_final,
            "originationPhoneNumber": own, "destinationPhoneNumber": RECIPIENT, "messageId": "carrier-1",
            "context": input["Context"], "totalMessageParts": 1, "totalMessagePrice": 0.00645,
        });
        receipts.publish(&receipt).await;
    }
    receipts.publish(&inbound(RECIPIENT, own, "Thanks", "in-1")).await;
    hear_all(&world).await;

    let path = format!("/v1/sms/{}", text(&sent, "id"));
    let shown = world.send(Call::get(path).key(&org.app_key)).await.expect(200);
    assert_eq!((&shown["outcome"], &shown["status"]), (&json!("ACCEPTED"), &json!("DELIVERED")));
    assert_eq!(shown["price"], json!({"amount": "0.00645", "currency": "USD"}));

    let log = format!("/v1/sms?phoneNumberId={number}&direction=INBOUND");
    let log = world.send(Call::get(log).key(&org.app_key)).await.expect(200);
    assert_eq!((&log["data"][0]["text"], log["data"].as_array().unwrap().len()), (&json!("Thanks"), 1));

    // What it cost is in the usage, exactly.
    world.count().await;
    let usage = world.admin(Call::get("/v1/organization/usage?groupBy=direction,country")).await.expect(200);
    let row = &usage["data"][1];
    assert_eq!(
        (&row["direction"], &row["parts"], &row["delivered"]),
        (&json!("OUTBOUND"), &json!(1), &json!(1)),
        "{usage}"
    );
    assert_eq!(row["price"], json!({"amount": "0.00645", "currency": "USD", "estimated": false}), "{usage}");

    let names = ["messages.sms.delivered", "messages.sms.received", "messages.sms.sent"];
    assert_eq!(events(&world, org).await, names.map(|name| (name.to_owned(), 1)).into());
    assert_eq!(counted(&world, Metric::DroppedCarrierUpdates), 0);
}

/// The simulated carrier's receipts take the same way from the queue of the jobs on.
#[tokio::test]
async fn a_test_message_is_delivered_by_simulated_receipts() {
    let world = World::new().await;
    let org = &world.org;
    let path = "/v1/playground/phone-numbers/system";
    let numbers = world.send(Call::get(path).key(&org.test_app_key)).await.expect(200);

    let body = json!({"from": numbers["numbers"][0], "to": RECIPIENT, "text": "Hello"});
    let sent = world.send(Call::post("/v1/sms").key(&org.test_app_key).json(&body)).await.expect(201);
    assert!(text(&sent, "id").starts_with("msg_sms_test_"));

    let path = format!("/v1/sms/{}", text(&sent, "id"));
    let mut shown = sent;
    for _ in 0..100 {
        world.work_off().await;
        shown = world.send(Call::get(&path).key(&org.test_app_key)).await.expect(200);
        if shown["status"] == "DELIVERED" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }

    assert_eq!((&shown["outcome"], &shown["status"]), (&json!("ACCEPTED"), &json!("DELIVERED")));
    assert_eq!(shown["price"], json!({"amount": "0", "currency": "USD"}));
    assert_eq!(events(&world, org).await["messages.sms.delivered"], 1);
    assert_eq!(world.carrier_account.state().sends.len(), 0);
    assert_eq!(counted(&world, Metric::DroppedCarrierUpdates), 0);
}

/// The operator hears of refusals that concern the account or many recipients.
#[tokio::test]
async fn refusals_for_money_and_opt_outs_are_counted() {
    let world = World::new().await;
    let (org, own) = (&world.org, "+12015550100");
    linked_number(&world, own).await;
    let (spent, opted_out) = (Metric::SpendLimitRefusals, Metric::OptOutRefusals);

    for (exception, reason, expected) in [
        ("ServiceQuotaExceededException", "MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT", (1, 0)),
        ("ConflictException", "DESTINATION_PHONE_NUMBER_OPTED_OUT", (1, 1)),
        ("ConflictException", "RESOURCE_NOT_ACTIVE", (1, 1)),
    ] {
        let refusal = json!({"__type": exception, "Message": "no", "Reason": reason}).to_string();
        world.carrier_account.state().faults = vec![Misbehave::Status(400, refusal)];
        let body = json!({"from": own, "to": RECIPIENT, "text": "Hello"});
        world.send(Call::post("/v1/sms").key(&org.app_key).json(&body)).await.expect(422);
        assert_eq!((counted(&world, spent), counted(&world, opted_out)), expected, "{reason}");
    }
}
