//! Links: once, for a while, for one member.

use std::time::Duration;

use domain::identity::member::{LINK_SECONDS, SESSION_SECONDS, SESSIONS_PER_MEMBER, UNUSED_SECONDS};
use serde_json::json;
use tests::catalogue::{MEMBERS, SESSION, SESSION_KEY, SIGN_IN, member, session_of, sign_in_token, token_of};
use tests::faults::Fault;
use tests::request::{altered, text};
use tests::{Call, Service as _, World};

use super::{cookie_of, operators_token, shown, signed_in, works};

fn exchange(token: &str) -> Call {
    Call::post(SIGN_IN).json(&json!({"token": token, "as": "bearer"}))
}

#[tokio::test]
async fn a_link_names_its_member_and_works_once() {
    let world = World::new().await;
    let ann = member(&world, "ann@example.com", "SUPPORT").await;
    let token = sign_in_token(&world, &ann).await;
    let details = world.send(Call::get(SIGN_IN).key(&token)).await.expect(200);
    assert_eq!((&details["email"], &details["organizationName"]), (&json!("ann@example.com"), &json!("Acme")));
    assert_eq!(shown(&world, &ann).await["status"], "INVITED", "looking at it uses nothing up");

    let begun = world.send(exchange(&token)).await.expect(200);
    assert_eq!((&begun["memberId"], &begun["role"]), (&json!(ann), &json!("SUPPORT")));
    assert_eq!(shown(&world, &ann).await["status"], "ACTIVE");
    world.send(exchange(&token)).await.refused(404, Some("token"), None);
    world.send(Call::get(SIGN_IN).key(&token)).await.unauthenticated("Invalid API key");
    for wrong in [altered(&token), "signin_x".to_owned(), world.org.admin.clone()] {
        world.send(exchange(&wrong)).await.refused(404, Some("token"), None);
    }

    let session = world.send(Call::get(SESSION).key(&text(&begun, "sessionToken"))).await.expect(200);
    assert_eq!((&session["member"]["id"], &session["role"]), (&json!(ann), &json!("SUPPORT")));
    assert_eq!(session["organization"], json!({"id": world.org.id, "name": "Acme"}));
}

/// A link stays unused if the table does not answer, or the body is too long.
#[tokio::test]
async fn a_failure_uses_no_link_up() {
    let world = World::new().await;
    let token = operators_token(&world, "ann@example.com", "OWNER").await;
    world.send(exchange(&token).bytes(vec![b' '; 300_000])).await.refused(413, None, None);
    for (fault, status) in [(Fault::TimedOut, 500), (Fault::Throttled, 429)] {
        world.faults.set(fault);
        world.send(exchange(&token)).await.expect(status);
        world.faults.clear();
    }
    world.send(exchange(&token)).await.expect(200);
}

#[tokio::test]
async fn of_two_browsers_with_one_link_one_is_signed_in() {
    let world = World::new().await;
    let token = operators_token(&world, "ann@example.com", "OWNER").await;
    let sent = futures_util::future::join_all((0..8).map(|_| world.send(exchange(&token)))).await;
    let statuses: Vec<u16> = sent.iter().map(|reply| reply.status.as_u16()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 404).count(), 7, "{statuses:?}");
}

#[tokio::test]
async fn links_and_sessions_end() {
    let world = World::new().await;
    let token = operators_token(&world, "ann@example.com", "OWNER").await;
    world.clock.advance(Duration::from_secs(LINK_SECONDS));
    world.send(exchange(&token)).await.refused(404, Some("token"), None);

    // Unused for two hours, or twelve hours old.
    let unused = signed_in(&world, "ann@example.com", "OWNER").await;
    let used = signed_in(&world, "ann@example.com", "OWNER").await;
    for _ in 0..6 {
        world.clock.advance(Duration::from_secs(UNUSED_SECONDS - 1));
        if works(&world, &used.session).await {
            world.send(Call::post(SESSION_KEY).key(&used.session).json(&json!({"mode": "live"}))).await.expect(201);
        }
    }
    assert!(!works(&world, &unused.session).await && works(&world, &used.session).await);
    world.clock.advance(Duration::from_secs(SESSION_SECONDS - 6 * (UNUSED_SECONDS - 1)));
    assert!(!works(&world, &used.session).await);
}

