//! Disconnecting an account, and connecting it again.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{PROFILES, SIGNUP, fresh_account, simulated_profile};
use tests::chat::{Line, connect, events};
use tests::faults::Fault;
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::world::Organization;
use tests::{Call, Service as _, World};

fn disconnect(profile: &str) -> Call {
    Call::delete(format!("{PROFILES}/{profile}"))
}

fn signup(code: &str, account: &str) -> Call {
    Call::post(SIGNUP).json(&json!({"code": code, "wabaId": account}))
}

/// Lets the next exchange of a code return the token of this account.
fn grant(world: &World, account: &str) {
    let token = json!({"access_token": format!("token-{account}")}).to_string();
    world.platform.misbehave("oauth", Misbehave::Status(200, token), 1);
}

async fn profile(world: &World, org: &Organization, id: &str) -> Value {
    world.send(Call::get(format!("{PROFILES}/{id}")).key(&org.admin)).await.expect(200)
}

/// The names of the kept tokens.
async fn secrets(world: &World) -> Vec<String> {
    let listed = world.account.secrets.list_secrets().send().await.unwrap();
    let names = listed.secret_list().iter().filter_map(|secret| secret.name().map(str::to_owned));
    names.filter(|name| name.starts_with("profiles/")).collect()
}

/// The claims on live accounts and numbers, each with its organization.
async fn claims(world: &World) -> Vec<(String, String)> {
    let items = world.account.items().await.into_iter();
    let claims =
        items.filter(|item| item["SK"] == "REF" && (item["PK"].starts_with("WABA#") || item["PK"].starts_with("PPN#")));
    let mut claims: Vec<_> = claims.map(|item| (item["PK"].clone(), item["organizationId"].clone())).collect();
    claims.sort();
    claims
}

fn send(line: &Line) -> Call {
    let body = json!({"from": line.number, "to": "+16505551234", "type": "text", "text": {"body": "Hello"}});
    Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)
}

fn hello(line: &Line, id: &str) -> Value {
    line.message(&json!({"id": id, "type": "text", "text": {"body": "Hello"}}))
}

#[tokio::test]
async fn a_disconnected_account_is_unsubscribed_and_its_token_deleted() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7201").await;
    world.notify(&hello(&line, "wamid.1")).await.expect(200);
    assert_eq!((claims(&world).await.len(), secrets(&world).await.len()), (2, 1));
    let shown = world.admin(disconnect(&line.profile)).await.expect(200);
    assert_eq!((&shown["id"], &shown["disconnectedAt"]), (&json!(line.profile), &json!(world.now().to_string())));
    assert_eq!(profile(&world, &world.org, &line.profile).await, shown);
    let calls = world.platform.seen("7201/subscribed_apps");
    let ended = calls.last().unwrap();
    assert_eq!((calls.len(), ended.method.as_str(), ended.body.len()), (2, "DELETE", 0));
    assert_eq!(
        (ended.path.as_str(), ended.headers["authorization"].as_str()),
        ("/7201/subscribed_apps", "Bearer token-7201")
    );
    assert!(claims(&world).await.is_empty() && secrets(&world).await.is_empty());
    let told = events(&world, &world.org, "chat.account.disconnected").await;
    assert_eq!(told, std::slice::from_ref(&shown));
    // Messages stay readable, for the organization and for the app.
    assert_eq!(line.messages(&world).await.len(), 1);
    let own = Call::get(format!("/v1/chat/messages?chatPhoneNumberId={}", line.number)).key(&line.org.app_key);
    assert_eq!(world.send(own).await.expect(200)["data"].as_array().unwrap().len(), 1);
    // Repeating the request changes nothing.
    assert_eq!(world.admin(disconnect(&line.profile)).await.expect(200), shown);
    assert_eq!(world.platform.seen("7201/subscribed_apps").len(), 2);
    assert_eq!(events(&world, &world.org, "chat.account.disconnected").await.len(), 1);
}

