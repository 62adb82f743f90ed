//! Test mode: a check shows what scenarios did to a simulated account.

use domain::chat::Check;
use domain::chat::health::CHECK_PERIOD;
use serde_json::{Value, json};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{SECOND, check, problems};

/// Lets a scenario of test mode happen to the test app's number or account.
async fn happen(world: &World, scenario: &str) {
    let body = json!({"scenario": scenario});
    let call = Call::post("/v1/playground/simulations").key(&world.org.test_app_key).json(&body);
    let begun = world.send(call).await.expect(201);
    let id = text(&begun, "id").parse().unwrap();

    for _ in begun["steps"].as_array().unwrap() {
        world.clock.advance(SECOND);
        Box::pin(world.worker.inbox.simulate(&world.org.id.parse().unwrap(), &id)).await.unwrap();
    }
}

#[tokio::test]
async fn simulated_accounts_show_what_scenarios_did_to_them() {
    let world = World::new().await;
    // The number of findings, and those that are not OK.
    let found = async || {
        let all = check(&world, &world.org.test_admin, "").await;
        let shown = |finding: &Value| [text(finding, "check"), text(finding, "status")].join(" ");
        (all.len(), problems(&all).iter().map(shown).collect::<Vec<_>>())
    };

    let (all, none) = found().await;
    assert_eq!((all, none.len()), (Check::ALL.len() - 2, 0));

    happen(&world, "account_restricted").await;
    assert_eq!(found().await.1, ["account_health FAILED"]);
    world.clock.advance(CHECK_PERIOD);
    assert!(found().await.1.is_empty(), "the restriction has ended");

    happen(&world, "number_quality_changed").await;
    assert_eq!(found().await.1, ["number_quality FAILED"]);
    happen(&world, "number_quality_changed").await;

    happen(&world, "account_rejected").await;
    assert_eq!(found().await.1, ["account_review FAILED"]);
    happen(&world, "account_reviewed").await;

    happen(&world, "account_disconnected").await;
    assert_eq!(found().await.1, ["connection FAILED"]);
    happen(&world, "account_reconnected").await;
    assert!(found().await.1.is_empty());
}
