//! Requests that are repeated with their key, one after the other and at the same time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tests::chat::connect;
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::{SEND, keyed, outcome_of, path, posts, send, status};

/// A refusal of the platform with this code.
fn refuse(code: i64) -> Misbehave {
    Misbehave::Status(400, error(code, "refused").to_string())
}

/// What a repeated request returns, for each outcome of the first one.
#[tokio::test]
async fn a_repeated_request_returns_what_became_of_the_message() {
    let world = World::new().await;
    for (index, (how, first, again)) in [
        (None, 201, 200),
        (Some(Misbehave::HangUp), 202, 202),
        (Some(refuse(131_026)), 422, 422),
        (Some(refuse(132_001)), 404, 404),
    ]
    .into_iter()
    .enumerate()
    {
        let line = connect(&world, &world.org, &format!("272{index}")).await;
        if let Some(how) = how {
            world.platform.misbehave(&path(&line), how, 1);
        }

        let reply = world.send(keyed(&line)).await;
        assert_eq!((reply.status.as_u16(), reply.header("idempotency-replayed")), (first, None));
        let repeated = world.send(keyed(&line)).await;
        assert_eq!((repeated.status.as_u16(), repeated.header("idempotency-replayed")), (again, Some("true")));
        assert_eq!(
            (repeated.text, repeated.headers.get("x-message-id")),
            (reply.text, reply.headers.get("x-message-id"))
        );

        let other = json!({"from": line.number, "to": "+16505551235", "type": "text", "text": {"body": "Hello"}});
        let other = Call::post(SEND).key(&line.org.app_key).json(&other).header("idempotency-key", &line.number);
        world.send(other).await.refused(422, Some("Idempotency-Key"), None);
        assert_eq!((posts(&world, &line), line.messages(&world).await.len()), (1, 1));

        // An unknown outcome is resolved by a status.
        let message = line.only_message(&world).await;
        if message["outcome"] == "UNKNOWN" {
            let sent = status(&line, &text(&message, "id"), "wamid.x", "sent");
            world.notify(&sent).await.expect(200);
            assert_eq!(outcome_of(&world.send(keyed(&line)).await), "ACCEPTED");
        }

        // The number is taken off the app: the repetition still gets its response.
        let assignment = format!("/v1/organization/apps/{}/phone-numbers/{}", line.org.app, line.number);
        world.admin(Call::delete(assignment)).await.expect(200);
        assert_eq!(world.send(keyed(&line)).await.header("idempotency-replayed"), Some("true"));
        world.send(send(&line)).await.refused(403, Some("from"), Some("phone_number_not_assigned"));
    }
}

/// Only a refusal for now frees the key. Concurrent repetitions send one new message together.
#[tokio::test]
async fn a_refusal_for_now_frees_the_key_once() {
    let world = World::new().await;
    for (index, code) in [130_429, 131_056, 131_057].into_iter().enumerate() {
        let line = connect(&world, &world.org, &format!("273{index}")).await;
        world.platform.misbehave(&path(&line), refuse(code), 1);
        let refused = world.send(keyed(&line)).await;
        assert!(matches!(refused.status.as_u16(), 429 | 503) && refused.header("retry-after").is_some(), "{refused:?}");

        let replies = join_all((0..6).map(|_| world.send(keyed(&line)))).await;
        let messages: BTreeSet<String> = replies.iter().map(|reply| text(&reply.json(), "id")).collect();
        assert_eq!(messages.len(), 1, "{replies:?}");
        assert_eq!(replies.iter().filter(|reply| reply.status.as_u16() == 201).count(), 1, "{replies:?}");
        assert_eq!((posts(&world, &line), line.messages(&world).await.len()), (2, 2));
    }
}

#[tokio::test]
async fn concurrent_requests_with_one_key_make_one_attempt() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2740").await;
    world.platform.misbehave(&path(&line), Misbehave::Slow(Duration::from_secs(1)), 1);

    let replies = join_all((0..8).map(|_| world.send(keyed(&line)))).await;
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    for reply in &replies {
        *statuses.entry(reply.status.as_u16()).or_default() += 1;
    }

    assert_eq!(statuses.get(&201), Some(&1), "{statuses:?}");
    assert!(statuses.keys().all(|status| [200, 201, 202].contains(status)), "{statuses:?}");
    assert_eq!((posts(&world, &line), line.messages(&world).await.len()), (1, 1));
    assert_eq!(world.send(keyed(&line)).await.status.as_u16(), 200);
}
