//! Registration of chat phone numbers, the rules that protect a customer's phone, and lists of numbers.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{SIGNUP, fresh_account, number_that_came_later, simulated_profile};
use tests::chat::connect;
use tests::request::text;
use tests::standin::{Misbehave, error, number};
use tests::{Call, Reply, Service as _, World};

const PATH: &str = "/v1/organization/chat/phone-numbers";
const ID: &str = "providerPhoneNumberId";

fn register(account: &str, id: &str, display: &str) -> Call {
    Call::post(PATH).json(
        &json!({"displayPhoneNumber": display, "providerPhoneNumberId": id, "providerBusinessAccountId": account}),
    )
}

fn add_number(world: &World, account: &str, id: &str, display: &str) {
    world.platform.state().accounts.get_mut(account).unwrap().numbers.push(number(id, display));
}

#[tokio::test]
async fn a_number_that_came_later_is_registered_and_assigned() {
    let world = World::new().await;
    connect(&world, &world.org, "201").await;
    add_number(&world, "201", "2019", "+1 (201) 555-0119");
    let body = json!({"displayPhoneNumber": "+12015550119", "providerPhoneNumberId": "2019", "providerBusinessAccountId": "201", "appIds": [world.org.app]});
    world.platform.misbehave("phone_numbers", Misbehave::Status(500, error(1, "unknown").to_string()), 2);
    world.admin(Call::post(PATH).json(&body)).await.refused(502, None, Some("platform_api_error"));
    let made = world.admin(Call::post(PATH).json(&body)).await.expect(201);
    assert_eq!((&made["cloudApiRegistered"], &made["apps"][0]["appId"]), (&json!(true), &json!(world.org.app)));
    assert_eq!(made["businessProfile"]["businessName"], "Business 201");
    assert_eq!((&made["throughputTier"], &made["isTestNumber"]), (&json!("STANDARD"), &json!(false)));
    assert_eq!(world.admin(Call::get(format!("{PATH}/{}", text(&made, "id")))).await.expect(200), made);
    world.admin(Call::post(PATH).json(&body)).await.refused(
        409,
        Some("providerPhoneNumberId"),
        Some("resource_already_exists"),
    );
    let refused = [
        (register("201", "2019", "+12015550118"), 400, "displayPhoneNumber"),
        (register("201", "777", "+12015550119"), 400, "displayPhoneNumber"),
        (register("999", "2019", "+12015550119"), 404, "providerBusinessAccountId"),
        (register("x", "2019", "+12015550119"), 400, "providerBusinessAccountId"),
        (
            Call::post(PATH).json(
                &json!({"displayPhoneNumber": "1", "providerPhoneNumberId": "1", "providerBusinessAccountId": "1"}),
            ),
            400,
            "displayPhoneNumber",
        ),
        (Call::post(PATH).json(&json!({"displayPhoneNumber": "+12015550119"})), 400, "providerPhoneNumberId"),
    ];
    for (call, status, param) in refused {
        let reply: Reply = world.admin(call).await;
        let body = reply.expect(status);
        assert_eq!(body["error"]["param"], param);
    }
    add_number(&world, "201", "2018", "+12015550118");
    let digits = register("201", "2018", "+12015550117");
    world.admin(digits).await.refused(400, Some("displayPhoneNumber"), None);
    let unknown_app = json!({"displayPhoneNumber": "+12015550118", "providerPhoneNumberId": "2018", "providerBusinessAccountId": "201",
        "appIds": ["app_0ujtsYcgvSTl8PAuAdqWYSMnLOv"]});
    world.admin(Call::post(PATH).json(&unknown_app)).await.refused(404, Some("appIds[0]"), None);
    let test_app = json!({"displayPhoneNumber": "+12015550118", "providerPhoneNumberId": "2018", "providerBusinessAccountId": "201",
        "appIds": [world.org.test_app]});
    world.admin(Call::post(PATH).json(&test_app)).await.refused(400, Some("appIds[0]"), None);
    // A test key sees no live account, and another organization sees neither.
    world.send(register("201", "2018", "+12015550118").key(&world.org.test_admin)).await.refused(
        404,
        Some("providerBusinessAccountId"),
        None,
    );
    let other = world.organization("Other").await;
    world.send(register("201", "2018", "+12015550118").key(&other.admin)).await.refused(
        404,
        Some("providerBusinessAccountId"),
        None,
    );
}