#[tokio::test]
async fn nothing_is_done_through_a_disconnected_account() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7202").await;
    world.send(send(&line)).await.expect(201);
    world.notify(&hello(&line, "wamid.1")).await.expect(200);
    world.admin(disconnect(&line.profile)).await.expect(200);
    let calls = world.platform.state().seen.len();
    let key = &line.org.app_key;
    let refused = world.send(send(&line)).await.refused(404, None, Some("chat_not_configured"));
    assert!(refused["error"]["message"].as_str().unwrap().contains("Connect it again"), "{refused}");
    let blocked = Call::get(format!("/v1/chat/phone-numbers/{}/blocked-users", line.number)).key(key);
    world.send(blocked).await.refused(404, None, Some("chat_not_configured"));
    let group =
        Call::post("/v1/chat/groups").key(key).json(&json!({"chatPhoneNumberId": line.number, "subject": "Friends"}));
    world.send(group).await.refused(404, None, Some("chat_not_configured"));
    let shown = Call::get(format!("/v1/organization/chat/phone-numbers/{}/business-profile", line.number));
    world.admin(shown).await.refused(404, None, Some("chat_not_configured"));
    let sync = Call::post("/v1/organization/chat/templates/sync").json(&json!({"chatBusinessProfileId": line.profile}));
    world.admin(sync).await.refused(404, None, Some("chat_not_configured"));
    let register = json!({"displayPhoneNumber": format!("+{}", line.display), "providerPhoneNumberId": line.platform_number,
        "providerBusinessAccountId": line.account});
    let register = Call::post("/v1/organization/chat/phone-numbers").json(&register);
    world.admin(register).await.refused(404, Some("providerBusinessAccountId"), None);
    assert_eq!(world.platform.state().seen.len(), calls);
    // What the platform still reports is acknowledged, and changes nothing.
    let before = world.account.items().await.len();
    world.notify(&hello(&line, "wamid.2")).await.expect(200);
    let reconnected = json!({"event": "ACCOUNT_RECONNECTED"});
    let reconnected = tests::chat::notification("7202", 2_000_000_000, "account_update", &reconnected);
    world.notify(&reconnected).await.expect(200);
    assert_eq!(world.account.items().await.len(), before);
    assert!(profile(&world, &world.org, &line.profile).await["disconnectedAt"].is_string());
}

#[tokio::test]
async fn another_organization_connects_a_released_account_and_sees_nothing_of_the_old_one() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7203").await;
    world.notify(&hello(&line, "wamid.1")).await.expect(200);
    let sent = text(&world.send(send(&line)).await.expect(201), "id");
    world.admin(disconnect(&line.profile)).await.expect(200);
    let released_at = world.now().seconds();
    world.clock.advance(Duration::from_secs(10));
    let other = world.organization("Other").await;
    grant(&world, "7203");
    let theirs = world.send(signup("other", "7203").key(&other.admin)).await.expect(201);
    assert_ne!(theirs["id"], line.profile);
    let number = text(&theirs["phoneNumbers"][0], "id");
    assert_ne!(number, line.number);
    assert!(claims(&world).await.iter().all(|(_, organization)| *organization == other.id));
    let list = Call::get(format!("/v1/organization/chat/messages?chatPhoneNumberId={number}")).key(&other.admin);
    let count = async || world.send(list.clone()).await.expect(200)["data"].as_array().unwrap().len();
    assert_eq!(count().await, 0);
    for foreign in [&line.profile, &line.number] {
        let kind = if foreign.starts_with("wabp_") { "business-profiles" } else { "phone-numbers" };
        let path = format!("/v1/organization/chat/{kind}/{foreign}");
        assert_eq!(world.send(Call::get(path).key(&other.admin)).await.status, 404);
    }
    // A notification from before the release, which the platform repeats, and a late status are not theirs.
    let mut late = hello(&line, "wamid.late");
    late["entry"][0]["time"] = json!(released_at - 1);
    world.notify(&late).await.expect(200);
    let data = format!("{}:{sent}", world.org.id);
    let status = json!({"id": "wamid.sent.1", "status": "delivered", "timestamp": "2000000000", "recipient_id": "16505551234",
        "biz_opaque_callback_data": data});
    world.notify(&line.status(&status)).await.expect(200);
    assert_eq!(count().await, 0);
    assert!(events(&world, &other, "messages.chat.received").await.is_empty());
    world.notify(&hello(&line, "wamid.new")).await.expect(200);
    assert_eq!(count().await, 1);
    // The first organization keeps what it had, and cannot take the account back while the other one has it.
    assert_eq!(line.messages(&world).await.len(), 2);
    grant(&world, "7203");
    world.admin(signup("back", "7203")).await.refused(409, Some("wabaId"), Some("resource_already_exists"));
    world.send(disconnect(&text(&theirs, "id")).key(&other.admin)).await.expect(200);
    grant(&world, "7203");
    let back = world.admin(signup("back again", "7203")).await.expect(200);
    assert_eq!((&back["id"], &back["phoneNumbers"][0]["id"]), (&json!(line.profile), &json!(line.number)));
}

