//! Nothing is left of a deleted organization, and nothing else is deleted.

use serde_json::{Value, json};
use tests::catalogue::{PROFILES, member, uploaded};
use tests::chat::{connect, notification};
use tests::sms::linked_number;
use tests::{Call, Service as _, World};

use super::{add_history, delete, endings, finish, furnish, lasting, left, secret_exists};
use crate::identity::people::issuer::Place;

#[tokio::test]
async fn nothing_is_left_of_a_deleted_organization_and_others_stay() {
    let place = Place::new(false).await;
    member(&place.world, "ann@example.com", "ADMIN").await;
    place.sign_in("1", "ann@example.com").await.unwrap();
    let world = place.world;
    let other = world.organization("Other").await;
    let others = furnish(&world, &other, "4302").await;
    let line = furnish(&world, &world.org, "4301").await;
    add_history(&world, &line).await;
    uploaded(&world).await;
    linked_number(&world, "+12015550100").await;
    world.send_events().await;

    let untouched = lasting(&world, &other.id).await;
    assert!(left(&world).await.len() > 30 && secret_exists(&world, &line).await);

    let refused = world.operate(delete(&world, "other")).await.unwrap_err();
    assert!(refused.starts_with("confirm: "), "{refused}");
    let begun = world.operate(delete(&world, "acme")).await.unwrap();
    assert_eq!(begun["status"], "RUNNING");
    assert!(begun["accessEndedAt"].is_string() && begun["notBefore"].is_string(), "{begun}");
    expect_no_access(&world).await;

    let receipt = finish(&world).await;
    assert_eq!(left(&world).await, Vec::<String>::new());
    expect_counts(&receipt);
    assert!(!secret_exists(&world, &line).await && secret_exists(&world, &others).await);

    let [ended] = &endings(&world, "4301")[..] else { panic!("one request ends the subscription") };
    assert_eq!(
        (ended.path.as_str(), ended.headers["authorization"].as_str()),
        ("/4301/subscribed_apps", "Bearer token-4301")
    );
    assert!(endings(&world, "4302").is_empty() && receipt.get("stillConnected").is_none());

    let files = world.account.objects().await;
    assert!(!files.is_empty() && files.iter().all(|key| key.contains(&other.id)), "{files:?}");
    assert_eq!(lasting(&world, &other.id).await, untouched);

    assert_eq!(world.operate(delete(&world, "acme")).await.unwrap(), receipt, "repeating returns the receipt");
    assert_eq!(world.carrier_account.state().opt_out_lists.len(), 1, "who opted out is still kept");

    // What the platform still sends leads to no organization, and another one can connect the account and use the slug.
    let late = json!({"id": "wamid.late", "type": "text", "text": {"body": "Hello"}});
    world.notify(&line.message(&late)).await.expect(200);
    assert_eq!(left(&world).await, Vec::<String>::new());

    world.platform.state().spent_codes.clear();
    connect(&world, &other, "4301").await;
    world.operate(json!({"operation": "createOrganization", "name": "Acme"})).await.unwrap();
    assert!(world.dead_letters().await.is_empty());
}

/// Checks that no credential is accepted and that the operator creates no new ones.
async fn expect_no_access(world: &World) {
    let org = &world.org;
    for (path, key) in [
        ("/v1/organization/settings", &org.admin),
        ("/v1/organization/settings", &org.test_admin),
        ("/v1/organization/settings", &org.session),
        ("/v1/chat/groups", &org.app_key),
        ("/v1/playground/phone-numbers/system", &org.test_app_key),
    ] {
        world.send(Call::get(path).key(key)).await.expect(401);
    }

    for operation in ["createAdminKey", "createSession"] {
        let refused = world.operate(json!({"operation": operation, "organizationId": org.id})).await.unwrap_err();
        assert!(refused.starts_with("organizationId: "), "{refused}");
    }
}

fn expect_counts(receipt: &Value) {
    let mut deleted = receipt["deleted"].clone();
    for (name, least) in [("templates", 1), ("chatPhoneNumbers", 2), ("media", 2)] {
        assert!(deleted[name].as_u64() >= Some(least), "{deleted}");
        deleted[name] = json!(null);
    }

    let expected = json!({"apps": 2, "phoneNumbers": 2, "chatBusinessProfiles": 3, "chatPhoneNumbers": null,
        "templates": null, "groups": 1, "messages": 5, "media": null});
    assert_eq!(deleted, expected);
}

/// An account that its organization has disconnected leaves nothing behind either.
#[tokio::test]
async fn a_disconnected_account_is_deleted_too() {
    let world = World::new().await;
    let line = furnish(&world, &world.org, "4308").await;

    world.admin(Call::delete(format!("{PROFILES}/{}", line.profile))).await.expect(200);
    assert_eq!(endings(&world, "4308").len(), 1);

    finish(&world).await;
    assert_eq!(left(&world).await, Vec::<String>::new());
    assert_eq!(endings(&world, "4308").len(), 1, "it is not disconnected again");
}

/// The platform's notifications can name several templates by one name and language.
#[tokio::test]
async fn templates_with_the_same_name_and_language_are_deleted() {
    let world = World::new().await;
    connect(&world, &world.org, "4312").await;

    for id in 0..60 {
        let status = json!({"event": "APPROVED", "message_template_id": 1000 + id, "message_template_name": "t",
            "message_template_language": "en"});
        let told = notification("4312", 2_000_000_000, "message_template_status_update", &status);
        world.notify(&told).await.expect(200);
    }

    let receipt = finish(&world).await;
    assert_eq!(receipt["deleted"]["templates"], 60, "{receipt}");
    assert_eq!(left(&world).await, Vec::<String>::new());
}
