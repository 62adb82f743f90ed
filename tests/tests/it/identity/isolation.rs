//! Calls every operation with credentials that must not have any effect, and compares the table before and after.

use std::collections::{BTreeMap, BTreeSet};

use contract::ROUTES;
use http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};
use tests::catalogue::{Case, Policy, SIGN_IN, cases};
use tests::{Call, Reply, Service as _, World};

type Items = Vec<BTreeMap<String, String>>;

fn items_of(items: &Items, organization: &str) -> Items {
    items.iter().filter(|item| format!("{item:?}").contains(organization)).cloned().collect()
}

const NUMBERS: [&str; 2] = ["number", "displayPhoneNumber"];

fn values(items: &Items, names: &[&str]) -> BTreeSet<String> {
    items.iter().flat_map(|item| names.iter().filter_map(|name| item.get(*name))).cloned().collect()
}

/// Values that only the organization may see: ids of its objects, header values, and phone numbers, except those that the
/// other organization has too, because fictional and simulated numbers may coincide.
fn marks(items: &Items, other: &Items) -> BTreeSet<String> {
    let numbers = &values(items, &NUMBERS) - &values(other, &NUMBERS);
    values(items, &["id"]).into_iter().chain(numbers).chain(["blue-team-secret".to_owned()]).collect()
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
    let all: BTreeSet<_> = ROUTES
        .iter()
        // The pages and the platform's callbacks take no credential, and signing in takes the link in the body.
        .filter(|operation| !["reference", "notifications"].contains(&operation.function))
        .filter(|operation| (&operation.method, operation.path.as_str()) != (&Method::POST, SIGN_IN))
        .filter(|operation| !["/v1/sign-in", "/v1/sign-in/callback"].contains(&operation.path.as_str()))
        .map(|operation| (operation.method.to_string(), operation.path.as_str()))
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
    let unchanged = async |case: &Case| {
        assert_eq!(items_of(&world.account.items().await, &world.org.id), before, "{case:?}");
    };
    for case in &cases {
        let sent = format!("{}{}", case.call.path, String::from_utf8_lossy(&case.call.body));
        world.send(case.call.clone()).await.unauthenticated("Missing Authorization header");
        world.send(case.call.clone().key("sk_admin_nope")).await.unauthenticated("Invalid API key");
        for key in case.wrong_kinds(&world.org) {
            world.send(case.call.clone().key(key)).await.wrong_kind(key);
        }
        if matches!(case.policy, Policy::TestApp | Policy::Tester) {
            world.send(case.call.clone().key(&world.org.app_key)).await.refused(403, None, Some("test_app_required"));
        }
        unchanged(case).await;
        // The token itself names the link: `a_token_reaches_its_own_link_only` tries those of another organization.
        if matches!(case.policy, Policy::Link | Policy::SignInLink | Policy::SignedIn) {
            continue;
        }

        let foreign = world.send(case.call.clone().key(case.right_key(&stranger))).await;
        let strangers = items_of(&world.account.items().await, &stranger.id);
        assert_reveals_nothing(&foreign.text, &marks(&before, &strangers), &sent);
        let status = foreign.status.as_u16();
        let hidden = [case.hidden_status()];
        let expected: &[u16] = if case.names_object { &hidden } else { &[200, 201] };
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
        let is_count = |item: &BTreeMap<String, String>| matches!(item["SK"].as_str(), "COUNT" | "OPEN");
        of_org.into_iter().filter(|item| !format!("{item:?}").contains("test") && !is_count(item)).collect()
    };
    let before = live(&world.account.items().await);
    let live_ids: BTreeSet<String> =
        before.iter().filter_map(|item| item.get("id")).filter(|id| !id.starts_with("org_")).cloned().collect();
    for case in cases.iter().filter(|case| matches!(case.policy, Policy::Admin | Policy::Member)) {
        let sent = format!("{}{}", case.call.path, String::from_utf8_lossy(&case.call.body));
        let reply = world.send(case.call.clone().key(&world.org.test_admin)).await;
        if case.is_live {
            assert_eq!(reply.status.as_u16(), case.status_for_test_keys(), "{case:?}: {reply:?}");
        }
        assert_reveals_nothing(&reply.text, &live_ids, &sent);
        let now: Items = live(&world.account.items().await);
        let made_test = |item: &BTreeMap<String, String>| {
            ["CRED#", "LINKTOKEN#", "APPSLUG#", "PGNUM#", "PGCONV#"].iter().any(|class| item["PK"].starts_with(class))
        };
        let now: Items = now.into_iter().filter(|item| before.contains(item) || !made_test(item)).collect();
        assert_eq!(now, before, "{case:?}");
    }
}

