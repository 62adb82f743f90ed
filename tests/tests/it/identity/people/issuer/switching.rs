//! Switching between the organizations of a person.

use serde_json::json;
use tests::catalogue::{MEMBERS, SESSION, member};
use tests::request::text;
use tests::{Call, Service as _};

use super::Place;
use crate::identity::people::{ORIGIN, cookie_of, operators_token};

/// A person has memberships of several organizations, and a session has one of them.
#[tokio::test]
async fn a_person_switches_between_organizations() {
    let place = Place::new(false).await;
    let world = &place.world;
    let ann = member(world, "ann@example.com", "ADMIN").await;
    let other = world.organization("Other").await;
    let invite = Call::post(MEMBERS).key(&other.admin).json(&json!({"email": "ann@example.com", "role": "VIEWER"}));
    let there = text(&world.send(invite).await.expect(201), "id");
    let strangers = member(world, "bob@example.com", "VIEWER").await;

    let cookie = place.sign_in("1", "ann@example.com").await.unwrap();
    let session = place.session(&cookie).await;
    assert_eq!(session["memberships"].as_array().unwrap().len(), 2);
    let (to, back) = if session["member"]["id"] == json!(ann) { (&there, &ann) } else { (&ann, &there) };
    let switch = |cookie: &str, id: &str| {
        Call::put(SESSION).header("cookie", cookie).header("origin", ORIGIN).json(&json!({"memberId": id}))
    };
    world.send(switch(&cookie, &strangers)).await.refused(404, Some("memberId"), None);
    let elsewhere = Call::put(SESSION).header("cookie", &cookie).json(&json!({"memberId": to}));
    world.send(elsewhere.header("origin", "https://evil.example")).await.refused(403, Some("Origin"), None);

    let reply = world.send(switch(&cookie, to)).await;
    let next = reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(reply.expect(200)["memberId"], json!(to));
    assert_eq!(place.session(&next).await["member"]["id"], json!(to));
    assert_eq!(world.send(Call::get(SESSION).header("cookie", &cookie)).await.status, 401, "the old one has ended");
    world.send(switch(&next, back)).await.expect(200);

    // A link opens its own membership only.
    let link = operators_token(world, "ann@example.com", "ADMIN").await;
    let linked = cookie_of(world, &link).await;
    assert_eq!(place.session(&linked).await["memberships"], json!([]));
    world.send(switch(&linked, &there)).await.refused(404, Some("memberId"), None);
    world.send(switch(&linked, &ann)).await.expect(200);
}