/// Five attempts are allowed in 72 hours; those that the platform rejects count, too. After them, requests are rejected
/// without an attempt.
#[tokio::test]
async fn registration_stops_before_the_platform_blocks_the_number() {
    let world = World::new().await;
    connect(&world, &world.org, "202").await;
    add_number(&world, "202", "2029", "+12015550129");
    let refusal = || Misbehave::Status(400, error(133_005, "Two-step PIN mismatch").to_string());
    world.platform.misbehave("2029/register", refusal(), 5);
    let made = world.admin(register("202", "2029", "+12015550129")).await.expect(201);
    assert_eq!(made["cloudApiRegistered"], false);
    for _ in 0..4 {
        let again = world.admin(register("202", "2029", "+12015550129")).await;
        let body = again.refused(422, None, Some("platform_api_error"));
        assert_eq!(body["error"]["provider"]["code"], 133_005);
    }
    assert_eq!(world.platform.seen("2029/register").len(), 5);
    world.admin(register("202", "2029", "+12015550129")).await.refused(409, Some("providerPhoneNumberId"), None);
    assert_eq!(world.platform.seen("2029/register").len(), 5, "the sixth is never made");
    world.clock.advance(Duration::from_secs(72 * 3600 + 1));
    let registered = world.admin(register("202", "2029", "+12015550129")).await.expect(200);
    assert_eq!(registered["cloudApiRegistered"], true);
    // All attempts use the same PIN.
    let pins: std::collections::BTreeSet<String> =
        world.platform.seen("2029/register").iter().map(|seen| text(&seen.json(), "pin")).collect();
    assert_eq!(pins.len(), 1);
}

#[tokio::test]
async fn a_number_on_somebodys_phone_or_unverified_is_never_registered() {
    let world = World::new().await;
    connect(&world, &world.org, "203").await;
    for (id, field, value) in
        [("2038", "is_on_biz_app", json!(true)), ("2039", "code_verification_status", json!("NOT_VERIFIED"))]
    {
        let display = format!("+1201556{id}");
        add_number(&world, "203", id, &display);
        world.platform.state().accounts.get_mut("203").unwrap().numbers.last_mut().unwrap()[field] = value;
        let made = world.admin(register("203", id, &display)).await.expect(201);
        assert_eq!(made["cloudApiRegistered"], false);
        world.admin(register("203", id, &display)).await.refused(409, Some("providerPhoneNumberId"), None);
        assert!(world.platform.seen(&format!("{id}/register")).is_empty());
    }
}

#[tokio::test]
async fn lists_are_filtered_by_profile() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "204").await;
    let other = simulated_profile(&world, &fresh_account(), false).await;
    let all = world.admin(Call::get(PATH)).await.expect(200);
    assert_eq!(all["data"].as_array().unwrap().len(), 4);
    let of = |profile: &str, more: &str| Call::get(format!("{PATH}?chatBusinessProfileId={profile}{more}"));
    let own = world.admin(of(&line.profile, "")).await.expect(200);
    assert_eq!((own["data"].as_array().unwrap().len(), &own["data"][0]["id"]), (1, &json!(line.number)));
    let page = world.admin(of(&text(&other, "id"), "&limit=1")).await.expect(200);
    let cursor = text(&page, "nextCursor");
    let rest = world.admin(of(&text(&other, "id"), &format!("&cursor={cursor}"))).await.expect(200);
    assert_eq!((rest["data"].as_array().unwrap().len(), &rest["nextCursor"]), (1, &Value::Null));
    let ids = |numbers: [&Value; 2]| numbers.map(|number| text(number, "id")).into_iter().collect::<BTreeSet<_>>();
    let numbers = &other["phoneNumbers"];
    assert_eq!(ids([&page["data"][0], &rest["data"][0]]), ids([&numbers[0], &numbers[1]]));
    for number in [&page["data"][0], &rest["data"][0]] {
        assert_eq!(number["businessProfile"]["id"], other["id"]);
    }
    world.admin(of(&line.profile, &format!("&cursor={cursor}"))).await.refused(400, Some("cursor"), None);
    world.admin(of("wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "")).await.refused(404, Some("chatBusinessProfileId"), None);
    world.admin(of("nope", "")).await.refused(400, Some("chatBusinessProfileId"), None);
    world.send(of(&line.profile, "").key(&world.org.test_admin)).await.refused(
        404,
        Some("chatBusinessProfileId"),
        None,
    );
    let test_only = world.send(Call::get(PATH).key(&world.org.test_admin)).await.expect(200);
    let test_only = test_only["data"].as_array().unwrap();
    assert!(test_only.len() == 3 && test_only.iter().all(|number| number["isTestNumber"] == true), "{test_only:?}");
}

/// In test mode a third number appears with the first template sync.
#[tokio::test]
async fn simulated_numbers_can_be_registered_later() {
    let world = World::new().await;
    let (account, display) = number_that_came_later(&world).await;
    let id = format!("{account}03");
    let made = world.admin(register(&account, &id, &display)).await.expect(201);
    assert_eq!((&made["cloudApiRegistered"], &made["isTestNumber"]), (&json!(true), &json!(true)));
    world.admin(register(&account, &id, &display)).await.refused(409, Some(ID), Some("resource_already_exists"));
    assert!(world.platform.state().seen.is_empty());
    // A code that requests an error gets the error.
    let refused = world.admin(Call::post(SIGNUP).json(&json!({"code": "x-368", "test": true}))).await;
    let body = refused.refused(422, Some("code"), Some("account_restricted"));
    assert_eq!(body["error"]["provider"]["code"], 368);
    let playground = json!({"code": "x", "wabaId": "1000", "test": true});
    world.admin(Call::post(SIGNUP).json(&playground)).await.refused(400, Some("wabaId"), None);
}

/// Numbers of a coexistence account stay with the business app and are never registered.
#[tokio::test]
async fn a_coexistence_account_registers_nothing_ever() {
    let world = World::new().await;
    world.platform.account("205", &[("2051", "+12015550151")]);
    let signup = json!({"code": "code.205", "isCoexistence": true});
    world.admin(Call::post(SIGNUP).json(&signup)).await.expect(201);
    world.admin(register("205", "2051", "+12015550151")).await.refused(409, Some(ID), None);
    add_number(&world, "205", "2059", "+12015550159");
    assert_eq!(world.admin(register("205", "2059", "+12015550159")).await.expect(201)["cloudApiRegistered"], false);
    // Nor is a number taken from another system of the platform.
    connect(&world, &world.org, "206").await;
    add_number(&world, "206", "2069", "+12015550169");
    {
        let mut state = world.platform.state();
        let number = state.accounts.get_mut("206").unwrap().numbers.last_mut().unwrap();
        number["status"] = json!("CONNECTED");
        number["platform_type"] = json!("ON_PREMISE");
    }
    assert_eq!(world.admin(register("206", "2069", "+12015550169")).await.expect(201)["cloudApiRegistered"], false);
    world.admin(register("206", "2069", "+12015550169")).await.refused(409, Some(ID), None);
    assert!(world.platform.state().registered.keys().all(|number| number == "2061"));
}

/// A number that is no longer registered at the platform can be registered again, and be assigned to more apps at once.
#[tokio::test]
async fn a_number_that_was_disconnected_is_registered_again() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "207").await;
    world.admin(register("207", "2071", &format!("+{}", line.display))).await.refused(
        409,
        Some(ID),
        Some("resource_already_exists"),
    );
    world.platform.state().accounts.get_mut("207").unwrap().numbers[0]["status"] = json!("DISCONNECTED");
    let (other, _) = world.app(&world.org.admin, &json!({"name": "Other"})).await;
    let body = json!({"displayPhoneNumber": format!("+{}", line.display), "providerPhoneNumberId": "2071",
        "providerBusinessAccountId": "207", "appIds": [world.org.app, other]});
    let again = world.admin(Call::post(PATH).json(&body)).await.expect(200);
    assert_eq!(again["cloudApiRegistered"], true);
    assert_eq!(again["apps"].as_array().unwrap().len(), 2);
}