#[tokio::test]
async fn an_account_that_is_connected_again_continues_with_its_profile_and_numbers() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7204").await;
    world.send(send(&line)).await.expect(201);
    world.admin(disconnect(&line.profile)).await.expect(200);
    // The code of the first signup is spent.
    world.admin(Call::post(SIGNUP).json(&json!({"code": "code.7204"}))).await.refused(422, Some("code"), None);
    grant(&world, "7204");
    let again = world.admin(signup("again", "7204")).await.expect(200);
    assert_eq!((&again["id"], again.get("disconnectedAt")), (&json!(line.profile), None));
    assert_eq!(again["phoneNumbers"].as_array().unwrap().len(), 1);
    assert_eq!(again["phoneNumbers"][0]["id"], line.number);
    assert_eq!((claims(&world).await.len(), secrets(&world).await), (2, vec![format!("profiles/{}", line.profile)]));
    // The number is still the app's, and has its messages.
    world.send(send(&line)).await.expect(201);
    assert_eq!(line.messages(&world).await.len(), 2);
    world.notify(&hello(&line, "wamid.1")).await.expect(200);
    assert_eq!(line.messages(&world).await.len(), 3);
    // The same with a token, twice: the first request's record does not stand for the second.
    for _ in 0..2 {
        world.admin(disconnect(&line.profile)).await.expect(200);
        let token = Call::post(PROFILES).json(&json!({"accessToken": "token-7204", "wabaId": "7204"}));
        assert_eq!(world.admin(token).await.expect(200)["id"], line.profile);
        world.send(send(&line)).await.expect(201);
    }
    let [connected, disconnected] = ["chat.account.connected", "chat.account.disconnected"];
    assert_eq!(events(&world, &world.org, connected).await.len(), 4);
    assert_eq!(events(&world, &world.org, disconnected).await.len(), 3);
}

/// The process stops after each of its AWS calls in turn. Meanwhile no other organization can connect the account; the same
/// request, or the sweep and its job, completes the disconnection.
#[tokio::test]
async fn a_stop_after_any_step_is_made_good_by_the_same_request_or_a_job() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let mut stops = 0;
    for step in 0.. {
        let account = format!("73{step:03}");
        let line = connect(&world, &world.org, &account).await;
        world.faults.set(Fault::StoppedAfter(step));
        let stopped = tokio::select! {
            reply = world.admin(disconnect(&line.profile)) => Some(reply),
            () = world.faults.struck() => None,
        };
        world.faults.clear();
        let is_whole = stopped.is_some();
        if let Some(reply) = stopped {
            reply.expect(200);
        } else {
            stops += 1;
            let began = !events_of(&world, &line).await.is_empty();
            let is_released = claims(&world).await.iter().all(|(key, _)| !key.starts_with(&format!("WABA#{account}")));
            // Stay within the hourly limit of attempts to connect, and wait for the lease of the stopped request.
            world.clock.advance(Duration::from_secs(3601));
            if !is_released {
                grant(&world, &account);
                let taken = world.send(signup(&format!("taken.{account}"), &account).key(&other.admin)).await;
                taken.refused(409, Some("wabaId"), Some("resource_already_exists"));
            }
            if began && step % 2 == 0 {
                world.sweep().await;
                world.work_off().await;
            } else {
                world.admin(disconnect(&line.profile)).await.expect(200);
            }
        }
        assert!(claims(&world).await.iter().all(|(_, organization)| *organization == other.id), "step {step}");
        assert!(!secrets(&world).await.contains(&format!("profiles/{}", line.profile)), "step {step}");
        assert_eq!(events_of(&world, &line).await.len(), 1, "step {step}");
        let ended = world.platform.seen(&format!("{account}/subscribed_apps"));
        assert!(ended.iter().any(|seen| seen.method == "DELETE"), "step {step}");
        assert!(world.account.items().await.iter().all(|item| item["SK"] != "DISC"), "step {step}");
        assert!(profile(&world, &world.org, &line.profile).await["disconnectedAt"].is_string());
        world.clock.advance(Duration::from_secs(601));
        grant(&world, &account);
        let theirs = world.send(signup(&format!("theirs.{account}"), &account).key(&other.admin)).await.expect(201);
        assert_eq!(theirs["phoneNumbers"].as_array().unwrap().len(), 1, "step {step}");
        if is_whole {
            break;
        }
    }
    assert!(stops > 8, "{stops} steps");
}

