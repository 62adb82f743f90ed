//! Who may create and change whom.

use domain::identity::member::MEMBERS_PER_ORGANIZATION;
use serde_json::{Value, json};
use tests::catalogue::{MEMBERS, session_of, token_of};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{shown, signed_in, works};

fn create(email: &str, role: &str) -> Call {
    Call::post(MEMBERS).json(&json!({"email": email, "role": role}))
}

#[tokio::test]
async fn a_member_is_invited_once_per_address() {
    let world = World::new().await;
    let made = world.admin(create("Ann.Lee@Example.COM", "SUPPORT")).await.expect(201);
    assert_eq!((&made["email"], &made["status"]), (&json!("ann.lee@example.com"), &json!("INVITED")));
    assert!(made["id"].as_str().unwrap().starts_with("mem_"));
    world.admin(create("ann.lee@example.com", "VIEWER")).await.refused(
        409,
        Some("email"),
        Some("resource_already_exists"),
    );
    // Letters that only look alike are other addresses, and refused.
    for sent in ["аnn@example.com", "ann@exаmple.com", "ann", "ann@", "a nn@example.com"] {
        world.admin(create(sent, "VIEWER")).await.refused(400, Some("email"), None);
    }
    world.admin(create("bob@example.com", "BOSS")).await.refused(400, Some("role"), None);

    let list = world.admin(Call::get(MEMBERS)).await.expect(200);
    assert_eq!(list["data"], json!([made]));
    world.send(Call::get(MEMBERS).key(&world.org.test_admin)).await.expect(403);
    world.send(create("bob@example.com", "VIEWER").key(&world.org.test_admin)).await.expect(403);
    // Another organization has its own members.
    let other = world.organization("Other").await;
    world.send(create("ann.lee@example.com", "VIEWER").key(&other.admin)).await.expect(201);
}

/// A retry gets what the first request made, also when the organization can have no more members by then.
#[tokio::test]
async fn a_retry_creates_one_member() {
    let world = World::new().await;
    let call = || create("ann@example.com", "VIEWER").header("idempotency-key", "k1");
    let made = world.admin(call()).await.expect(201);
    assert_eq!(world.admin(call()).await.expect(201), made);
    let invited = (1..MEMBERS_PER_ORGANIZATION).map(|at| world.admin(create(&format!("m{at}@example.com"), "VIEWER")));
    for reply in futures_util::future::join_all(invited).await {
        reply.expect(201);
    }
    assert_eq!(world.admin(call()).await.expect(201), made);
    let more = create("more@example.com", "VIEWER").header("idempotency-key", "k2");
    world.admin(more).await.refused(400, Some("members"), None);
}

#[tokio::test]
async fn only_owners_touch_owners() {
    let world = World::new().await;
    world.admin(create("eve@example.com", "OWNER")).await.refused(403, Some("role"), None);
    let owner = signed_in(&world, "ann@example.com", "OWNER").await;
    let admin = signed_in(&world, "bob@example.com", "ADMIN").await;
    let (of_owner, of_admin) = (owner.key(&world, "live").await, admin.key(&world, "live").await);

    let promote = |id: &str| Call::patch(format!("{MEMBERS}/{id}")).json(&json!({"role": "OWNER"}));
    world.send(promote(&admin.member).key(&of_admin)).await.refused(403, Some("role"), None);
    let demote = Call::patch(format!("{MEMBERS}/{}", owner.member)).json(&json!({"role": "VIEWER"}));
    world.send(demote.clone().key(&of_admin)).await.expect(403);
    world.send(Call::delete(format!("{MEMBERS}/{}", owner.member)).key(&of_admin)).await.expect(403);
    let link = Call::post(format!("{MEMBERS}/{}/sign-in-link", owner.member));
    world.send(link.key(&of_admin)).await.expect(403);

    // The last active owner stays one.
    world.send(demote.clone().key(&of_owner)).await.refused(409, Some("memberId"), None);
    let remove = Call::delete(format!("{MEMBERS}/{}", owner.member));
    world.send(remove.key(&of_owner)).await.refused(409, Some("memberId"), None);
    world.send(promote(&admin.member).key(&of_owner)).await.expect(200);
    assert!(!works(&world, &of_admin).await, "another role ends sessions and their keys");
    world.send(demote.key(&of_owner)).await.expect(200);
    assert!(!works(&world, &of_owner).await && !works(&world, &owner.session).await);
}

/// Somebody who was invited may never come, so the last owner who has signed in stays one until they do.
#[tokio::test]
async fn an_invited_owner_is_not_yet_an_active_one() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "OWNER").await;
    let key = ann.key(&world, "live").await;
    let bob = text(&world.send(create("bob@example.com", "OWNER").key(&key)).await.expect(201), "id");
    let leave = Call::delete(format!("{MEMBERS}/{}", ann.member)).key(&key);
    world.send(leave.clone()).await.refused(409, Some("memberId"), None);

    let link = world.send(Call::post(format!("{MEMBERS}/{bob}/sign-in-link")).key(&key)).await.expect(201);
    session_of(&world, &token_of(&link)).await;
    world.send(leave).await.expect(200);
}

