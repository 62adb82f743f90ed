//! During a rollout or a rollback, two versions write the same items: neither may drop attributes that only the other knows.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use tests::catalogue::{SIGNUP, cases};
use tests::chat::connect;
use tests::settings::TABLE;
use tests::standin::Misbehave;
use tests::{Call, Service as _, World};

const ATTRIBUTE: &str = "fromALaterVersion";

type Item = BTreeMap<String, String>;

/// Changes every item of the table as a later version might have written it.
async fn write_as_a_later_version(world: &World) -> Vec<(String, String)> {
    let mut keys = Vec::new();
    for item in world.account.items().await {
        let key = |name: &str| AttributeValue::S(item[name].clone());
        let call = world.account.dynamodb.update_item().table_name(TABLE).key("PK", key("PK")).key("SK", key("SK"));
        let call = call.update_expression("SET #name = :kept").expression_attribute_names("#name", ATTRIBUTE);
        call.expression_attribute_values(":kept", AttributeValue::S("kept".to_owned())).send().await.unwrap();
        keys.push((item["PK"].clone(), item["SK"].clone()));
    }
    keys
}

fn is_dropped(item: &Item, marked: &[(String, String)]) -> bool {
    let key = (item["PK"].clone(), item["SK"].clone());
    marked.contains(&key) && item.get(ATTRIBUTE).map(String::as_str) != Some("kept")
}

#[tokio::test]
async fn no_operation_drops_what_a_later_version_wrote() {
    let world = World::new().await;
    let cases = cases(&world).await;
    let marked = write_as_a_later_version(&world).await;
    for case in cases {
        let call = case.call.clone().key(case.right_key(&world.org));
        world.with_worker(world.send(call)).await.expect(case.status);
        let dropped: Vec<Item> =
            world.account.items().await.into_iter().filter(|item| is_dropped(item, &marked)).collect();
        assert!(dropped.is_empty(), "{} {} dropped it from {dropped:?}", case.method(), case.template);
    }
}

/// A profile's copy of a number's data is stored beside the number and changes with it.
#[tokio::test]
async fn a_number_that_changes_in_its_profile_drops_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "701").await;
    let marked = write_as_a_later_version(&world).await;
    world.platform.state().accounts.get_mut("701").unwrap().numbers[0]["quality_rating"] = json!("RED");
    world.platform.misbehave("oauth", Misbehave::Status(200, json!({"access_token": "token-701"}).to_string()), 1);
    let again = Call::post(SIGNUP).json(&json!({"code": "another", "wabaId": "701"}));
    assert_eq!(world.admin(again).await.expect(200)["phoneNumbers"][0]["qualityRating"], "RED");
    let items = world.account.items().await;
    assert!(items.iter().any(|item| item["PK"].starts_with("WAPNOF#") && item["PK"].ends_with(&line.profile)));
    let dropped: Vec<&Item> = items.iter().filter(|item| is_dropped(item, &marked)).collect();
    assert!(dropped.is_empty(), "{dropped:?}");
}

#[tokio::test]
async fn neither_events_nor_the_sweep_drop_what_a_later_version_wrote() {
    let world = World::new().await;
    for case in cases(&world).await {
        world.with_worker(world.send(case.call.clone().key(case.right_key(&world.org)))).await;
    }
    let marked = write_as_a_later_version(&world).await;
    world.send_events().await;
    for hours in [1, 24, 24 * 31] {
        world.clock.advance(Duration::from_secs(hours * 3600));
        world.sweep().await;
        world.work_off().await;
    }
    let dropped: Vec<Item> = world.account.items().await.into_iter().filter(|item| is_dropped(item, &marked)).collect();
    assert!(dropped.is_empty(), "{dropped:?}");
}

/// Messages as version 1 queued them; they may wait in queues during an update. Never change an entry; add new ones.
const JOBS_OF_VERSION_1: [&str; 5] = [
    r#"{"job":"updates","v":1,"updates":["{\"kind\":\"unknown\"}"]}"#,
    r#"{"job":"updates","v":1,"organizationId":"org_0ujtsYcgvSTl8PAuAdqWYSMnLOv","updates":["{}"]}"#,
    r#"{"job":"syncTemplates","v":1,"organizationId":"org_0ujtsYcgvSTl8PAuAdqWYSMnLOv","profileId":"wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv","dryRun":true,"run":"0a"}"#,
    r#"{"job":"fetchMedia","v":1,"organizationId":"org_0ujtsYcgvSTl8PAuAdqWYSMnLOv","profileId":"wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv","numberId":"wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv","messageId":"msg_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}"#,
    r#"{"job":"reportStatuses","v":1,"organizationId":"org_0ujtsYcgvSTl8PAuAdqWYSMnLOv","numberId":"wapn_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv","messageId":"msg_wa_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv","platformId":"wamid.simulated.1404249cea745727e5792547","at":"2026-11-24T10:32:08.732Z","next":1}"#,
];
const DELIVERY_OF_VERSION_1: &str = r#"{"v":1,"organizationId":"org_0ujtsYcgvSTl8PAuAdqWYSMnLOv","appId":"app_0ujtsYcgvSTl8PAuAdqWYSMnLOv","webhookId":"whk_0ujtsYcgvSTl8PAuAdqWYSMnLOv","deliveryId":"dlv_0ujtsYcgvSTl8PAuAdqWYSMnLOv","outboxId":"evt_0ujtsYcgvSTl8PAuAdqWYSMnLOv","revision":1}"#;

const RECOVERY_OF_VERSION_1: &str = r#"{"v":1,"organizationId":"org_0ujtsYcgvSTl8PAuAdqWYSMnLOv","appId":"app_0ujtsYcgvSTl8PAuAdqWYSMnLOv","webhookId":"whk_0ujtsYcgvSTl8PAuAdqWYSMnLOv","recoveryId":"rcv_0ujtsYcgvSTl8PAuAdqWYSMnLOv","revision":1}"#;

fn with_unknown_field(text: &str) -> String {
    text.replacen("\"v\":1", "\"v\":1,\"fromALaterVersion\":{\"kept\":true}", 1)
}

#[test]
fn messages_of_both_versions_are_understood() {
    for text in JOBS_OF_VERSION_1 {
        let job: domain::job::Job = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&job).unwrap(), text);
        assert_eq!(serde_json::from_str::<domain::job::Job>(&with_unknown_field(text)).unwrap(), job);
    }
    for text in [DELIVERY_OF_VERSION_1, RECOVERY_OF_VERSION_1] {
        let message: domain::job::DeliveryMessage = serde_json::from_str(text).unwrap();
        assert_eq!(matches!(message, domain::job::DeliveryMessage::Recovery(_)), text == RECOVERY_OF_VERSION_1);
        let later: domain::job::DeliveryMessage = serde_json::from_str(&with_unknown_field(text)).unwrap();
        assert_eq!(later, message);
    }
    let delivery: domain::job::DeliveryJob = serde_json::from_str(DELIVERY_OF_VERSION_1).unwrap();
    assert_eq!(
        serde_json::from_str::<domain::job::DeliveryJob>(&with_unknown_field(DELIVERY_OF_VERSION_1)).unwrap(),
        delivery
    );
}
