//! Signups, syncs and checks of the platform.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tests::catalogue::{SIGNUP, fresh_account, simulated_profile};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{HOUR, at_once, has, is_over, pass, spent};

const SYNC: &str = "/v1/organization/chat/templates/sync";

fn signup(code: &str) -> Value {
    json!({"code": code, "wabaId": "4917000001", "test": true})
}

#[tokio::test]
async fn an_organization_tries_twenty_signups_an_hour() {
    let world = World::new().await;
    let call = |body: &Value| Call::post(SIGNUP).json(body);

    spent(&world, "onboardings_test", "onboardings", 19, HOUR).await;
    world.admin(call(&signup("one"))).await.expect(201);
    is_over(world.admin(call(&signup("two"))).await, HOUR);

    // Rejected requests are rejected again, and completed ones return their result again.
    is_over(world.admin(call(&signup("two"))).await, HOUR);
    world.admin(call(&signup("one"))).await.expect(200);

    pass(&world, HOUR);
    assert!(world.admin(call(&signup("two"))).await.status.is_success());
}

/// The items except those that count the usage of quotas.
async fn uncounted(world: &World) -> Vec<BTreeMap<String, String>> {
    let items = world.account.items().await.into_iter();
    items.filter(|item| !item["PK"].starts_with("RATE#")).collect()
}

/// A refused signup is as if it had never been sent: no record, nothing due, no token, no subscription.
#[tokio::test]
async fn a_refused_signup_leaves_nothing() {
    let world = World::new().await;
    let call = |body: &Value| Call::post(SIGNUP).json(body).header("idempotency-key", "once");

    spent(&world, "onboardings_test", "onboardings", 20, HOUR).await;
    let before = world.account.items().await;
    is_over(world.admin(call(&signup("one"))).await, HOUR);
    assert_eq!(world.account.items().await, before);

    has(&world, "chatBusinessProfiles", 50).await;
    pass(&world, HOUR);

    world.platform.account("777", &[]);
    let before = uncounted(&world).await;
    let live = json!({"code": "code.777", "wabaId": "777"});
    for body in [signup("two"), live.clone()] {
        world.admin(call(&body)).await.refused(400, Some("chatBusinessProfiles"), None);
        assert_eq!(uncounted(&world).await, before, "{body}");
    }
    assert!(world.platform.seen("subscribed_apps").is_empty());
    let secrets = world.account.secrets.list_secrets().send().await.unwrap();
    let of_profiles = secrets.secret_list().iter().filter(|secret| secret.name().unwrap().starts_with("profiles/"));
    assert_eq!(of_profiles.count(), 0);

    // With room again, signups succeed.
    has(&world, "chatBusinessProfiles", 49).await;
    world.platform.account("778", &[]);
    world.admin(Call::post(SIGNUP).json(&json!({"code": "code.778", "wabaId": "778"}))).await.expect(201);
}

/// A refused sync changes no item and queues no job.
#[tokio::test]
async fn a_refused_sync_leaves_nothing() {
    let world = World::new().await;
    let id = text(&simulated_profile(&world, &fresh_account(), false).await, "id");
    spent(&world, &id, "syncs", 60, HOUR).await;

    let before = world.account.items().await;
    let body = json!({"chatBusinessProfileId": id});
    is_over(world.admin(Call::post(SYNC).json(&body)).await, HOUR);
    assert_eq!(world.account.items().await, before);
    assert!(world.messages(&world.account.queue).await.is_empty());
}

#[tokio::test]
async fn a_profile_is_synced_sixty_times_an_hour() {
    let world = World::new().await;
    let profile = world.admin(Call::post(SIGNUP).json(&signup("one"))).await.expect(201);
    let id = text(&profile, "id");

    spent(&world, &id, "syncs", 59, HOUR).await;
    let body = json!({"chatBusinessProfileId": id});
    let sync = || world.admin(Call::post(SYNC).json(&body));

    world.with_worker(sync()).await.expect(200);
    is_over(world.with_worker(sync()).await, HOUR);
    is_over(world.with_worker(sync()).await, HOUR);
    pass(&world, HOUR);
    world.with_worker(sync()).await.expect(200);
}

#[tokio::test]
async fn an_organization_checks_its_platform_twenty_times_per_hour() {
    const CHECK: &str = "/v1/organization/chat/platform-check";
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;

    let (made, refused) = at_once(&world, 30, |_| Call::get(CHECK).key(&world.org.admin)).await;
    assert_eq!((made, refused.len()), (20, 10));
    for reply in refused {
        assert!(reply.text.contains("at most 20 platform checks per hour"), "{reply:?}");
        is_over(reply, HOUR);
    }

    // The platform is not asked for a check that is refused.
    world.platform.state().seen.clear();
    is_over(world.admin(Call::get(CHECK)).await, HOUR);
    assert!(world.platform.state().seen.is_empty());

    // Test mode, another organization and another hour have their own quota.
    world.send(Call::get(CHECK).key(&world.org.test_admin)).await.expect(200);
    world.send(Call::get(CHECK).key(&stranger.admin)).await.expect(200);
    pass(&world, HOUR);
    world.admin(Call::get(CHECK)).await.expect(200);
}