/// A link is for what its member was when it was issued: whoever issued it may not make one for more.
#[tokio::test]
async fn a_link_ends_with_another_role_or_status() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "OWNER").await;
    let admin = signed_in(&world, "adm@example.com", "ADMIN").await;
    let bob = member(&world, "bob@example.com", "VIEWER").await;
    let (of_owner, of_admin) = (ann.key(&world, "live").await, admin.key(&world, "live").await);
    let path = format!("{MEMBERS}/{bob}");
    for changes in [vec![json!({"role": "OWNER"})], vec![json!({"status": "SUSPENDED"}), json!({"status": "ACTIVE"})]] {
        let made = world.send(Call::post(format!("{path}/sign-in-link")).key(&of_admin)).await;
        let token = token_of(&made.expect(201));
        for change in changes {
            world.send(Call::patch(&path).key(&of_owner).json(&change)).await.expect(200);
        }
        world.send(Call::get(SIGN_IN).key(&token)).await.unauthenticated("Invalid API key");
        world.send(exchange(&token)).await.refused(404, Some("token"), None);
        world.send(Call::patch(&path).key(&of_owner).json(&json!({"role": "VIEWER"}))).await.expect(200);
    }
    // Another name changes nothing.
    let token = sign_in_token(&world, &bob).await;
    world.admin(Call::patch(&path).json(&json!({"name": "Bob"}))).await.expect(200);
    world.send(exchange(&token)).await.expect(200);
}

#[tokio::test]
async fn a_link_ends_with_whoever_has_issued_it() {
    let world = World::new().await;
    let admin = signed_in(&world, "adm@example.com", "ADMIN").await;
    let bob = member(&world, "bob@example.com", "VIEWER").await;
    let link = |key: &str| Call::post(format!("{MEMBERS}/{bob}/sign-in-link")).key(key);
    let key = world.admin(Call::post("/v1/organization/admin-keys").json(&json!({"name": "K"}))).await.expect(201);
    let of_key = token_of(&world.send(link(&text(&key, "key"))).await.expect(201));
    let of_member = token_of(&world.send(link(&admin.key(&world, "live").await)).await.expect(201));
    world.admin(Call::delete(format!("/v1/organization/admin-keys/{}", text(&key, "id")))).await.expect(200);
    let suspend = Call::patch(format!("{MEMBERS}/{}", admin.member)).json(&json!({"status": "SUSPENDED"}));
    world.admin(suspend).await.expect(200);
    // Another role of whoever has issued it, too.
    let other = signed_in(&world, "oth@example.com", "ADMIN").await;
    let of_demoted = token_of(&world.send(link(&other.key(&world, "live").await)).await.expect(201));
    let demote = Call::patch(format!("{MEMBERS}/{}", other.member)).json(&json!({"role": "VIEWER"}));
    world.admin(demote).await.expect(200);
    for token in [of_key, of_member, of_demoted] {
        world.send(exchange(&token)).await.refused(404, Some("token"), None);
    }
}

#[tokio::test]
async fn the_oldest_session_ends_when_there_are_too_many() {
    let world = World::new().await;
    let mut sessions = Vec::new();
    for _ in 0..=SESSIONS_PER_MEMBER {
        sessions.push(signed_in(&world, "ann@example.com", "OWNER").await.session);
        world.clock.advance(Duration::from_secs(1));
    }
    assert!(!works(&world, &sessions[0]).await);
    for session in &sessions[1..] {
        assert!(works(&world, session).await);
    }
}

#[tokio::test]
async fn the_first_member_of_the_operator_is_an_owner() {
    let world = World::new().await;
    let link = |email: &str| json!({"operation": "createSignInLink", "organizationId": world.org.id, "email": email});
    let first = world.operate(link("Ann@example.com")).await.unwrap();
    assert_eq!(first["role"], "OWNER");
    assert_eq!(world.operate(link("bob@example.com")).await.unwrap()["role"], "DEVELOPER");
    // The role of an existing member stays.
    let mut again = link("ann@example.com");
    again["role"] = json!("VIEWER");
    let again = world.operate(again).await.unwrap();
    assert_eq!((&again["role"], &again["memberId"]), (&json!("OWNER"), &first["memberId"]));
    let list = world.admin(Call::get(MEMBERS)).await.expect(200);
    assert_eq!(list["data"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_cookie_signs_in_and_out() {
    let world = World::new().await;
    let token = operators_token(&world, "ann@example.com", "OWNER").await;
    let cookie = cookie_of(&world, &token).await;
    let session = world.send(Call::get(SESSION).header("cookie", &cookie)).await.expect(200);
    assert_eq!(session["member"]["email"], "ann@example.com");
    let out = Call::delete(SESSION).header("cookie", &cookie).header("origin", super::ORIGIN);
    let reply = world.send(out.header("content-type", "application/json")).await;
    assert!(reply.header("set-cookie").unwrap().contains("Max-Age=0"));
    reply.expect(200);
    assert_eq!(world.send(Call::get(SESSION).header("cookie", &cookie)).await.status, 401);
    let again = operators_token(&world, "ann@example.com", "OWNER").await;
    assert!(works(&world, &session_of(&world, &again).await).await);
}
