//! Every operation with credentials that must not get anywhere; the table's content proves it.

use std::collections::{BTreeMap, BTreeSet};

use api::operations::OPERATIONS;
use tests::catalogue::{Case, Policy, cases};
use tests::{Service as _, World};

type Items = Vec<BTreeMap<String, String>>;

fn items_of(items: &Items, organization: &str) -> Items {
    items.iter().filter(|item| format!("{item:?}").contains(organization)).cloned().collect()
}

/// Values that only the organization itself may see: ids of its objects, header values.
fn marks(items: &Items) -> BTreeSet<String> {
    let ids =
        items.iter().flat_map(|item| ["id", "number", "displayPhoneNumber"].iter().filter_map(|name| item.get(*name)));
    ids.cloned().chain(["blue-team-secret".to_owned()]).collect()
}

fn assert_reveals_nothing(answer: &str, marks: &BTreeSet<String>, sent: &str) {
    for mark in marks.iter().filter(|mark| !sent.contains(*mark)) {
        assert!(!answer.contains(mark.as_str()), "{mark} in {answer}");
    }
}

#[tokio::test]
async fn every_operation_has_a_case() {
    let world = World::new().await;
    let cases = cases(&world).await;
    let covered: BTreeSet<_> = cases.iter().map(|case| (case.method().to_string(), case.template)).collect();
    let all: BTreeSet<_> = OPERATIONS
        .iter()
        // Neither takes a credential: the pages, and the platform, which signs.
        .filter(|operation| !["docs", "notifications"].contains(&operation.function))
        .map(|operation| (operation.method.to_string(), operation.path))
        .collect();
    assert_eq!(covered, all);
}

#[tokio::test]
async fn every_operation_succeeds_with_the_right_credential() {
    let world = World::new().await;
    for case in cases(&world).await {
        let reply = world.send(case.call.clone().key(case.right_key(&world.org))).await;
        assert_eq!(reply.status.as_u16(), case.status, "{case:?}: {reply:?}");
    }
}

#[tokio::test]
async fn nothing_is_read_or_changed_without_the_right_credential() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    let cases = cases(&world).await;
    let before = items_of(&world.account.items().await, &world.org.id);
    let objects = world.account.objects().await;
    let marks = marks(&before);
    let unchanged = async |case: &Case| {
        assert_eq!(items_of(&world.account.items().await, &world.org.id), before, "{case:?}");
    };
    for case in &cases {
        let sent = format!("{}{}", case.call.path, String::from_utf8_lossy(&case.call.body));
        world.send(case.call.clone()).await.unauthenticated("Missing Authorization header");
        world.send(case.call.clone().key("sk_admin_nope")).await.unauthenticated("Invalid API key");
        for key in case.wrong_kinds(&world.org) {
            world.send(case.call.clone().key(key)).await.unauthenticated("Invalid credentials");
        }
        if case.policy == Policy::TestApp {
            world.send(case.call.clone().key(&world.org.app_key)).await.refused(403, None, Some("test_app_required"));
        }
        unchanged(case).await;

        let foreign = world.send(case.call.clone().key(case.right_key(&stranger))).await;
        assert_reveals_nothing(&foreign.text, &marks, &sent);
        let status = foreign.status.as_u16();
        let takes_own = case.template == "/v1/playground/sms/messages";
        let expected: &[u16] = if case.names_object {
            &[404]
        } else if takes_own {
            &[400]
        } else {
            &[200, 201]
        };
        assert!(expected.contains(&status), "{case:?}: {foreign:?}");
        unchanged(case).await;
    }
    assert_eq!(world.account.objects().await.iter().filter(|key| key.contains(&world.org.id)).count(), objects.len());
}

#[tokio::test]
async fn test_keys_neither_see_nor_change_live_objects() {
    let world = World::new().await;
    let cases = cases(&world).await;
    let live = |items: &Items| -> Items {
        let of_org = items_of(items, &world.org.id);
        let is_count = |item: &BTreeMap<String, String>| item["SK"] == "COUNT";
        of_org.into_iter().filter(|item| !format!("{item:?}").contains("test") && !is_count(item)).collect()
    };
    let before = live(&world.account.items().await);
    let live_ids: BTreeSet<String> =
        before.iter().filter_map(|item| item.get("id")).filter(|id| !id.starts_with("org_")).cloned().collect();
    for case in cases.iter().filter(|case| matches!(case.policy, Policy::Admin | Policy::Member)) {
        let sent = format!("{}{}", case.call.path, String::from_utf8_lossy(&case.call.body));
        let reply = world.send(case.call.clone().key(&world.org.test_admin)).await;
        if case.is_live {
            assert_eq!(reply.status.as_u16(), 404, "{case:?}: {reply:?}");
        }
        assert_reveals_nothing(&reply.text, &live_ids, &sent);
        let now: Items = live(&world.account.items().await);
        let made_test = |item: &BTreeMap<String, String>| {
            ["CRED#", "APPSLUG#", "PGNUM#"].iter().any(|class| item["PK"].starts_with(class))
        };
        let now: Items = now.into_iter().filter(|item| before.contains(item) || !made_test(item)).collect();
        assert_eq!(now, before, "{case:?}");
    }
}
