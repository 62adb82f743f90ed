//! The requests, and the behaviour that the client shares with the simulator.

use std::collections::BTreeSet;

use domain::ErrorCode;
use domain::chat::JoinApprovalMode;
use domain::identity::credential::Secret;
use platform::{Connecting as _, GroupManagement as _, NewGroup, NumberManagement as _, Platform, Simulator};
use serde_json::json;
use tests::standin::APP_ID;

use super::{Client, code};

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
    assert!(
        numbers[0].is_verified == Some(true) && numbers[0].is_connected != Some(true) && !numbers[0].is_on_business_app
    );
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
    let distinct: BTreeSet<_> = ids.iter().collect();
    assert!(ids.len() > 3 && distinct.len() == ids.len());

    let group = NewGroup { subject: "x".into(), description: None, join_approval_mode: JoinApprovalMode::AutoApprove };
    let request = platform.create_group(&token, &numbers[0].id, &group).await.unwrap();
    assert!(!request.request_id.is_empty());
    platform.remove_participants(&token, "Y2FwaV9n/cm91cA==", &["+12015550100".to_owned()]).await.unwrap();

    let health = platform.health(&token, "1001").await.unwrap();
    assert_eq!(health.can_send_message, domain::error::provider::Availability::Blocked);

    for unknown in ["not an id", "../1001"] {
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
