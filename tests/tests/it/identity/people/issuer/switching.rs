//! Switching between the organizations of a person.

use std::time::Duration;

use domain::identity::member::SESSION_SECONDS;
use serde_json::json;
use tests::catalogue::{MEMBERS, SESSION, SESSION_KEY, member, session_of, token_of};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::Place;
use crate::identity::people::{ORIGIN, cookie_of, operators_token};

/// Invites Ann to the organization and to another one. Returns the ids of both members.
async fn two_memberships(world: &World) -> (String, String) {
    let ann = member(world, "ann@example.com", "ADMIN").await;
    let other = world.organization("Other").await;
    let invite = Call::post(MEMBERS).key(&other.admin).json(&json!({"email": "ann@example.com", "role": "VIEWER"}));
    (ann, text(&world.send(invite).await.expect(201), "id"))
}

/// A person has memberships of several organizations, and a session has one of them.
#[tokio::test]
async fn a_person_switches_between_organizations() {
    let place = Place::new(false).await;
    let world = &place.world;
    let (ann, there) = two_memberships(world).await;
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

/// Another organization that invites somebody's address neither draws their sign-ins to itself nor learns where they are.
#[tokio::test]
async fn an_organization_draws_nobody_to_itself() {
    let place = Place::new(false).await;
    let world = &place.world;
    let ann = member(world, "ann@example.com", "ADMIN").await;
    let first = place.sign_in("1", "ann@example.com").await.unwrap();
    assert_eq!(place.session(&first).await["member"]["id"], json!(ann));

    let eve = world.organization("Eve").await;
    let invite = Call::post(MEMBERS).key(&eve.admin).json(&json!({"email": "ann@example.com", "role": "VIEWER"}));
    let theirs = text(&world.send(invite).await.expect(201), "id");
    let link = Call::post(format!("{MEMBERS}/{theirs}/sign-in-link")).key(&eve.admin);
    session_of(world, &token_of(&world.send(link).await.expect(201))).await;

    for _ in 0..2 {
        world.clock.advance(Duration::from_secs(60));
        let next = place.sign_in("1", "ann@example.com").await.unwrap();
        assert_eq!(place.session(&next).await["member"]["id"], json!(ann));
    }
    let log = Call::get("/v1/organization/audit-log?action=signIn.complete").key(&eve.admin);
    let entries = world.send(log).await.expect(200);
    let [bound] = &entries["data"].as_array().unwrap()[..] else { panic!("{entries}") };
    assert_eq!((bound.get("sourceIp"), bound.get("userAgent")), (None, None), "{bound}");

    // Whoever has switched there comes back there.
    let cookie = place.sign_in("1", "ann@example.com").await.unwrap();
    world.clock.advance(Duration::from_secs(60));
    let switch = Call::put(SESSION).header("cookie", &cookie).header("origin", ORIGIN);
    world.send(switch.json(&json!({"memberId": theirs}))).await.expect(200);
    world.clock.advance(Duration::from_secs(60));
    let next = place.sign_in("1", "ann@example.com").await.unwrap();
    assert_eq!(place.session(&next).await["member"]["id"], json!(theirs));
}

/// Neither a switch nor a renewal makes a session live longer.
#[tokio::test]
async fn a_session_that_is_replaced_ends_no_later() {
    let place = Place::new(false).await;
    let world = &place.world;
    let (ann, there) = two_memberships(world).await;
    let mut cookie = place.sign_in("1", "ann@example.com").await.unwrap();
    let mut to = [&ann, &there, &there].into_iter().cycle();
    for _ in 0..7 {
        world.clock.advance(Duration::from_secs(SESSION_SECONDS / 8));
        let key = Call::post(SESSION_KEY).header("cookie", &cookie).header("origin", ORIGIN);
        world.send(key.json(&json!({"mode": "live"}))).await.expect(201);
        let switch = Call::put(SESSION).header("cookie", &cookie).header("origin", ORIGIN);
        let reply = world.send(switch.json(&json!({"memberId": to.next().unwrap()}))).await;
        reply.header("set-cookie").unwrap().split(';').next().unwrap().clone_into(&mut cookie);
        reply.expect(200);
    }
    assert_eq!(world.send(Call::get(SESSION).header("cookie", &cookie)).await.status, 200);
    world.clock.advance(Duration::from_secs(SESSION_SECONDS / 8));
    assert_eq!(world.send(Call::get(SESSION).header("cookie", &cookie)).await.status, 401);

    // Nor does it make up for two hours in which no key was asked for.
    let mut cookie = place.sign_in("1", "ann@example.com").await.unwrap();
    let end = place.session(&cookie).await["expiresAt"].clone();
    for to in [&ann, &there, &there, &ann] {
        world.clock.advance(Duration::from_secs(60));
        let switch = Call::put(SESSION).header("cookie", &cookie).header("origin", ORIGIN);
        let reply = world.send(switch.json(&json!({"memberId": to}))).await;
        reply.header("set-cookie").unwrap().split(';').next().unwrap().clone_into(&mut cookie);
        assert_eq!(reply.expect(200)["expiresAt"], end);
    }
}
