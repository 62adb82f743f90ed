//! Tests the platform client with a real HTTP server, and the behaviour that it shares with the simulator.

use std::time::{Duration, Instant};

use domain::chat::JoinApprovalMode;
use domain::credential::Secret;
use domain::{ErrorCode, Failure};
use platform::{Graph, NewGroup, Platform, PlatformError, Simulator, TimeLimits, Vault, failure_of_code};
use serde_json::json;
use tests::settings::{PLATFORM_SECRET, PROFILE_SECRETS, graph_settings};
use tests::standin::{APP_ID, Misbehave, error, number, template};
use tests::{World, standin::StandIn};

struct Client {
    graph: Graph,
    platform: StandIn,
    token: Secret,
    _world: World,
}

impl Client {
    async fn new() -> Client {
        Self::with_limits(TimeLimits::default()).await
    }

    async fn with_limits(limits: TimeLimits) -> Client {
        let world = World::new().await;
        let vault = Vault::new(&world.account.connection, PLATFORM_SECRET.to_owned(), PROFILE_SECRETS.to_owned());
        let platform = world.platform.clone();
        let graph = Graph::new(platform::GraphSettings { limits, ..graph_settings(&platform.url) }, vault).unwrap();
        platform.account("1001", &[("100101", "+1 201-555-0101"), ("100102", "12015550102")]);
        let templates = (0..7).map(|n| template(&format!("{n}"), &format!("t{n}"))).collect();
        platform.state().accounts.get_mut("1001").unwrap().templates = templates;
        Client { graph, platform, token: Secret::new("token-1001"), _world: world }
    }
}

fn code(error: PlatformError) -> (u16, Option<ErrorCode>) {
    let failure = Failure::from(error);
    (failure.status(), failure.code())
}

/// The behaviour on which the service relies, for the real and the simulated platform.
async fn keeps_the_contract(platform: &dyn Platform) {
    let refused = platform.exchange_code("refused-by-both", None).await.unwrap_err();
    assert_eq!(code(refused), (422, Some(ErrorCode::PlatformApiError)));
    let token = platform.exchange_code("code.1001", None).await.unwrap();
    let info = platform.inspect_token(&token).await.unwrap();
    assert!(info.is_valid && info.expires_at.is_none());
    assert_eq!(info.newest_account.as_deref(), Some("1001"));
    assert_eq!(info.app, Some(platform::TokenApp::Own));
    assert!(info.management.covers("1001") && info.messaging.covers("1001"));
    let account = platform.account(&token, "1001").await.unwrap();
    assert_eq!(account.id, "1001");
    assert!(!account.name.is_empty() && account.owner_business_id.is_some());
    let numbers = platform.phone_numbers(&token, "1001").await.unwrap();
    assert_eq!(numbers.len(), 2);
    assert!(numbers[0].is_verified && numbers[0].is_connected != Some(true) && !numbers[0].is_on_business_app);
    assert_eq!(numbers[0].name_status, Some(domain::chat::ReviewOutcome::Approved.into()));
    platform.subscribe(&token, "1001").await.unwrap();
    platform.unsubscribe(&token, "1001").await.unwrap();
    platform.register(&token, &numbers[0].id, &Secret::new("123456")).await.unwrap();
    let (mut ids, mut after) = (Vec::new(), None);
    loop {
        let page = platform.templates(&token, "1001", after.as_deref()).await.unwrap();
        ids.extend(page.templates.into_iter().map(|template| template.id));
        after = page.after;
        if after.is_none() {
            break;
        }
    }
    let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
    assert!(ids.len() > 3 && distinct.len() == ids.len());
    let group = NewGroup { subject: "x".into(), description: None, join_approval_mode: JoinApprovalMode::AutoApprove };
    let request = platform.create_group(&token, &numbers[0].id, &group).await.unwrap();
    assert!(!request.request_id.is_empty());
    platform.remove_participants(&token, "Y2FwaV9n/cm91cA==", &["+12015550100".to_owned()]).await.unwrap();
    let health = platform.health(&token, "1001").await.unwrap();
    assert_eq!(health.can_send_message, domain::provider::Availability::Blocked);
    for unknown in ["not an id", "../1001", "0"] {
        if unknown == "0" {
            continue;
        }
        let refused = platform.account(&token, unknown).await.unwrap_err();
        assert_eq!(code(refused), (422, Some(ErrorCode::PlatformApiError)), "{unknown}");
    }
}

