//! Updates of accounts and numbers: reviews, quality, names, and the end of a connection.

use serde_json::{Value, json};
use tests::chat::{Line, connect, events, notification};
use tests::{Call, Service as _, World};

use super::{SENT, shown_number};
use crate::chat::{assert_fields, merged};

/// Long after `SENT`, in seconds: 2036-07-18T13:20:00Z.
const LATER: i64 = 2_100_000_000;

async fn shown_profile(world: &World, line: &Line) -> Value {
    world.admin(Call::get(format!("/v1/organization/chat/business-profiles/{}", line.profile))).await.expect(200)
}

/// Sends an update of the account, this many seconds after `SENT`.
async fn tell(world: &World, line: &Line, seconds: i64, field: &str, value: &Value) {
    world.notify(&notification(&line.account, SENT + seconds, field, value)).await.expect(200);
}

/// Outcomes of reviews that the specification does not know are counted and change nothing.
#[tokio::test]
async fn unknown_outcomes_of_reviews_change_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "726").await;
    let decide = async |seconds: i64, of_account: &str, of_name: &str| {
        let name =
            json!({"display_phone_number": line.display, "decision": of_name, "requested_verified_name": "Acme"});
        tell(&world, &line, seconds, "account_review_update", &json!({"decision": of_account})).await;
        tell(&world, &line, seconds, "phone_number_name_update", &name).await;
    };
    let shown = async || (shown_profile(&world, &line).await, shown_number(&world, &line).await);
    let is_of_unknown = |line: &&Value| line.get("UnknownPlatformValues").is_some();
    let counted = || world.metrics.json().iter().filter(is_of_unknown).count();

    decide(10, "DEFERRED", "DECLINED").await;
    let before = shown().await;
    assert_eq!((&before.0["reviewDecision"], &before.1["nameStatus"]), (&json!("DEFERRED"), &json!("REJECTED")));
    assert_eq!(counted(), 0);

    decide(20, "NOVEL", "NOVEL").await;
    assert_eq!(shown().await, before);
    assert_eq!(counted(), 2);
}

#[tokio::test]
async fn accounts_and_numbers_show_what_the_platform_decided() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "713").await;
    let of_number = |fields: &Value| merged(json!({"display_phone_number": line.display}), fields);

    tell(&world, &line, 10, "account_review_update", &json!({"decision": "REJECTED"})).await;
    tell(&world, &line, 5, "account_review_update", &json!({"decision": "PENDING"})).await;
    let expected = json!({"reviewDecision": "REJECTED", "reviewDecidedAt": "2033-05-18T03:33:30.000Z"});
    assert_fields(&shown_profile(&world, &line).await, &expected);

    let upgrade = of_number(&json!({"event": "THROUGHPUT_UPGRADE", "current_limit": "TIER_100K"}));
    tell(&world, &line, 10, "phone_number_quality_update", &upgrade).await;
    tell(&world, &line, 9, "phone_number_quality_update", &of_number(&json!({"event": "FLAGGED"}))).await;
    let name = json!({"display_phone_number": format!("+{}", line.display), "decision": "REJECTED",
        "requested_verified_name": "Acme", "rejection_reason": "NAME_FORMAT_UNACCEPTABLE"});
    tell(&world, &line, 10, "phone_number_name_update", &name).await;
    let number = shown_number(&world, &line).await;
    let expected = json!({"qualityEvent": "THROUGHPUT_UPGRADE", "throughputTier": "HIGH", "nameStatus": "REJECTED",
        "requestedVerifiedName": "Acme", "nameRejectionReason": "NAME_FORMAT_UNACCEPTABLE"});
    assert_fields(&number, &expected);
    assert!(number["qualityEventAt"].is_string() && number["nameDecisionAt"].is_string());

    // A partner update, which contains the account.
    let removed = json!({"event": "PARTNER_REMOVED", "waba_info": {"waba_id": "713", "owner_business_id": "1"}});
    world.notify(&notification("77", LATER, "account_update", &removed)).await.expect(200);
    let told = events(&world, &world.org, "chat.account.disconnected").await;
    assert_eq!((told.len(), &told[0]["id"]), (1, &json!(line.profile)));

    tell(&world, &line, LATER - SENT + 1, "account_update", &json!({"event": "ACCOUNT_RESTRICTION"})).await;
    assert_eq!(events(&world, &world.org, "chat.account.disconnected").await.len(), 1);
}

/// The platform has several events for a disconnected account and one for its return.
#[tokio::test]
async fn accounts_end_in_several_ways_and_may_come_back() {
    let world = World::new().await;

    for (account, end) in [
        ("737", "PARTNER_APP_UNINSTALLED"),
        ("738", "ACCOUNT_OFFBOARDED"),
        ("739", "ACCOUNT_DELETED"),
        ("740", "PARTNER_REMOVED"),
    ] {
        let line = connect(&world, &world.org, account).await;
        let disconnected_after = async |seconds: i64, event: &str| {
            tell(&world, &line, LATER - SENT + seconds, "account_update", &json!({"event": event})).await;
            let told = events(&world, &world.org, "chat.account.disconnected").await;
            told.iter().filter(|profile| profile["id"] == line.profile.as_str()).count()
        };

        assert_eq!(disconnected_after(0, end).await, 1, "{end}");
        assert_eq!(disconnected_after(1, end).await, 1, "it is gone already");
        assert_eq!(disconnected_after(2, "ACCOUNT_RECONNECTED").await, 1);
        assert_eq!(disconnected_after(3, end).await, 2, "{end}");
    }
}
