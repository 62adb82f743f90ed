//! Responses that are none, and rejections: what is repeated, and which failure they become.

use std::time::{Duration, Instant};

use domain::identity::credential::Secret;
use domain::{ErrorCode, ErrorKind, ErrorType, Failure};
use platform::{
    Connecting as _, Graph, GraphSettings, NumberManagement as _, PlatformError, TimeLimits, Vault, failure_of_code,
    failure_with_health,
};
use serde_json::{Value, json};
use tests::settings::{PLATFORM_SECRET, PROFILE_SECRETS, graph_settings};
use tests::standin::{Misbehave, error};

use super::{Client, code};

/// The error of a registration to which the platform responds with this status and error.
async fn refused_registration(client: &Client, status: u16, error: &Value) -> PlatformError {
    client.platform.misbehave("100101/register", Misbehave::Status(status, error.to_string()), 1);
    client.graph.register(&client.token, "100101", &Secret::new("1")).await.unwrap_err()
}

/// A read is retried. A change is not, because it may have succeeded.
#[tokio::test]
async fn only_reads_are_repeated() {
    let client = Client::new().await;

    for how in [Misbehave::Status(503, error(2, "temporary").to_string()), Misbehave::CutOff] {
        client.platform.misbehave("1001", how.clone(), 1);
        client.graph.account(&client.token, "1001").await.unwrap();

        client.platform.misbehave("subscribed_apps", how, 1);
        let before = client.platform.seen("subscribed_apps").len();
        client.graph.subscribe(&client.token, "1001").await.unwrap_err();
        assert_eq!(client.platform.seen("subscribed_apps").len(), before + 1);
    }

    // A request that the platform rejects is not retried.
    client.platform.misbehave("1001", Misbehave::Status(400, error(100, "no").to_string()), 1);
    let before = client.platform.seen("1001").len();
    client.graph.account(&client.token, "1001").await.unwrap_err();
    assert_eq!(client.platform.seen("1001").len(), before + 1);
}

#[tokio::test]
async fn answers_that_are_none_have_an_answer_of_ours() {
    let patient = Client::new().await;
    let hurried = TimeLimits { call: Duration::from_millis(700), ..TimeLimits::default() };
    let hurried = Client::with_limits(hurried).await;
    let failed = (502, Some(ErrorCode::PlatformApiError));
    let unavailable = (503, Some(ErrorCode::PlatformApiUnavailable));

    for (how, expected) in [
        (Misbehave::Status(200, "<html>".into()), failed),
        (Misbehave::Status(200, "{\"unexpected\": true}".into()), failed),
        (Misbehave::Status(200, String::new()), failed),
        (Misbehave::Status(302, String::new()), failed),
        (Misbehave::Status(404, "not JSON".into()), failed),
        (Misbehave::Status(500, "not JSON".into()), failed),
        (Misbehave::Status(500, error(133_000, "incomplete").to_string()), failed),
        (Misbehave::Oversized, failed),
        (Misbehave::CutOff, unavailable),
        (Misbehave::Silent, unavailable),
        (Misbehave::Slow(Duration::from_secs(2)), unavailable),
    ] {
        // A busy machine may need longer than the short limit for a response that comes at once.
        let is_late = matches!(how, Misbehave::Silent | Misbehave::Slow(_));
        let client = if is_late { &hurried } else { &patient };
        client.platform.state().misbehave.clear();
        client.platform.misbehave("1001", how.clone(), 10);

        let started = Instant::now();
        let error = client.graph.account(&client.token, "1001").await.map(|_| ()).unwrap_err();
        assert_eq!(code(error), expected, "{how:?}");
        // Far above the short limit, for the same reason.
        assert!(!is_late || started.elapsed() < Duration::from_secs(10), "{how:?}");
    }

    // Nothing listens at this address.
    let vault = Vault::new(&patient.world.account.connection, PLATFORM_SECRET.to_owned(), PROFILE_SECRETS.to_owned());
    let nowhere = Graph::new(graph_settings("http://127.0.0.1:9"), vault.clone()).unwrap();
    let failure = Failure::from(nowhere.account(&patient.token, "1").await.unwrap_err());
    assert_eq!((failure.kind(), failure.retry_after().is_some()), (ErrorKind::Unavailable, true));

    // No app is configured.
    let settings = GraphSettings { app_id: String::new(), ..graph_settings(&patient.platform.url) };
    let unconfigured = Graph::new(settings, vault).unwrap();
    let error = unconfigured.account(&patient.token, "1001").await.unwrap_err();
    assert_eq!(code(error), (404, Some(ErrorCode::ChatNotConfigured)));
}