#[tokio::test]
async fn a_refused_role_is_in_the_audit_log() {
    let world = World::new().await;
    let admin = signed_in(&world, "adm@example.com", "ADMIN").await;
    let owner = signed_in(&world, "ann@example.com", "OWNER").await;
    let key = admin.key(&world, "live").await;
    let path = format!("{MEMBERS}/{}", owner.member);
    for (call, action) in [
        (create("eve@example.com", "OWNER"), "create"),
        (Call::patch(&path).json(&json!({"role": "VIEWER"})), "update"),
        (Call::delete(&path), "delete"),
        (Call::post(format!("{path}/sign-in-link")), "createSignInLink"),
    ] {
        world.send(call.key(&key)).await.expect(403);
        let log = format!("/v1/organization/audit-log?outcome=DENIED&action=organization.members.{action}");
        let entries = world.admin(Call::get(log)).await.expect(200);
        assert_eq!(entries["data"][0]["actor"]["id"], json!(admin.member), "{entries}");
    }
    let log = "/v1/organization/audit-log?action=operator.createSignInLink";
    let entries = world.admin(Call::get(log)).await.expect(200);
    let by_member = world.admin(Call::get("/v1/organization/audit-log?actor=MEMBER")).await.expect(200);
    assert!(by_member["data"].as_array().unwrap().iter().any(|entry| entry["actor"]["email"] == "adm@example.com"));
    let role = |entry: &Value| entry["changes"].as_array().unwrap().iter().any(|change| change["to"] == "OWNER");
    assert!(entries["data"].as_array().unwrap().iter().any(role), "{entries}");
}

#[tokio::test]
async fn nobody_invites_people_with_more_rights() {
    let world = World::new().await;
    let scopes = json!({"name": "Invites", "scopes": ["members:write", "apps:read"]});
    let key = world.admin(Call::post("/v1/organization/admin-keys").json(&scopes)).await.expect(201);
    for role in ["ADMIN", "DEVELOPER", "SUPPORT", "VIEWER"] {
        world.send(create("eve@example.com", role).key(&text(&key, "key"))).await.refused(403, Some("role"), None);
    }
    // A developer's keys can make keys in test mode.
    let reads = ["settings", "members", "keys", "apps", "webhooks", "numbers", "accounts", "templates", "groups"];
    let more = ["messages", "media", "events", "usage", "audit", "playground"];
    let mut scopes: Vec<_> = reads.iter().chain(&more).map(|subject| format!("{subject}:read")).collect();
    let writes = ["members", "apps", "webhooks", "templates", "media", "playground", "messages"];
    scopes.extend(writes.iter().map(|subject| format!("{subject}:write")));
    for (is_enough, status) in [(false, 403), (true, 201)] {
        scopes.extend(is_enough.then(|| "keys:write".to_owned()));
        let body = json!({"name": "Invites developers", "scopes": scopes});
        let key = world.admin(Call::post("/v1/organization/admin-keys").json(&body)).await.expect(201);
        let developer = create("dev@example.com", "DEVELOPER").key(&text(&key, "key"));
        world.send(developer).await.expect(status);
    }
    let networks = json!({"name": "Office", "allowedIps": ["203.0.113.0/24"]});
    let key = world.admin(Call::post("/v1/organization/admin-keys").json(&networks)).await.expect(201);
    let from_office = create("eve@example.com", "VIEWER").key(&text(&key, "key")).from("203.0.113.1");
    world.send(from_office).await.expect(403);
    for role in ["ADMIN", "DEVELOPER", "SUPPORT", "VIEWER"] {
        world.admin(create(&format!("{role}@example.com"), role)).await.expect(201);
    }
}

#[tokio::test]
async fn a_suspension_ends_everything_and_can_end() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "DEVELOPER").await;
    let key = ann.key(&world, "test").await;
    assert!(works(&world, &key).await && works(&world, &ann.session).await);

    let path = format!("{MEMBERS}/{}", ann.member);
    let status = |status: &str| Call::patch(&path).json(&json!({"status": status}));
    let suspended = world.admin(status("SUSPENDED")).await.expect(200);
    assert_eq!(suspended["status"], "SUSPENDED");
    assert!(!works(&world, &key).await && !works(&world, &ann.session).await);
    world.admin(Call::post(format!("{path}/sign-in-link"))).await.refused(409, Some("memberId"), None);
    let again = json!({"operation": "createSignInLink", "organizationId": world.org.id, "email": "ann@example.com"});
    assert!(world.operate(again).await.unwrap_err().contains("suspended"));

    world.admin(status("ACTIVE")).await.expect(200);
    assert_eq!(shown(&world, &ann.member).await["status"], "ACTIVE");
    assert!(!works(&world, &ann.session).await, "what has ended stays so");
    let named = Call::patch(&path).json(&json!({"name": "Ann"}));
    assert_eq!(world.admin(named).await.expect(200)["name"], "Ann");
    let unnamed = world.admin(Call::patch(&path).json(&json!({"name": null}))).await.expect(200);
    assert_eq!(unnamed.get("name"), None);
    for (body, param) in
        [(json!({}), "body"), (json!({"status": "INVITED"}), "status"), (json!({"role": Value::Null}), "role")]
    {
        world.admin(Call::patch(&path).json(&body)).await.refused(400, Some(param), None);
    }
}