async fn events_of(world: &World, line: &Line) -> Vec<Value> {
    let mut told = events(world, &line.org, "chat.account.disconnected").await;
    told.retain(|data| data["id"] == line.profile);
    told
}

/// The same for connecting an account again: it never has two owners, and always one token.
#[tokio::test]
async fn a_stop_after_any_step_of_connecting_again_is_made_good() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7205").await;
    for step in 0.. {
        world.clock.advance(Duration::from_secs(601));
        world.admin(disconnect(&line.profile)).await.expect(200);
        let again = || Call::post(PROFILES).json(&json!({"accessToken": "token-7205", "wabaId": "7205"}));
        world.faults.set(Fault::StoppedAfter(step));
        let stopped = tokio::select! {
            reply = world.admin(again()) => Some(reply),
            () = world.faults.struck() => None,
        };
        world.faults.clear();
        world.clock.advance(Duration::from_secs(601));
        let is_whole = stopped.is_some();
        let reply = match stopped {
            Some(reply) => reply,
            None => world.admin(again()).await,
        };
        let again = reply.expect(200);
        assert_eq!(
            (&again["id"], &again["phoneNumbers"][0]["id"]),
            (&json!(line.profile), &json!(line.number)),
            "step {step}"
        );
        assert_eq!(again["phoneNumbers"].as_array().unwrap().len(), 1, "step {step}");
        assert_eq!((claims(&world).await.len(), secrets(&world).await.len()), (2, 1), "step {step}");
        world.send(send(&line)).await.expect(201);
        if is_whole {
            break;
        }
    }
}

/// A platform that fails stops the disconnection before anything is released; one that no longer accepts the token does not.
#[tokio::test]
async fn a_failing_platform_is_waited_for_and_a_dead_token_is_not() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7206").await;
    for (fault, status) in [(error(2, "temporary"), 503), (error(1, "unknown"), 502), (error(80_007, "too many"), 429)]
    {
        world.platform.misbehave("7206/subscribed_apps", Misbehave::Status(500, fault.to_string()), 1);
        let failed = world.admin(disconnect(&line.profile)).await;
        assert_eq!(failed.status, status, "{failed:?}");
        assert_eq!((claims(&world).await.len(), secrets(&world).await.len()), (2, 1));
        world.send(send(&line)).await.refused(404, None, Some("chat_not_configured"));
    }
    // The account cannot be connected meanwhile, and the request says so.
    grant(&world, "7206");
    let early = world.admin(signup("early", "7206")).await;
    assert_eq!(early.header("retry-after"), Some("30"));
    early.refused(409, Some("wabaId"), None);
    world.clock.advance(Duration::from_secs(6 * 60));
    world.sweep().await;
    world.work_off().await;
    assert!(claims(&world).await.is_empty());
    let early = world.admin(signup("early", "7206")).await.expect(200);
    assert_eq!(early["id"], line.profile);
    let dead = error(190, "The token was revoked").to_string();
    world.platform.misbehave("7206/subscribed_apps", Misbehave::Status(401, dead), 1);
    world.admin(disconnect(&line.profile)).await.expect(200);
    assert!(claims(&world).await.is_empty());
}