/// A registration that moves the number and also assigns it to another app.
#[tokio::test]
async fn a_number_that_moved_is_registered_with_its_new_account() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "218").await;
    world.platform.account("219", &[]);
    let profile = world.admin(Call::post(SIGNUP).json(&json!({"code": "code.219"}))).await.expect(201);
    let moved = world.platform.state().accounts.get_mut("218").unwrap().numbers.remove(0);
    world.platform.state().accounts.get_mut("219").unwrap().numbers.push(moved);
    let (other, _) = world.app(&world.org.admin, &json!({"name": "Other"})).await;
    let body = json!({"displayPhoneNumber": format!("+{}", line.display), "providerPhoneNumberId": line.platform_number,
        "providerBusinessAccountId": "219", "appIds": [other]});
    world.platform.state().accounts.get_mut("219").unwrap().numbers[0]["status"] = json!("DISCONNECTED");
    let number = world.admin(Call::post(PATH).json(&body)).await.expect(200);
    assert_eq!((&number["id"], &number["businessProfile"]["id"]), (&json!(line.number), &profile["id"]));
    let apps: BTreeSet<&str> =
        number["apps"].as_array().unwrap().iter().filter_map(|app| app["appId"].as_str()).collect();
    assert_eq!(apps, BTreeSet::from([world.org.app.as_str(), other.as_str()]));
    let shown = world.admin(Call::get(format!("{PATH}/{}", line.number))).await.expect(200);
    assert_eq!(shown["apps"].as_array().unwrap().len(), 2);
}

/// A number that moves to another account of the organization keeps its id and its apps.
#[tokio::test]
async fn a_number_that_moved_to_another_account_is_found_there() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "208").await;
    let moved = world.platform.state().accounts.get_mut("208").unwrap().numbers.remove(0);
    world.platform.account("209", &[]);
    world.platform.state().accounts.get_mut("209").unwrap().numbers.push(moved);
    let profile = world.admin(Call::post(SIGNUP).json(&json!({"code": "code.209"}))).await.expect(201);
    assert_eq!(profile["phoneNumbers"][0]["id"], line.number.as_str());
    let number = world.admin(Call::get(format!("{PATH}/{}", line.number))).await.expect(200);
    assert_eq!(
        (&number["businessProfile"]["id"], &number["providerBusinessAccountId"]),
        (&profile["id"], &json!("209"))
    );
    assert_eq!(number["apps"][0]["appId"], world.org.app.as_str());
    let left = world.admin(Call::get(format!("{PATH}?chatBusinessProfileId={}", line.profile))).await.expect(200);
    assert_eq!(left["data"], json!([]));
    let told = tests::chat::Line { account: "209".to_owned(), profile: text(&profile, "id"), ..line };
    let message = json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}});
    assert_eq!(world.notify(&told.message(&message)).await.expect(200)["accepted"], 1);
    assert_eq!(told.messages(&world).await.len(), 1);
}
