//! Members of a restored table.

use std::collections::BTreeSet;

use domain::identity::member::{Member, MemberStatus};
use operate::Credentials;
use serde_json::json;
use store::keys::KeyClass;
use tests::catalogue::{MEMBERS, SESSION_KEY, member, session_of, sign_in_token};
use tests::{Call, Service as _, World};

use super::{COPY, items, options, recover, run};
use crate::identity::people::issuer::Place;

/// Who was removed stays removed, and who was suspended stays so; a session that lives on stays valid, with its keys.
#[tokio::test]
async fn members_follow_the_old_table() {
    let world = World::new().await;
    let [gone, suspended, kept] = ["gone", "suspended", "kept"].map(|name| format!("{name}@example.com"));
    let (mut ids, mut sessions) = (Vec::new(), Vec::new());
    for email in [&gone, &suspended, &kept] {
        ids.push(member(&world, email, "DEVELOPER").await);
        sessions.push(session_of(&world, &sign_in_token(&world, ids.last().unwrap()).await).await);
    }
    for session in &sessions {
        world.send(Call::post(SESSION_KEY).key(session).json(&json!({"mode": "live"}))).await.expect(201);
    }
    let unused = sign_in_token(&world, &ids[2]).await;
    recover(&world).await;
    let path = |id: &str| format!("{MEMBERS}/{id}");
    world.admin(Call::delete(path(&ids[0]))).await.expect(200);
    world.admin(Call::patch(path(&ids[1])).json(&json!({"status": "SUSPENDED"}))).await.expect(200);
    session_of(&world, &unused).await;

    let (steps, report) = run(&world, &options(&world, Credentials::AsInOldTable)).await;
    assert_eq!(steps, 4, "{report}");
    for told in [
        format!("remove member {}", ids[0]),
        format!("give member {} the role, status and identity of the previous table", ids[1]),
        format!("revoke the credential of {}", ids[2]),
    ] {
        assert!(report.contains(&told), "{report}");
    }
    let copied = items(&world, COPY, &[KeyClass::Member]).await;
    let found: Vec<Member> = copied.all(KeyClass::Member).unwrap().into_iter().map(|found| found.entity).collect();
    let shown: Vec<_> =
        found.iter().map(|member| (member.email.as_str(), member.status(), member.sessions.len())).collect();
    assert_eq!(
        BTreeSet::from_iter(shown.iter().map(|shown| format!("{shown:?}"))),
        BTreeSet::from([
            format!("{:?}", (suspended.as_str(), MemberStatus::Suspended, 0)),
            format!("{:?}", (kept.as_str(), MemberStatus::Active, 1)),
        ])
    );
    let (steps, report) = run(&world, &options(&world, Credentials::AsInOldTable)).await;
    assert_eq!(steps, 0, "{report}");
}

/// Whom the identity provider knows stays known, so that nobody else takes their place with the same address.
#[tokio::test]
async fn a_person_who_was_bound_since_stays_so() {
    let place = Place::new(false).await;
    let ann = member(&place.world, "ann@example.com", "ADMIN").await;
    recover(&place.world).await;
    place.sign_in("1", "ann@example.com").await.unwrap();

    let world = &place.world;
    let (steps, report) = run(world, &options(world, Credentials::AsInOldTable)).await;
    assert!(report.contains(&format!("give member {ann} the role, status and identity")), "{report}");
    assert!(steps >= 1, "{report}");
    let copied = items(world, COPY, &[KeyClass::Member, KeyClass::Person]).await;
    let found = copied.all::<Member>(KeyClass::Member).unwrap();
    let person = found[0].entity.person.as_ref().unwrap();
    let entries: Vec<String> = copied.keys().map(|key| key.partition.clone()).collect();
    assert!(entries.contains(&format!("PERSON#{}", person.as_str())), "{entries:?}");
    let (steps, report) = run(world, &options(world, Credentials::AsInOldTable)).await;
    assert_eq!(steps, 0, "{report}");
}
