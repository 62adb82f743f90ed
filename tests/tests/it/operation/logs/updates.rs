//! Updates of the platform.

use aws::queue::QueueEvent;
use domain::job::Job;
use runtime::invoked;
use serde_json::json;
use tests::chat::{connect, notification};
use tests::logs::Captured;
use tests::request::text;
use tests::standin::{APP_SECRET, VERIFY_TOKEN, signature};
use tests::{Call, World};

use super::{BODY, HEADER, answer, invocation, message, only_line, says_nothing_of};

/// Log lines about notifications and about the worker's messages name the organization, if it is known.
#[tokio::test]
async fn updates_and_jobs_are_logged_by_whose_they_are() {
    let captured = Captured::start();
    let world = World::new().await;
    let line = connect(&world, &world.org, "1501").await;
    let path = "/v1/platform/notifications";

    let told = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": BODY}})).to_string();
    let unsigned = Call::post(path).bytes(told.clone()).header("x-hub-signature-256", HEADER);
    assert_eq!(answer(world.api(path), unsigned, "refused").await, 401);
    assert_eq!(only_line(&captured, "refused")["message"], "rejected a notification with a wrong signature");

    // One update that cannot be applied, and one with an unknown field.
    let odd = line.message(&json!({"id": null, "type": "text", "text": {"body": BODY}}));
    let unknown = notification(&line.account, 1, BODY, &json!({"text": BODY}));
    for (body, id, message) in [
        (odd.to_string(), "odd-update", "an update could not be applied and is queued: "),
        (unknown.to_string(), "unknown-field", "ignored updates of accounts, numbers or fields that are not in use"),
    ] {
        let signed = signature(APP_SECRET, body.as_bytes());
        let call = Call::post(path).header("x-hub-signature-256", &signed).bytes(body);
        assert_eq!(answer(world.api(path), call, id).await, 200);
        let logged = only_line(&captured, id);
        assert!(text(&logged, "message").starts_with(message), "{logged}");
        assert_eq!(logged.get("organization").is_some(), id == "odd-update");
    }

    let queued = world.messages(&world.account.queue).await;
    for (body, id, organization) in
        [(queued[0].as_str(), "job", Some(&world.org.id)), (&format!("[\"{BODY}\"]"), "no-job", None)]
    {
        let work = async |event: QueueEvent| world.worker.work(event).await;
        let outcome = invoked(invocation(id, message(body)), work).await;
        assert!(outcome.batch_item_failures.is_empty(), "it is a dead letter");
        let lines = captured.lines_of(id);
        let failed = lines.iter().find(|line| text(line, "message").starts_with("a job can never succeed: ")).unwrap();
        assert_eq!(failed["queueMessage"], "message-1");
        assert_eq!(failed["organization"].as_str(), organization.map(String::as_str));
    }

    assert!(matches!(serde_json::from_str(&queued[0]), Ok(Job::Updates { .. })));
    says_nothing_of(&captured, &[BODY, HEADER, APP_SECRET, VERIFY_TOKEN, "token-1501"]);
}
