//! The life of a number: it is verified by a code, registered under a PIN, and deregistered.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{PROFILES, SIGNUP};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::standin::{Misbehave, Seen, error, number};
use tests::{Call, Service as _, World};

use super::profile_secrets;

pub(super) const NUMBERS: &str = "/v1/organization/chat/phone-numbers";
pub(super) const NUMBER: &str = "chatPhoneNumberId";
pub(super) const DAYS: Duration = Duration::from_secs(72 * 3600 + 1);

pub(super) fn post(number: &str, action: &str) -> Call {
    Call::post(format!("{NUMBERS}/{number}/{action}"))
}

pub(super) fn register(number: &str, pin: &str) -> Call {
    post(number, "register").json(&json!({"pin": pin}))
}

pub(super) fn verify(number: &str, code: &str) -> Call {
    post(number, "verify-code").json(&json!({"code": code}))
}

pub(super) fn change_pin(number: &str, pin: &str) -> Call {
    Call::put(format!("{NUMBERS}/{number}/pin")).json(&json!({"pin": pin}))
}

/// Connects an account, and adds a second number that is not verified. Returns its id and the platform's.
pub(super) async fn unverified(world: &World, account: &str) -> (String, String) {
    connect(world, &world.org, account).await;
    let (id, display) = (format!("{account}2"), format!("+1202{account:0>7}"));
    let mut listed = number(&id, &display);
    listed["code_verification_status"] = json!("NOT_VERIFIED");
    world.platform.state().accounts.get_mut(account).unwrap().numbers.push(listed);
    let body =
        json!({"displayPhoneNumber": display, "providerPhoneNumberId": id, "providerBusinessAccountId": account});
    let added = world.admin(Call::post(NUMBERS).json(&body)).await.expect(201);
    assert_eq!((&added["verified"], &added["cloudApiRegistered"]), (&json!(false), &json!(false)));
    (text(&added, "id"), id)
}

/// Lets the platform know the PIN with which the number of a line was registered.
pub(super) fn with_two_step(world: &World, line: &Line) -> String {
    let mut state = world.platform.state();
    let pin = state.registered[&line.platform_number].clone();
    state.pins.insert(line.platform_number.clone(), pin.clone());
    pin
}

/// The PINs that are stored for the number of a line, the newest last.
pub(super) async fn kept(world: &World, line: &Line) -> Vec<String> {
    let read = async |name: &str| {
        let id = format!("profiles/{name}");
        let value = world.account.secrets.get_secret_value().secret_id(id).send().await.ok()?;
        serde_json::from_str::<Value>(value.secret_string()?).ok()
    };
    match read(&line.number).await {
        Some(own) => own["pins"].as_array().unwrap().iter().map(|pin| pin.as_str().unwrap().to_owned()).collect(),
        None => vec![text(&read(&line.profile).await.unwrap(), "pin")],
    }
}

fn only(world: &World, path: &str) -> Seen {
    let mut seen = world.platform.seen(path);
    assert_eq!(seen.len(), 1, "{path}");
    seen.remove(0)
}