#[tokio::test]
async fn the_client_keeps_the_contract() {
    keeps_the_contract(&Client::new().await.graph).await;
}

#[tokio::test]
async fn the_simulator_keeps_the_contract() {
    keeps_the_contract(&Simulator::new(0)).await;
}

/// The token is in the header, its proof in the query, and the path is encoded.
#[tokio::test]
async fn requests_are_as_the_platform_documents_them() {
    let client = Client::new().await;
    client.graph.exchange_code("code.1001", Some("https://example.com/?a=b&c")).await.unwrap();
    client.graph.account(&client.token, "1001").await.unwrap();
    client.graph.register(&client.token, "100101", &Secret::new("012345")).await.unwrap();
    client.graph.remove_participants(&client.token, "a/b+c=", &["+12015550100".into()]).await.unwrap();
    let seen = client.platform.state().seen.clone();
    let exchange = &seen[0];
    assert_eq!(exchange.query["redirect_uri"], "https://example.com/?a=b&c");
    assert_eq!((exchange.query["client_id"].as_str(), exchange.headers.contains_key("authorization")), (APP_ID, false));
    for request in &seen[1..] {
        assert_eq!(request.headers["authorization"], "Bearer token-1001");
        assert_eq!(request.query["appsecret_proof"].len(), 64);
        assert!(!request.query.values().any(|value| value.contains("token")));
    }
    assert_eq!(seen[2].json(), json!({"messaging_product": "whatsapp", "pin": "012345"}));
    let removal = &seen[3];
    assert_eq!((removal.method.as_str(), removal.path.as_str()), ("DELETE", "/a%2Fb%2Bc%3D/participants"));
    assert_eq!(removal.headers["content-type"], "application/json");
    assert_eq!(removal.json(), json!({"messaging_product": "whatsapp", "participants": [{"user": "+12015550100"}]}));
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
        (Misbehave::Status(500, error(131_045, "certificate").to_string()), failed),
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
    let vault = Vault::new(&patient._world.account.connection, PLATFORM_SECRET.to_owned(), PROFILE_SECRETS.to_owned());
    let nowhere = Graph::new(graph_settings("http://127.0.0.1:9"), vault.clone()).unwrap();
    let failure = Failure::from(nowhere.account(&patient.token, "1").await.unwrap_err());
    assert_eq!((failure.status(), failure.retry_after().is_some()), (503, true));
    // No app is configured.
    let settings = platform::GraphSettings { app_id: String::new(), ..graph_settings(&patient.platform.url) };
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

/// The platform has more status values than the specification.
#[tokio::test]
async fn reviews_of_names_are_told_in_our_words() {
    let client = Client::new().await;
    for (told, shown) in [
        ("AVAILABLE_WITHOUT_REVIEW", Some("APPROVED")),
        ("APPROVED", Some("APPROVED")),
        ("DECLINED", Some("REJECTED")),
        ("EXPIRED", Some("REJECTED")),
        ("PENDING_REVIEW", Some("PENDING")),
        ("NONE", None),
    ] {
        client.platform.state().accounts.get_mut("1001").unwrap().numbers[0]["name_status"] = json!(told);
        let numbers = client.graph.phone_numbers(&client.token, "1001").await.unwrap();
        let known = numbers[0].name_status.as_ref().map(|status| status.known().unwrap().as_str());
        assert_eq!(known, shown, "{told}");
    }
    client.platform.state().accounts.get_mut("1001").unwrap().numbers[0]["name_status"] = json!("NOVEL");
    let numbers = client.graph.phone_numbers(&client.token, "1001").await.unwrap();
    assert_eq!(numbers[0].name_status, Some(domain::Open::Later("NOVEL".to_owned())));
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
        client.platform.misbehave(
            "100101/register",
            Misbehave::Status(400, error(number, "said \u{7} so").to_string()),
            1,
        );
        let error = client.graph.register(&client.token, "100101", &Secret::new("1")).await.unwrap_err();
        let (failure, expected) = (Failure::from(error), Failure::from(failure_of_code(number)));
        assert_eq!((failure.status(), failure.code()), (expected.status(), expected.code()), "{number}");
        assert_eq!(failure.kind(), domain::ErrorType::ProviderError, "{number}");
        assert_eq!(failure.additional_info(), expected.additional_info(), "{number}");
        let provider = failure.provider_details().unwrap();
        assert_eq!((provider.number(), provider.message.as_str()), (number, "said  so"));
        assert_eq!(provider.platform_trace_id.as_deref(), Some("AbCdEf"));
    }
    let long = Misbehave::Status(400, error(100, &"é".repeat(600)).to_string());
    client.platform.misbehave("100101/register", long, 1);
    let failure = Failure::from(client.graph.register(&client.token, "100101", &Secret::new("1")).await.unwrap_err());
    assert_eq!(failure.provider_details().unwrap().message, "é".repeat(500));
}

