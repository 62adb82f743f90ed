//! Failures of the carrier, of the connection to it, and of the function.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use tests::request::text;
use tests::sms::linked_number;
use tests::standin::Misbehave;
use tests::{Call, Service as _, World};

use super::{LOG, NUMBER, TO, denied, hello, refuse, send, sent_count, stored};

/// Each way in which the carrier can fail: the response, the outcome in the log, and one request on one connection.
#[tokio::test]
async fn each_failure_of_the_carrier_has_its_outcome_and_one_request() {
    let world = World::new().await;
    linked_number(&world, NUMBER).await;
    let status = |status, body: &str| Misbehave::Status(status, body.to_owned());
    let internal = r#"{"__type": "InternalServerException", "Message": "?"}"#;
    let conflict = |reason| refuse("ConflictException", reason);
    let invalid = |reason| refuse("ValidationException", reason);
    let spent = refuse("ServiceQuotaExceededException", "MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT");
    let rows: Vec<(&str, Misbehave, u16, Option<&str>)> = vec![
        ("late", Misbehave::Slow(Duration::from_secs(9)), 202, None),
        ("hangs up", Misbehave::HangUp, 202, None),
        ("cut off", Misbehave::CutOff, 202, None),
        ("500", status(500, internal), 202, None),
        ("503", status(503, "<html>no</html>"), 202, None),
        ("200 without JSON", status(200, "<html>yes</html>"), 202, None),
        ("200 without an id", status(200, "{}"), 202, None),
        ("400 without a code", status(400, "{}"), 202, None),
        ("opted out", conflict("DESTINATION_PHONE_NUMBER_OPTED_OUT"), 422, Some("message_undeliverable")),
        ("unverified", conflict("DESTINATION_PHONE_NUMBER_NOT_VERIFIED"), 422, Some("carrier_api_error")),
        ("not active", conflict("RESOURCE_NOT_ACTIVE"), 422, Some("carrier_api_error")),
        ("price", invalid("PRICE_OVER_THRESHOLD"), 422, Some("carrier_api_error")),
        ("spent", spent, 422, Some("carrier_api_error")),
        ("media type", invalid("MEDIA_TYPE_NOT_SUPPORTED"), 400, Some("unsupported_message_type")),
        ("disabled", refuse("AccessDeniedException", "ACCOUNT_DISABLED"), 422, Some("carrier_api_error")),
        ("throttled", refuse("ThrottlingException", ""), 429, Some("rate_limit_exceeded")),
        ("credentials", refuse("UnrecognizedClientException", ""), 503, Some("carrier_api_unavailable")),
        ("a denied call", denied(), 503, Some("carrier_api_unavailable")),
    ];

    let mut connections = Vec::new();
    for (name, fault, status, code) in rows {
        world.carrier_account.state().sends.clear();
        world.carrier_account.state().faults = vec![fault];
        let keyed = || send(&world, &hello(NUMBER)).header("idempotency-key", &name.replace(' ', "-"));
        let reply = world.send(keyed()).await;

        let sends = world.carrier_account.state().sends.clone();
        assert_eq!(sends.len(), 1, "{name}");
        let id = match code {
            None => {
                let body = reply.expect(status);
                assert_eq!(body["outcome"], "UNKNOWN", "{name}");
                text(&body, "id")
            }
            Some(code) => {
                let id = reply.header("x-message-id").unwrap().to_owned();
                let error = reply.refused(status, None, Some(code))["error"].clone();
                assert!(!error.to_string().contains("123456789012"), "{error}");
                assert_eq!(
                    (&error["type"], &error["provider"]["source"]),
                    (&json!("provider_error"), &json!("carrier"))
                );
                id
            }
        };

        let stored = stored(&world, &id).await;
        let expected = if code.is_some() { ("REFUSED", "FAILED") } else { ("UNKNOWN", "QUEUED") };
        assert_eq!((&stored["outcome"], &stored["status"]), (&json!(expected.0), &json!(expected.1)), "{name}");
        assert_eq!(stored["errorCode"].as_str(), code, "{name}");

        // A repeated request sends nothing, unless the carrier refused the message for now.
        let again = world.send(keyed()).await;
        let sent_again = matches!(status, 429 | 503);
        assert_eq!(again.status.as_u16(), if sent_again { 201 } else { status }, "{name}");
        let sends = world.carrier_account.state().sends.clone();
        assert_eq!(sends.len(), 1 + usize::from(sent_again), "{name}");
        connections.extend(sends.iter().map(|sent| sent.connection));
    }

    let different: BTreeSet<usize> = connections.iter().copied().collect();
    assert_eq!(different.len(), connections.len(), "{connections:?}");
}

#[tokio::test]
async fn without_a_carrier_or_a_connection_nothing_is_sent() {
    let world = World::new().await;
    linked_number(&world, NUMBER).await;
    let request = || send(&world, &hello(NUMBER)).request();

    let none = world.sending_with_carrier(None).respond(request()).await;
    assert_eq!((none.status().as_u16(), none.headers().contains_key("x-message-id")), (503, false));

    let gone = world.sending_with_carrier(Some("http://127.0.0.1:9")).respond(request()).await;
    assert_eq!((gone.status().as_u16(), gone.headers().contains_key("retry-after")), (503, true));
    let stored = stored(&world, gone.headers()["x-message-id"].to_str().unwrap()).await;
    assert_eq!((&stored["outcome"], &stored["errorCode"]), (&json!("REFUSED"), &json!("carrier_api_unavailable")));

    assert_eq!(sent_count(&world), 0);
}

/// A function that stops around the call leaves an attempt, which the sweep gives up; nobody sends the message again.
#[tokio::test]
async fn an_attempt_without_an_outcome_becomes_unknown() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    world.carrier_account.state().faults = vec![Misbehave::Slow(Duration::from_secs(5))];

    let call = send(&world, &json!({"from": id, "to": TO, "text": "Hello", "clientReference": "stopped"}));
    let stopped = tokio::time::timeout(Duration::from_secs(2), world.send(call)).await;
    assert!(stopped.is_err());

    world.clock.advance(Duration::from_secs(121));
    world.sweep().await;
    let found = world.admin(Call::get(format!("{LOG}?phoneNumberId={id}&outcome=UNKNOWN"))).await.expect(200);
    assert_eq!(found["data"][0]["clientReference"], "stopped");

    while world.send_queued().await {}
    assert_eq!(sent_count(&world), 1);
}