/// The parts of a response that a caller sees, without the request id.
fn seen(reply: Reply) -> (StatusCode, HeaderMap, String) {
    let mut headers = reply.headers;
    headers.remove("x-request-id");
    (reply.status, headers, reply.text)
}

/// The same call for objects that do not exist: the last character of each id is changed.
fn about_nobody(call: &Call) -> Call {
    let is_between = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '+');
    let other = |piece: &str| {
        let word = piece.trim_end_matches(is_between);
        if word.len() < 12 || !word.contains(|c: char| c.is_ascii_digit()) {
            return piece.to_owned();
        }
        let (start, last) = word.split_at(word.len() - 1);
        format!("{start}{}{}", if last == "9" { "8" } else { "9" }, &piece[word.len()..])
    };
    let all = |text: &str| text.split_inclusive(is_between).map(other).collect::<String>();
    let body = all(std::str::from_utf8(&call.body).unwrap()).into_bytes();
    Call { path: all(&call.path), body, ..call.clone() }
}

/// A 404 response does not reveal whether an object does not exist, belongs to another organization, or has the other mode.
#[tokio::test]
async fn missing_and_hidden_objects_get_the_same_response() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    let mut hidden = 0;
    for case in cases(&world).await.iter().filter(|case| case.names_object) {
        let nobodys = about_nobody(&case.call);
        assert_ne!((&nobodys.path, &nobodys.body), (&case.call.path, &case.call.body));
        let unknown = seen(world.send(nobodys.key(case.right_key(&world.org))).await);
        assert_eq!(unknown.0.as_u16(), case.hidden_status(), "{case:?}: {unknown:?}");
        let foreign = seen(world.send(case.call.clone().key(case.right_key(&stranger))).await);
        assert_eq!(foreign, unknown, "{case:?}");
        if case.is_live && matches!(case.policy, Policy::Admin | Policy::Member) {
            let live = seen(world.send(case.call.clone().key(&world.org.test_admin)).await);
            let nobodys = seen(world.send(about_nobody(&case.call).key(&world.org.test_admin)).await);
            assert_eq!(live, nobodys, "{case:?}");
            assert_eq!(live.0.as_u16(), case.status_for_test_keys(), "{case:?}");
            hidden += 1;
        }
    }
    assert!(hidden > 10, "{hidden}");
}

/// Hides what only keys see. The texts of templates are no contents of messages.
fn hide_contents(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(hide_contents),
        Value::Object(object) => {
            object.retain(|name, _| !["text", "textBody", "payload", "responseBody"].contains(&name.as_str()));
            for (name, value) in object.iter_mut().filter(|(name, _)| *name != "components") {
                if name == "X-Team" {
                    *value = json!("••••••••");
                }
                hide_contents(value);
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn a_session_reads_what_a_live_admin_key_reads() {
    let world = World::new().await;
    let mut reads = 0;
    for case in cases(&world).await.iter().filter(|case| case.policy == Policy::Member) {
        let call = |key: &str| world.send(case.call.clone().key(key));
        let expected = call(&world.org.admin).await;
        assert_eq!(expected.status.as_u16(), case.status, "{case:?}: {expected:?}");
        let reply = call(&world.org.session).await;
        let mut hidden = expected.expect(case.status);
        hide_contents(&mut hidden);
        assert_eq!(reply.expect(case.status), hidden, "{case:?}");
        reads += 1;
    }
    assert!(reads > 10, "{reads}");
}
