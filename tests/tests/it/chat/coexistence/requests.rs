//! What a business shares is requested once per number, after the subscription, and a rejection does not fail the signup.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use crate::chat::{assert_fields, unless_stopped};

/// An account with a number that is used in the business app, and one that is not.
fn account(world: &World, account: &str) {
    let (first, second) = (format!("{account}1"), format!("{account}2"));
    world.platform.account(account, &[(&first, "+1 201-555-0101"), (&second, "12015550102")]);
    world.platform.say(&first, json!({"is_on_biz_app": true, "platform_type": "CLOUD_API", "status": "CONNECTED"}));
}

fn signup(account: &str) -> Call {
    Call::post(SIGNUP).json(&json!({"code": format!("code.{account}"), "isCoexistence": true}))
}

/// The bodies of the requests for what the app of a number shares.
fn requested(world: &World, number: &str) -> Vec<Value> {
    world.platform.seen(&format!("{number}/smb_app_data")).iter().map(|seen| seen.json()).collect()
}

fn sync(kind: &str) -> Value {
    json!({"messaging_product": "whatsapp", "sync_type": kind})
}

/// The business app of the account's first number, as its profile shows it.
fn shown(profile: &Value, account: &str) -> Value {
    first(profile, account)["businessApp"].clone()
}

fn first<'a>(profile: &'a Value, account: &str) -> &'a Value {
    let numbers = profile["phoneNumbers"].as_array().unwrap();
    numbers.iter().find(|number| number["providerPhoneNumberId"] == format!("{account}1")).unwrap()
}

/// The statuses of the contacts and of the history.
fn statuses(app: &Value) -> [&str; 2] {
    ["contacts", "history"].map(|share| app[share]["status"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn contacts_and_history_are_requested_after_the_subscription() {
    let world = World::new().await;
    account(&world, "7501");
    let profile = world.admin(signup("7501")).await.expect(201);
    assert_eq!(requested(&world, "75011"), [sync("smb_app_state_sync"), sync("history")]);
    assert!(requested(&world, "75012").is_empty() && world.platform.seen("/register").is_empty());
    let app = shown(&profile, "7501");
    assert_eq!(statuses(&app), ["REQUESTED", "REQUESTED"]);
    let calls: Vec<String> = world.platform.state().seen.iter().map(|seen| seen.path.clone()).collect();
    let place = |part: &str| calls.iter().position(|path| path.contains(part)).unwrap();
    assert!(place("subscribed_apps") < place("smb_app_data"));

    // The same request again returns the profile, and requests nothing.
    assert_eq!(shown(&world.admin(signup("7501")).await.expect(200), "7501"), app);
    assert_eq!(requested(&world, "75011").len(), 2);
}

#[tokio::test]
async fn a_rejection_is_shown_and_an_outage_is_retried() {
    let world = World::new().await;
    account(&world, "7502");
    let late = error(2_593_108, "Sync window has passed");
    world.platform.misbehave("75021/smb_app_data", Misbehave::Status(400, late.to_string()), 1);
    let before = error(2_593_107, "Requested before");
    let outage = error(2, "temporary");
    world.platform.misbehave("75021/smb_app_data", Misbehave::Status(503, outage.to_string()), 1);
    world.admin(signup("7502")).await.refused(503, None, Some("platform_api_unavailable"));
    world.platform.misbehave("75021/smb_app_data", Misbehave::Status(400, before.to_string()), 1);

    let profile = world.admin(signup("7502")).await.expect(201);
    let app = shown(&profile, "7502");
    assert_eq!(statuses(&app), ["REFUSED", "REQUESTED"]);
    assert_eq!(app["contacts"]["errorCode"], 2_593_108);
    assert_eq!(requested(&world, "75021"), [sync("smb_app_state_sync"), sync("history"), sync("history")]);

    let path = format!("/v1/organization/chat/platform-check?profileId={}", text(&profile, "id"));
    let check = world.admin(Call::get(path)).await.expect(200);
    let all = check["data"].as_array().unwrap();
    let own = all.iter().find(|finding| finding["check"] == "number_history").unwrap();
    assert_fields(own, &json!({"status": "WARNING", "subject": first(&profile, "7502")["id"]}));
    assert!(text(own, "remedy").contains("Connect the account again"));
}

/// A number that the platform does not list as used in the app, and an account without coexistence, request nothing.
#[tokio::test]
async fn other_accounts_request_nothing() {
    let world = World::new().await;
    account(&world, "7503");
    let plain = Call::post(SIGNUP).json(&json!({"code": "code.7503"}));
    let profile = world.admin(plain).await.expect(201);
    assert!(requested(&world, "75031").is_empty() && shown(&profile, "7503").is_null());
}

/// The process stops after each of its AWS calls in turn: the same request completes, and at most one request more than
/// needed reaches the platform, which says that it had one.
#[tokio::test]
async fn a_stop_after_any_step_is_made_good_by_the_same_request() {
    let world = World::new().await;
    let mut stops = 0;
    for step in 0.. {
        let name = format!("76{step:02}");
        account(&world, &name);
        if unless_stopped(&world, step, world.admin(signup(&name))).await.is_some() {
            break;
        }
        stops += 1;
        world.clock.advance(Duration::from_secs(601));
        let resumed = world.admin(signup(&name)).await;
        if resumed.status == 422 {
            // The code was exchanged, but its token was lost.
            continue;
        }
        assert!([200, 201].contains(&resumed.status.as_u16()), "step {step}: {resumed:?}");
        let app = shown(&resumed.json(), &name);
        assert_eq!(statuses(&app), ["REQUESTED", "REQUESTED"], "step {step}");
        assert!((2..=3).contains(&requested(&world, &format!("{name}1")).len()), "step {step}");
    }
    assert!(stops > 10, "{stops} steps");
}