/// The second call, for the health status, has a short time limit, and its failure does not hide the result of the first.
#[tokio::test]
async fn restrictions_come_with_the_health_status() {
    let client = Client::new().await;
    let restricted = async || {
        client.platform.misbehave("100101/register", Misbehave::Status(403, error(368, "restricted").to_string()), 1);
        let error = client.graph.register(&client.token, "100101", &Secret::new("1")).await.unwrap_err();
        platform::failure_with_health(error, &client.graph, &client.token, "100101").await
    };
    let failure = restricted().await;
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
    client.platform.misbehave("/register", Misbehave::Status(403, error(368, "restricted").to_string()), 1);
    let error = client.graph.register(&client.token, "100101", &Secret::new("1")).await.unwrap_err();
    client.platform.misbehave("100101", Misbehave::Silent, 2);
    let started = Instant::now();
    let failure = platform::failure_with_health(error, &client.graph, &client.token, "100101").await;
    assert!(failure.provider_details().unwrap().health_status.is_none());
    // The limit of other calls is 8 s.
    assert!(started.elapsed() < Duration::from_secs(6), "{:?}", started.elapsed());
}

#[tokio::test]
async fn pages_are_followed_by_their_cursor_until_there_is_no_next() {
    let client = Client::new().await;
    let many: Vec<_> = (0..250).map(|n| number(&format!("{n}"), &format!("+1201555{n:04}"))).collect();
    client.platform.state().accounts.get_mut("1001").unwrap().numbers = many;
    let numbers = client.graph.phone_numbers(&client.token, "1001").await.unwrap();
    assert_eq!((numbers.len(), client.platform.seen("phone_numbers").len()), (250, 3));
    // A repeated cursor would cause an endless loop.
    let page = json!({"data": [], "paging": {"cursors": {"after": "same"}, "next": "https://elsewhere.example"}});
    client.platform.misbehave("phone_numbers", Misbehave::Status(200, page.to_string()), 10);
    let circles = client.graph.phone_numbers(&client.token, "1001").await.unwrap_err();
    assert_eq!(code(circles), (502, Some(ErrorCode::PlatformApiError)));
}

/// The business token is sent only to the platform.
#[tokio::test]
async fn media_come_from_the_platforms_hosts_only() {
    let client = Client::new().await;
    client.platform.state().media.insert("77".to_owned(), b"bytes".to_vec());
    let place = client.graph.media(&client.token, "77").await.unwrap();
    let download = client.graph.download(&client.token, &place.url, 100).await.unwrap();
    assert_eq!((download.size, std::fs::read(download.file.path()).unwrap()), (5, b"bytes".to_vec()));
    let agents: Vec<_> = client.platform.seen("").iter().map(|seen| seen.headers.get("user-agent").cloned()).collect();
    let agent = concat!("messaging-api/", env!("CARGO_PKG_VERSION"));
    assert!(agents.len() >= 2 && agents.iter().all(|sent| sent.as_deref() == Some(agent)), "{agents:?}");
    let too_large = client.graph.download(&client.token, &place.url, 4).await.map(|_| ()).unwrap_err();
    assert_eq!(code(too_large).0, 422);
    let before = client.platform.state().seen.len();
    for url in [
        "https://example.com/x",
        "http://lookaside.fbsbx.com/x",
        "https://evilfbsbx.com/x",
        "https://fbsbx.com.evil.example/x",
        "https://lookaside.fbsbx.com:8443/x",
        "file:///etc/passwd",
        "http://127.0.0.1:9/x",
        "",
    ] {
        let refused = client.graph.download(&client.token, url, 100).await.map(|_| ()).unwrap_err();
        assert_eq!(code(refused).0, 502, "{url}");
    }
    assert_eq!(client.platform.state().seen.len(), before);
}
