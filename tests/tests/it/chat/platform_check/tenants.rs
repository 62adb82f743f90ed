//! Each organization sees the findings of its own profiles, in the mode of its key.

use serde_json::json;
use tests::chat::connect;
use tests::request::altered;
use tests::{Call, Service as _, World};

use super::{CHECK, check, problems};

#[tokio::test]
async fn an_organization_sees_its_own_profiles_only() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    let (own, other) = (connect(&world, &world.org, "5107").await, connect(&world, &stranger, "5108").await);
    world.platform.say("5108", json!({"account_review_status": "REJECTED"}));

    let mine = serde_json::to_string(&check(&world, &world.org.admin, "").await).unwrap();
    assert!(mine.contains(&own.profile) && mine.contains(&own.number));
    assert!(!mine.contains(&other.profile) && !mine.contains(&other.number) && !mine.contains("REJECTED"));

    for (key, profile) in [
        (&world.org.admin, other.profile.clone()),
        (&world.org.admin, altered(&own.profile)),
        (&world.org.test_admin, own.profile.clone()),
    ] {
        let call = Call::get(format!("{CHECK}?profileId={profile}")).key(key);
        world.send(call).await.refused(404, Some("profileId"), None);
    }

    world.platform.state().seen.clear();
    let simulated = check(&world, &world.org.test_admin, "").await;
    assert!(problems(&simulated).is_empty());
    assert!(simulated.iter().all(|finding| finding["subject"] != own.profile.as_str()));
    assert!(world.platform.state().seen.is_empty(), "a test key asks the simulated platform only");

    for (query, param) in [
        ("?profileId=wabp", "profileId"),
        ("?profileId=", "profileId"),
        ("?profile=1", "profile"),
        ("?limit=5", "limit"),
        ("?cursor=a", "cursor"),
        (&format!("?profileId={0}&profileId={0}", own.profile), "profileId"),
    ] {
        world.admin(Call::get(format!("{CHECK}{query}"))).await.refused(400, Some(param), None);
    }
}