#[tokio::test]
async fn a_number_is_verified_by_a_code_and_registered_with_its_pin() {
    let world = World::new().await;
    let (number, id) = unverified(&world, "4501").await;
    world.platform.state().pins.insert(id.clone(), "482915".to_owned());
    world.admin(register(&number, "482915")).await.refused(409, Some(NUMBER), None);

    let code = json!({"codeMethod": "SMS", "language": "en_US"});
    world.admin(post(&number, "request-code").json(&code)).await.expect(200);
    let seen = only(&world, "request_code");
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", format!("/{id}/request_code").as_str()));
    assert_eq!(seen.json(), json!({"code_method": "SMS", "language": "en_US"}));

    let wrong = world.admin(verify(&number, "000000")).await.refused(422, None, Some("platform_api_error"));
    assert_eq!(wrong["error"]["provider"]["code"], 136_025);
    let verified = world.admin(verify(&number, "123830")).await.expect(200);
    assert_eq!((&verified["id"], &verified["verified"]), (&json!(number), &json!(true)));
    let seen = world.platform.seen("verify_code").pop().unwrap();
    assert_eq!((seen.path.as_str(), seen.json()), (format!("/{id}/verify_code").as_str(), json!({"code": "123830"})));

    // The stored PIN is not the one that the number has at the platform.
    world.admin(post(&number, "register")).await.refused(422, None, Some("platform_api_error"));
    let registered = world.admin(register(&number, "482915")).await.expect(200);
    assert_eq!(registered["cloudApiRegistered"], true);
    let seen = world.platform.seen(&format!("{id}/register")).pop().unwrap();
    assert_eq!(seen.json(), json!({"messaging_product": "whatsapp", "pin": "482915"}));

    let gone = world.admin(post(&number, "deregister")).await.expect(200);
    assert_eq!(gone["cloudApiRegistered"], false);
    let seen = only(&world, "deregister");
    assert_eq!(
        (seen.method.as_str(), seen.path, seen.body.as_slice()),
        ("POST", format!("/{id}/deregister"), &b"{}"[..])
    );
    world.admin(post(&number, "deregister")).await.expect(200);
    only(&world, "deregister");
    let again = world.admin(post(&number, "register")).await.expect(200);
    assert_eq!(again["cloudApiRegistered"], true, "with the PIN that the caller gave before");
    assert_eq!(world.admin(Call::get(format!("{NUMBERS}/{number}"))).await.expect(200), again);
}

#[tokio::test]
async fn a_number_is_added_with_the_pin_that_it_has() {
    let world = World::new().await;
    connect(&world, &world.org, "4502").await;
    let listed = number("45029", "+12025550129");
    world.platform.state().accounts.get_mut("4502").unwrap().numbers.push(listed);
    world.platform.state().pins.insert("45029".to_owned(), "000111".to_owned());
    let body = json!({"displayPhoneNumber": "+12025550129", "providerPhoneNumberId": "45029",
        "providerBusinessAccountId": "4502", "pin": "000111"});
    let added = world.admin(Call::post(NUMBERS).json(&body)).await.expect(201);
    assert_eq!(added["cloudApiRegistered"], true);
    assert_eq!(only(&world, "45029/register").json()["pin"], "000111");
}

#[tokio::test]
async fn a_changed_pin_is_used_from_then_on() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4503").await;
    with_two_step(&world, &line);
    world.admin(change_pin(&line.number, "654321")).await.expect(200);
    let seen = world.platform.seen(&format!("/{}", line.platform_number)).pop().unwrap();
    assert_eq!((seen.method.as_str(), seen.path), ("POST", format!("/{}", line.platform_number)));
    assert_eq!(serde_json::from_slice::<Value>(&seen.body).unwrap(), json!({"pin": "654321"}));
    assert_eq!(kept(&world, &line).await, ["654321"]);
    world.admin(post(&line.number, "register")).await.expect(200);
    assert_eq!(world.platform.state().registered[&line.platform_number], "654321");

    // The PIN is deleted with the account's token.
    assert_eq!(profile_secrets(&world).await.len(), 2);
    world.admin(Call::delete(format!("{PROFILES}/{}", line.profile))).await.expect(200);
    assert!(profile_secrets(&world).await.is_empty());
    for call in [change_pin(&line.number, "654321"), register(&line.number, "654321"), post(&line.number, "deregister")]
    {
        world.admin(call).await.refused(404, None, Some("chat_not_configured"));
    }
}