/// A response that is valid except for its size.
#[tokio::test]
async fn an_answer_has_eight_megabytes_at_most() {
    let client = Client::new().await;
    let answer = |mebibytes: usize| {
        let name = "x".repeat(mebibytes << 20);
        Misbehave::Status(200, json!({"id": "1001", "name": name}).to_string())
    };

    client.platform.misbehave("1001", answer(7), 1);
    let account = client.graph.account(&client.token, "1001").await.unwrap();
    assert_eq!(account.name.len(), 7 << 20);

    client.platform.misbehave("1001", answer(9), 2);
    let error = client.graph.account(&client.token, "1001").await.unwrap_err();
    assert_eq!(code(error), (502, Some(ErrorCode::PlatformApiError)));
}

/// A rejection by the platform becomes the failure that `failure_of_code` has for its number, with the platform's own
/// message.
#[tokio::test]
async fn every_error_number_is_translated() {
    let client = Client::new().await;
    let numbers = [
        0, 1, 2, 3, 4, 10, 17, 33, 100, 102, 104, 190, 200, 210, 299, 341, 368, 506, 613, 803, 80_007, 130_403,
        130_429, 130_472, 130_497, 130_501, 131_000, 131_005, 131_008, 131_009, 131_016, 131_020, 131_021, 131_026,
        131_030, 131_031, 131_037, 131_041, 131_042, 131_045, 131_047, 131_048, 131_049, 131_050, 131_051, 131_052,
        131_056, 131_057, 131_201, 131_202, 131_204, 131_207, 131_208, 131_211, 131_212, 131_214, 131_215, 132_000,
        132_001, 132_015, 133_004, 133_005, 133_010, 133_015, 133_016, 135_000, 2_388_040, 2_593_107,
    ];

    for number in numbers {
        let error = refused_registration(&client, 400, &error(number, "said \u{7} so")).await;
        let (failure, expected) = (Failure::from(error), Failure::from(failure_of_code(number)));

        assert_eq!((failure.kind(), failure.code()), (expected.kind(), expected.code()), "{number}");
        assert_eq!(failure.error_type(), ErrorType::ProviderError, "{number}");
        assert_eq!(failure.additional_info(), expected.additional_info(), "{number}");
        let provider = failure.provider_details().unwrap();
        assert_eq!((provider.number(), provider.message.as_str()), (number, "said  so"));
        assert_eq!(provider.platform_trace_id.as_deref(), Some("AbCdEf"));
    }

    let failure = Failure::from(refused_registration(&client, 400, &error(100, &"é".repeat(600))).await);
    assert_eq!(failure.provider_details().unwrap().message, "é".repeat(500));
}

/// The second call, for the health status, has a short time limit, and its failure does not hide the result of the first.
#[tokio::test]
async fn restrictions_come_with_the_health_status() {
    let restricted = error(368, "restricted");
    let client = Client::new().await;

    let error = refused_registration(&client, 403, &restricted).await;
    let failure = failure_with_health(error, &client.graph, &client.token, "100101").await;
    assert_eq!(failure.code(), Some(ErrorCode::AccountRestricted));
    let provider = serde_json::to_value(failure.provider_details().unwrap()).unwrap();
    let entities = provider["health_status"]["entities"].as_array().unwrap();
    assert_eq!(provider["health_status"]["can_send_message"], "BLOCKED");
    assert_eq!(entities.len(), 4, "kinds that the specification does not know are left out");
    assert_eq!(entities[1]["errors"][0]["possible_solution"], "Add a payment method");
    assert_eq!(entities[2]["additional_info"], json!(["Verify the business"]));
    assert_eq!(failure.additional_info(), ["Add a payment method", "Verify the business"]);

    let hurried = TimeLimits { health: Duration::from_millis(300), ..TimeLimits::default() };
    let client = Client::with_limits(hurried).await;
    let error = refused_registration(&client, 403, &restricted).await;
    client.platform.misbehave("100101", Misbehave::Silent, 2);
    let started = Instant::now();
    let failure = failure_with_health(error, &client.graph, &client.token, "100101").await;
    assert!(failure.provider_details().unwrap().health_status.is_none());
    // The limit of other calls is 8 s.
    assert!(started.elapsed() < Duration::from_secs(6), "{:?}", started.elapsed());
}