/// A run that is late must not undo what came after it.
#[tokio::test]
async fn two_disconnections_at_once_wait_for_each_other() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7207").await;
    let held = world.platform.hold("7207/subscribed_apps");
    let (first, second) = tokio::join!(world.admin(disconnect(&line.profile)), async {
        held.arrived().await;
        let second = world.admin(disconnect(&line.profile)).await;
        held.end();
        second
    });
    first.expect(200);
    assert!(second.header("retry-after").is_some());
    second.refused(409, None, None);
    assert_eq!(world.platform.seen("7207/subscribed_apps").len(), 2);
}

/// The platform reports a disconnection first, which has its event then; the caller's releases the account.
#[tokio::test]
async fn an_account_that_the_platform_has_disconnected_can_be_released() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7208").await;
    let removed = json!({"event": "PARTNER_REMOVED", "waba_info": {"waba_id": "7208"}});
    world.notify(&tests::chat::notification("7208", 2_000_000_000, "account_update", &removed)).await.expect(200);
    let before = profile(&world, &world.org, &line.profile).await;
    assert_eq!(before["disconnectedAt"], "2033-05-18T03:33:20.000Z");
    assert_eq!(world.admin(disconnect(&line.profile)).await.expect(200), before);
    assert!(claims(&world).await.is_empty());
    assert_eq!(events_of(&world, &line).await.len(), 1);
}

#[tokio::test]
async fn a_profile_is_disconnected_by_its_organization_only() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7209").await;
    let stranger = world.organization("Stranger").await;
    for key in [&stranger.admin, &world.org.test_admin] {
        world.send(disconnect(&line.profile).key(key)).await.refused(404, Some("profileId"), None);
    }
    assert_eq!(claims(&world).await.len(), 2);
    let listed = world.admin(Call::get(PROFILES)).await.expect(200);
    let playground = listed["data"].as_array().unwrap().iter().find(|profile| profile["providerWabaId"] == "1000");
    world.admin(disconnect(&text(playground.unwrap(), "id"))).await.refused(409, Some("profileId"), None);
}

#[tokio::test]
async fn many_numbers_are_released_together() {
    let world = World::new().await;
    let numbers: Vec<(String, String)> =
        (0..65).map(|number| (format!("7210{number:02}"), format!("+12015578{number:03}"))).collect();
    let numbers: Vec<(&str, &str)> = numbers.iter().map(|(id, display)| (id.as_str(), display.as_str())).collect();
    world.platform.account("7210", &numbers);
    let body = json!({"code": "code.7210", "isCoexistence": true});
    let profile = world.admin(Call::post(SIGNUP).json(&body)).await.expect(201);
    assert_eq!(claims(&world).await.len(), 66);
    let shown = world.admin(disconnect(&text(&profile, "id"))).await.expect(200);
    assert_eq!(shown["phoneNumbers"].as_array().unwrap().len(), 65);
    assert!(claims(&world).await.is_empty());
}

/// The whole life of a simulated account, without a call of the platform.
#[tokio::test]
async fn a_simulated_account_is_disconnected_and_connected_again() {
    let world = World::new().await;
    let account = fresh_account();
    let connected = simulated_profile(&world, &account, false).await;
    let (id, number) = (text(&connected, "id"), tests::catalogue::verified_number(&connected));
    let (number, display) = (text(number, "id"), text(number, "displayPhoneNumber"));
    let assign = format!("/v1/organization/apps/{}/phone-numbers/{number}", world.org.test_app);
    world.admin(Call::put(assign)).await.expect(200);
    let shown = world.admin(disconnect(&id)).await.expect(200);
    assert!(shown["disconnectedAt"].is_string() && shown["isTestProfile"] == true);
    let key = &world.org.test_app_key;
    let message = json!({"from": number, "to": "+12015550100", "type": "text", "text": {"body": "Hello"}});
    let send = || Call::post("/v1/chat/messages").key(key).json(&message);
    world.send(send()).await.refused(404, None, Some("chat_not_configured"));
    let blocked = || Call::get(format!("/v1/chat/phone-numbers/{number}/blocked-users")).key(key);
    world.send(blocked()).await.refused(404, None, Some("chat_not_configured"));
    let user = world.send(Call::post("/v1/playground/chat/phone-numbers/user").key(key)).await.expect(201);
    let inbound = json!({"from": user["number"], "to": display, "type": "text", "text": {"body": "Hello"}});
    let inbound = || Call::post("/v1/playground/chat/inbound").key(key).json(&inbound);
    world.send(inbound()).await.refused(404, Some("to"), Some("chat_not_configured"));
    let scenario = json!({"scenario": "account_reconnected", "target": id});
    let scenario = Call::post("/v1/playground/simulations").key(key).json(&scenario);
    assert_eq!(world.send(scenario).await.status, 404);
    assert_eq!(events(&world, &world.org, "chat.account.disconnected").await, [shown]);
    let again = simulated_profile_again(&world, &account).await;
    assert_eq!(again["id"], id);
    world.send(send()).await.expect(201);
    world.send(blocked()).await.expect(200);
    world.send(inbound()).await.expect(201);
    assert!(world.platform.state().seen.is_empty());
}