/// A PIN that the platform rejects is forgotten. While the outcome is unknown, both are kept, and one after the other
/// is tried.
#[tokio::test]
async fn the_pin_that_holds_is_never_lost() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4504").await;
    let first = with_two_step(&world, &line);
    let other = if first == "111111" { "222222" } else { "111111" };
    let id = &line.platform_number;

    world.admin(register(&line.number, other)).await.refused(422, None, Some("platform_api_error"));
    assert_eq!(kept(&world, &line).await, [first.as_str()]);
    let refused = Misbehave::Status(400, error(100, "Invalid parameter").to_string());
    world.platform.misbehave(id, refused, 1);
    world.admin(change_pin(&line.number, other)).await.refused(422, None, Some("platform_api_error"));
    assert_eq!(kept(&world, &line).await, [first.as_str()]);

    let failed = Misbehave::Status(500, error(1, "unknown").to_string());
    world.platform.misbehave(id, failed, 1);
    world.admin(change_pin(&line.number, other)).await.refused(502, None, Some("platform_api_error"));
    assert_eq!(kept(&world, &line).await, [first.as_str(), other]);
    let mismatch = world.admin(post(&line.number, "register")).await.refused(422, None, Some("platform_api_error"));
    assert_eq!(mismatch["error"]["provider"]["code"], 133_005);
    world.admin(post(&line.number, "register")).await.expect(200);
    assert_eq!(kept(&world, &line).await, [first.as_str()]);
}

/// Registrations and deregistrations count together, against the limit at which the platform blocks the number.
#[tokio::test]
async fn five_attempts_in_72_hours() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4505").await;
    for action in ["deregister", "register", "deregister", "register"] {
        world.admin(post(&line.number, action)).await.expect(200);
    }
    for action in ["deregister", "register"] {
        world.admin(post(&line.number, action)).await.refused(409, Some(NUMBER), None);
    }
    assert_eq!(world.platform.seen(&format!("{}/register", line.platform_number)).len(), 3);
    assert_eq!(world.platform.seen("deregister").len(), 2);
    world.clock.advance(DAYS);
    world.admin(post(&line.number, "deregister")).await.expect(200);
}

#[tokio::test]
async fn a_number_of_the_business_app_is_left_alone() {
    let world = World::new().await;
    world.platform.account("4506", &[("45061", "+12025550161")]);
    let signup = json!({"code": "code.4506", "isCoexistence": true});
    let profile = world.admin(Call::post(SIGNUP).json(&signup)).await.expect(201);
    let coexisting = text(&profile["phoneNumbers"][0], "id");
    let line = connect(&world, &world.org, "4507").await;
    world.platform.say(&line.platform_number, json!({"is_on_biz_app": true}));
    let before = world.platform.seen("/register").len();
    for number in [&coexisting, &line.number] {
        for call in [register(number, "111111"), post(number, "deregister")] {
            world.admin(call).await.refused(409, Some(NUMBER), None);
        }
    }
    world.admin(change_pin(&coexisting, "111111")).await.refused(409, Some(NUMBER), None);
    assert_eq!((world.platform.seen("/register").len(), world.platform.seen("deregister").len()), (before, 0));
    assert!(world.platform.state().pins.is_empty());
}

/// One request at a time changes the registration or the PIN of a number.
#[tokio::test]
async fn a_second_request_waits_for_the_first() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4508").await;
    let held = world.platform.hold("deregister");
    let (first, others) = tokio::join!(world.admin(post(&line.number, "deregister")), async {
        held.arrived().await;
        let pin = world.admin(change_pin(&line.number, "111111")).await;
        let register = world.admin(register(&line.number, "111111")).await;
        held.end();
        [pin, register]
    });
    first.expect(200);
    for other in others {
        assert!(other.header("retry-after").is_some());
        other.refused(409, Some(NUMBER), None);
    }
    world.admin(change_pin(&line.number, "111111")).await.expect(200);
}

#[tokio::test]
async fn codes_and_pins_are_neither_repeated_nor_stored_in_the_table() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4509").await;
    let echo = Misbehave::Status(400, error(133_005, "The PIN 482915 is wrong").to_string());
    world.platform.misbehave(&format!("{}/register", line.platform_number), echo, 1);
    let refused = world.admin(register(&line.number, "482915").header("idempotency-key", "k")).await;
    assert!(!refused.text.contains("482915"), "{}", refused.text);
    refused.refused(422, None, Some("platform_api_error"));

    let body = json!({"pin": "482915"}).to_string();
    let guessable = api::body::fingerprint(&[body.as_bytes()]);
    let table = format!("{:?}", world.account.items().await);
    assert!(!table.contains("482915") && !table.contains(&guessable));
}
