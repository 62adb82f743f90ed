//! A step of the deletion that fails keeps no other step from running.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::catalogue::{member, onboarding_link, session_of, sign_in_token, uploaded};
use tests::chat::connect;
use tests::faults::Fault;
use tests::{Call, Service as _, World};

use super::{delete, finish, furnish, left};

/// Damages an item of a partition, so that it cannot be read. Returns it as it was.
async fn break_item(world: &World, partition: &str) -> HashMap<String, AttributeValue> {
    let items = world.account.stored_items().await.into_iter();
    let mut found = items.filter(|item| item["PK"].as_s().unwrap().starts_with(partition));
    let item = found.next().unwrap_or_else(|| panic!("no item of {partition}"));
    let mut broken = item.clone();
    broken.insert("createdAt".to_owned(), AttributeValue::S("?".to_owned()));
    world.account.store_item(broken).await;
    item
}

fn failed_steps(reply: &Value) -> Vec<&str> {
    reply["failed"].as_array().into_iter().flatten().map(|failed| failed["step"].as_str().unwrap()).collect()
}

/// The credentials of every kind are deleted first: each call of the first steps fails in turn, and only what it was to
/// delete stays.
#[tokio::test]
async fn no_failure_keeps_credentials_of_another_kind() {
    let mut failed = BTreeSet::new();
    for calls in 0.. {
        let world = World::new().await;
        let (_, token) = onboarding_link(&world).await;
        let ann = member(&world, "ann@example.com", "ADMIN").await;
        let session = session_of(&world, &sign_in_token(&world, &ann).await).await;

        world.faults.set(Fault::FailsAfter(calls));
        let Ok(reply) = world.operate(delete(&world, "acme")).await else { continue };
        world.faults.clear();

        let steps = failed_steps(&reply);
        let org = &world.org;
        for (step, path, key) in [
            ("adminKeys", "/v1/organization/settings", &org.admin),
            ("adminKeys", "/v1/organization/settings", &org.test_admin),
            ("sessions", "/v1/organization/settings", &org.session),
            ("appKeys", "/v1/chat/groups", &org.app_key),
            ("appKeys", "/v1/playground/phone-numbers/system", &org.test_app_key),
            ("onboardingLinks", "/v1/onboarding", &token),
            ("members", "/v1/session", &session),
        ] {
            if !steps.contains(&step) {
                world.send(Call::get(path).key(key)).await.expect(401);
            }
        }

        let of_credentials = ["adminKeys", "appKeys", "sessions", "members", "onboardingLinks"];
        let access_ended = !steps.iter().any(|step| of_credentials.contains(step));
        assert_eq!(reply["accessEndedAt"].is_string(), access_ended, "{calls}: {reply}");
        failed.extend(steps.iter().map(|step| (*step).to_owned()));

        if !access_ended {
            continue;
        }
        if of_credentials.iter().all(|step| failed.contains(*step)) {
            return;
        }
        assert!(calls < 40, "{failed:?}");
    }
}

/// An item that cannot be deleted keeps nothing else, and the receipt names the step.
#[tokio::test]
async fn a_step_that_fails_keeps_no_other_step_from_running() {
    const CONVERSATIONS: [&str; 6] = ["MSG#", "SMS#", "CONTACT#", "CONTACTOF#", "GRP#", "MEDIA#"];
    for (class, mode, step, others) in [
        ("WABP", "#live", "accounts", &["APP#", "NUM#"][..]),
        ("WAPN", "#live", "accounts", &["APP#", "NUM#"]),
        ("NUM", "#live", "phoneNumbers", &["APP#", "WABP#", "WAPN#", "TPL#"]),
        ("GRP", "", "groups", &["APP#", "NUM#", "WABP#", "WAPN#", "TPL#"]),
        ("HOOK", "", "apps", &["NUM#", "WABP#", "WAPN#", "TPL#"]),
    ] {
        let world = World::new().await;
        furnish(&world, &world.org, "4310").await;
        uploaded(&world).await;
        let intact = break_item(&world, &format!("{class}#{}{mode}", world.org.id)).await;

        for _ in 0..2 {
            let reply = world.operate(delete(&world, "acme")).await.unwrap();
            assert_eq!((&reply["status"], failed_steps(&reply)), (&json!("RUNNING"), vec![step]), "{class}: {reply}");
            assert_eq!(reply["failed"][0]["reason"], "Something went wrong on our side.");
        }

        let left = left(&world).await;
        let is_expected = |key: &&String| {
            let gone = CONVERSATIONS.iter().chain(others).find(|class| key.starts_with(**class));
            gone.is_some_and(|gone| *gone != format!("{class}#"))
        };
        let remaining: Vec<_> = left.iter().filter(is_expected).collect();
        assert!(remaining.is_empty() && left.iter().any(|key| key.starts_with(class)), "{class}: {remaining:?}");
        assert_eq!(world.account.objects().await, Vec::<String>::new(), "{class}");

        world.account.store_item(intact).await;
        let receipt = finish(&world).await;
        assert!(receipt.get("failed").is_none(), "{receipt}");
        assert_eq!(super::left(&world).await, Vec::<String>::new(), "{class}");
    }
}

/// A message that cannot be erased keeps no other message of its number.
#[tokio::test]
async fn a_message_that_fails_keeps_no_other_message() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4311").await;
    for n in 0..60 {
        let message = json!({"id": format!("wamid.{n}"), "type": "text", "text": {"body": "Hello"}});
        world.notify(&line.message(&message)).await.expect(200);
    }

    break_item(&world, &format!("MSG#{}", world.org.id)).await;
    let reply = world.operate(delete(&world, "acme")).await.unwrap();
    assert_eq!((failed_steps(&reply), &reply["deleted"]["messages"]), (vec!["messages"], &json!(59)), "{reply}");
}
