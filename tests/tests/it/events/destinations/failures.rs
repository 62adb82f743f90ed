//! Queues that do not accept an event: the reason is logged, and the delivery is retried.

use std::sync::Arc;
use std::time::Duration;

use aws::Connection;
use aws::queue::Destinations;
use aws_sdk_sqs::types::QueueAttributeName;
use domain::Timestamp;
use messaging_client::types::WebhookDeliveryStatus;
use serde_json::json;
use tests::receiver::Receiver;
use tests::{Call, Service as _, World};

use super::{RECEIVED, attempt, job, queue, retry, take, webhook_to, write};
use crate::events::log_of;

/// The client for queues, connected to this receiver in place of SQS.
fn destinations_at(world: &World, sqs: &Receiver) -> Destinations {
    let endpoint = sqs.url.strip_suffix("/hooks?a=b").unwrap().to_owned();
    Destinations::new(&Connection { endpoint_url: Some(endpoint), ..world.account.connection_of("test") })
}

/// A queue that fails is a receiver that fails: the attempt is logged with its reason, and the next one follows the
/// schedule.
#[tokio::test]
async fn a_failing_queue_is_logged_and_retried() {
    let world = World::new().await;
    let (path, _) = webhook_to(&world, "destination").await;
    write(&world, "Hello").await;
    world.send_events().await;

    let log = log_of(&world, &path).await;
    let failed = &log[0].attempts[0];
    assert_eq!((&log[0].status, failed.status_code), (&WebhookDeliveryStatus::Pending, None));
    assert!(failed.error.as_deref().unwrap().starts_with("The queue does not exist"), "{log:?}");
    let next = log[0].next_attempt_at.as_deref().and_then(Timestamp::parse).unwrap();
    let wait = next.millis() - world.now().millis();
    assert!((5_000..=6_000).contains(&wait), "{wait}");

    // The queue exists now, but is too small for the event.
    let url = queue(&world, "destination", &[(QueueAttributeName::MaximumMessageSize, "1024")]).await;
    let long = "a".repeat(1000);
    world.clock.advance(Duration::from_secs(1));
    write(&world, &long).await;
    world.dispatch().await;
    attempt(&world, &job(&world, &path).await).await;

    let log = log_of(&world, &path).await;
    let error = log[0].attempts[0].error.as_deref().unwrap();
    assert!(error.contains("larger than the maximum message size"), "{log:?}");

    let larger = world.account.sqs.set_queue_attributes().queue_url(&url);
    larger.attributes(QueueAttributeName::MaximumMessageSize, "1048576").send().await.unwrap();
    retry(&world, &path).await;
    assert_eq!(take(&world, &url).await.len(), 1);
    let log = log_of(&world, &path).await;
    assert_eq!((&log[0].status, log[0].attempts.len()), (&WebhookDeliveryStatus::Delivered, 2));
}

/// The responses of SQS, byte for byte, and how the log shows them.
#[tokio::test]
async fn the_log_says_why_a_queue_did_not_accept_an_event() {
    let mut world = World::new().await;
    let (path, _) = webhook_to(&world, "destination").await;
    let answer = |status: u16, code: &str, legacy: &str| {
        let body = json!({"__type": format!("com.amazonaws.sqs#{code}"), "message": "no"}).to_string();
        format!(
            "HTTP/1.1 {status} No\r\nContent-Type: application/x-amz-json-1.0\r\nx-amzn-query-error: {legacy};Sender\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    };

    for (status, code, legacy, reason, calls) in [
        (403, "AccessDeniedException", "AccessDenied", "Access to the queue was denied.", 1),
        (400, "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", "The queue does not exist", 1),
        (400, "KmsAccessDenied", "KMS.AccessDeniedException", "The KMS key of the queue cannot be used.", 1),
        // The SDK repeats the call within the attempt.
        (400, "RequestThrottled", "RequestThrottled", "SQS throttled the queue.", 3),
        (503, "ServiceUnavailable", "ServiceUnavailable", "SQS did not accept the message.", 3),
        (
            400,
            "UnsupportedOperation",
            "AWS.SimpleQueueService.UnsupportedOperation",
            "SQS did not accept the message.",
            1,
        ),
    ] {
        let response = answer(status, code, legacy);
        world.clock.advance(Duration::from_secs(1));
        let sqs = Receiver::start(Arc::new(move |_, _| (Duration::ZERO, response.clone())));
        world.deliverer.destinations = destinations_at(&world, &sqs);
        write(&world, code).await;
        world.dispatch().await;
        attempt(&world, &job(&world, &path).await).await;

        let log = log_of(&world, &path).await;
        let error = log[0].attempts[0].error.as_deref().unwrap();
        assert!(error.starts_with(reason), "{code}: {error}");
        assert_eq!(log[0].status, WebhookDeliveryStatus::Pending, "{code}");
        assert_eq!(sqs.got_undocumented().len(), calls, "{code}");

        // The next one is not postponed because of the failures before it.
        world.admin(Call::put(&path).json(&json!({"events": [RECEIVED]}))).await.expect(200);
    }
}

#[tokio::test]
async fn a_silent_sqs_ends_an_attempt_after_five_seconds() {
    let mut world = World::new().await;
    let (path, _) = webhook_to(&world, "destination").await;
    let sqs = Receiver::start(Arc::new(|_, _| (Duration::from_secs(60), Vec::new())));
    world.deliverer.destinations = destinations_at(&world, &sqs);

    write(&world, "Hello").await;
    world.dispatch().await;
    attempt(&world, &job(&world, &path).await).await;

    let failed = &log_of(&world, &path).await[0].attempts[0];
    assert_eq!(failed.error.as_deref(), Some("SQS did not respond within 5 seconds."));
    assert!(failed.duration_ms >= 4_900, "{failed:?}");
    assert!(sqs.got_undocumented().len() > 1, "a call without a response is repeated");
}
