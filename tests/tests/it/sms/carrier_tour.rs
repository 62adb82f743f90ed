//! The deployed stack's way from the carrier's topics to the worker: SNS, SQS and the function.

use std::time::Duration;

use aws::{Connection, client_config};
use aws_sdk_dynamodb::config::Credentials;
use domain::id::{OrganizationId, PhoneNumberId, SmsMessageId};
use domain::identity::organization::MessageRetention;
use domain::message::{Direction, Outcome};
use domain::port::{Clock as _, SystemClock};
use domain::sms::SmsMessage;
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::{Change, SmsRecord, Store, Stored};
use tests::deployed::Deployed;
use tests::request::text;
use tests::settings::endpoint;
use tests::topics::{Topic, inbound};
use tests::{Call, Service as _};

const PATIENCE: Duration = Duration::from_secs(120);
const RECIPIENT: &str = "+12065550171";

/// The table of the deployed stack. Its functions use the emulator's default account.
async fn table() -> (aws_sdk_dynamodb::Client, String) {
    let credentials = Credentials::new("test", "test", None, None, "test");
    let connection = Connection::new("us-east-1".to_owned(), credentials, Some(endpoint())).unwrap();
    let client = aws_sdk_dynamodb::Client::from_conf(client_config!(aws_sdk_dynamodb, &connection).build());
    let tables = client.list_tables().send().await.unwrap().table_names.unwrap();
    let [table] = tables.as_slice() else { panic!("one table, not {tables:?}") };
    (client, table.clone())
}

async fn until<T>(found: impl AsyncFn() -> Option<T>) -> T {
    let started = SystemClock.now();
    loop {
        if let Some(found) = found().await {
            return found;
        }
        assert!(started.seconds_until(SystemClock.now()) < PATIENCE.as_secs(), "the update was not applied");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn updates_of_the_carrier_reach_the_table() {
    let stack = Deployed::from_env();
    let own = format!("+1206555{:04}", SystemClock.now().millis() % 10_000);
    let body = json!({"number": own, "appIds": [stack.org().app]});
    let number = stack.admin(Call::post("/v1/organization/phone-numbers").json(&body)).await.expect(201);
    let (organization, number): (OrganizationId, PhoneNumberId) =
        (stack.org().id.parse().unwrap(), text(&number, "id").parse().unwrap());
    let (client, table) = table().await;
    let store = Store::new(client.clone(), &table);
    // The operator links numbers at the carrier, which the emulator is not.
    let claim = [
        ("PK", format!("CPN#{}", &own[1..])),
        ("SK", "REF".to_owned()),
        ("since", "2026-01-01T00:00:00.000Z".to_owned()),
    ];
    let claim =
        claim.into_iter().chain([("organizationId", organization.to_string()), ("numberId", number.to_string())]);
    let item = claim.map(|(name, value)| (name.to_owned(), aws_sdk_dynamodb::types::AttributeValue::S(value)));
    client.put_item().table_name(&table).set_item(Some(item.collect())).send().await.unwrap();

    // A received message.
    Topic::deployed("CARRIER_INBOUND_TOPIC").publish(&inbound(RECIPIENT, &own, "STOP", &format!("in-{own}"))).await;
    let received = until(async || {
        let partition = aws_sdk_dynamodb::types::AttributeValue::S(format!("MSGLIST#{organization}#{number}"));
        let call = client.query().table_name(&table).key_condition_expression("PK = :pk");
        let listed = call.expression_attribute_values(":pk", partition).consistent_read(true).send().await.unwrap();
        listed.items().first().map(|item| item["SK"].as_s().unwrap().clone())
    });
    let received = SmsMessageId::from_ksuid(number.mode(), &received.await).unwrap();
    let received = store.of(&organization).message(&received).await.unwrap().unwrap().record.message;
    assert_eq!((received.text.as_deref(), received.from.as_str()), (Some("STOP"), RECIPIENT));

    // The receipt of a sent message.
    let now = SystemClock.now();
    let id = SmsMessageId::mint(number.mode(), now, &SystemRandom::new());
    let (from, to) = (own.parse().unwrap(), RECIPIENT.parse().unwrap());
    let mut message = SmsMessage::blank(id.clone(), &number, Direction::Outbound, from, to, now);
    message.outcome = Some(Outcome::Pending.into());
    let mut stored = Stored::new(SmsRecord::new(message), MessageRetention::default());
    stored.begin_attempt("attempt".to_owned(), now);
    let mut change = Change::new(&organization);
    change.create_message(&stored).unwrap();
    store.commit(&change).await.unwrap();
    let receipt: Value = json!({
        "eventType": "TEXT_DELIVERED", "eventTimestamp": now.millis(), "isFinal": true, "originationPhoneNumber": own,
        "destinationPhoneNumber": RECIPIENT, "messageId": "carrier-1", "totalMessageParts": 1, "totalMessagePrice": 0.00645,
        "context": {"organization": organization, "message": id},
    });
    Topic::deployed("CARRIER_RECEIPTS_TOPIC").publish(&receipt).await;
    let delivered = until(async || {
        let message = store.of(&organization).message(&id).await.unwrap().unwrap().record.message;
        message.delivered_at.map(|_| message)
    })
    .await;
    assert_eq!(delivered.outcome(), Some(Outcome::Accepted));
}