/// The job also completes disconnections of simulated accounts.
#[tokio::test]
async fn a_stopped_disconnection_of_a_simulated_account_is_completed_by_a_job() {
    let world = World::new().await;
    let mut completed = 0;
    for step in (0..).step_by(2) {
        let connected = simulated_profile(&world, &fresh_account(), false).await;
        let id = text(&connected, "id");
        world.faults.set(Fault::StoppedAfter(step));
        let was_stopped = tokio::select! {
            _ = world.admin(disconnect(&id)) => false,
            () = world.faults.struck() => true,
        };
        world.faults.clear();
        if !was_stopped {
            break;
        }
        // Beyond the lease of the stopped request, and the hourly limit of signups.
        world.clock.advance(Duration::from_secs(3601));
        let has_begun = world.account.items().await.iter().any(|item| item["SK"] == "DISC");
        world.sweep().await;
        world.work_off().await;
        assert!(world.account.items().await.iter().all(|item| item["SK"] != "DISC"), "step {step}");
        let is_disconnected = profile(&world, &world.org, &id).await["disconnectedAt"].is_string();
        assert!(is_disconnected || !has_begun, "step {step}");
        completed += usize::from(has_begun);
    }
    assert!(completed > 2, "{completed} completed");
}

async fn simulated_profile_again(world: &World, account: &str) -> Value {
    let body = json!({"code": format!("again.{account}"), "wabaId": account, "test": true});
    world.admin(Call::post(SIGNUP).json(&body)).await.expect(200)
}

#[tokio::test]
async fn the_operator_releases_an_account_whoever_has_it() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7211").await;
    let release = |account: &str| world.operate(json!({"operation": "releaseAccount", "wabaId": account}));
    let receipt = release(" 7211 ").await.unwrap();
    let released_at = world.now().to_string();
    let expected = json!({"wabaId": "7211", "status": "RELEASED", "organizationId": world.org.id, "profileId": line.profile,
        "phoneNumbers": 1, "releasedAt": released_at});
    assert_eq!(receipt, expected);
    assert!(claims(&world).await.is_empty() && secrets(&world).await.is_empty());
    assert_eq!(world.platform.seen("7211/subscribed_apps").last().unwrap().method, "DELETE");
    assert_eq!(events_of(&world, &line).await.len(), 1);
    assert_eq!(release("7211").await.unwrap(), json!({"wabaId": "7211", "status": "NOT_CONNECTED"}));
    assert_eq!(release("999").await.unwrap(), json!({"wabaId": "999", "status": "NOT_CONNECTED"}));
    for wrong in ["", "x", "7211#REF", &"1".repeat(33)] {
        assert!(release(wrong).await.unwrap_err().starts_with("wabaId: "), "{wrong}");
    }
    // A simulated account is its organization's own matter.
    let account = fresh_account();
    simulated_profile(&world, &account, false).await;
    assert_eq!(release(&account).await.unwrap()["status"], "NOT_CONNECTED");
    // What a failure interrupts, the same request continues.
    let line = connect(&world, &world.org, "7212").await;
    let fault = error(2, "temporary").to_string();
    world.platform.misbehave("7212/subscribed_apps", Misbehave::Status(500, fault), 1);
    assert!(release("7212").await.unwrap_err().contains("platform"));
    assert_eq!(release("7212").await.unwrap()["profileId"], line.profile);
    assert!(claims(&world).await.is_empty());
}
