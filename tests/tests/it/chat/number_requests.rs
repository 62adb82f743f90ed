//! The life of a number: requests that are refused before they reach the platform, and test mode.

use serde_json::{Value, json};
use tests::catalogue::{fresh_account, simulated_profile};
use tests::chat::connect;
use tests::request::{altered, text};
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::number_life::{NUMBER, NUMBERS, change_pin, post, register, verify};
use super::profile_secrets;

#[tokio::test]
async fn only_valid_requests_about_own_numbers_are_made() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4510").await;
    let stranger = world.organization("Stranger").await;
    let before = world.platform.state().seen.len();
    let code = |number: &str, body: Value| post(number, "request-code").json(&body);
    for (key, number) in [
        (&stranger.admin, &line.number),
        (&world.org.test_admin, &line.number),
        (&world.org.admin, &altered(&line.number)),
    ] {
        let requested = code(number, json!({"codeMethod": "VOICE", "language": "id"}));
        let registered = [register(number, "111111"), post(number, "deregister"), change_pin(number, "111111")];
        for call in [requested, verify(number, "123830")].into_iter().chain(registered) {
            world.send(call.key(key)).await.refused(404, Some(NUMBER), None);
        }
    }
    let number = line.number.as_str();
    for (call, param) in [
        (code(number, json!({"codeMethod": "FAX", "language": "en_US"})), "codeMethod"),
        (code(number, json!({"codeMethod": "SMS", "language": "en-US"})), "language"),
        (code(number, json!({"codeMethod": "SMS"})), "language"),
        (verify(number, "123-830"), "code"),
        (register(number, "12345"), "pin"),
        (post(number, "register").json(&json!({"pin": 123_456})), "pin"),
        (change_pin(number, "1234567"), "pin"),
        (change_pin(number, "12345a"), "pin"),
    ] {
        world.admin(call).await.refused(400, Some(param), None);
    }
    assert_eq!(world.platform.state().seen.len(), before);
}

/// What the platform rejects, and where it fails, is told, and the number can be changed again at once.
#[tokio::test]
async fn rejections_and_failures_of_the_platform() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4511").await;
    let code = || post(&line.number, "request-code").json(&json!({"codeMethod": "SMS", "language": "en_US"}));
    let deregister = || post(&line.number, "deregister");
    for (path, call, sent, platform, status) in [
        ("request_code", code(), 400, 136_024, 422),
        ("request_code", code(), 500, 1, 502),
        ("deregister", deregister(), 400, 133_016, 422),
        ("deregister", deregister(), 500, 1, 502),
    ] {
        let fault = error(platform, "not now").to_string();
        world.platform.misbehave(&format!("{}/{path}", line.platform_number), Misbehave::Status(sent, fault), 1);
        let refused = world.admin(call).await.refused(status, None, Some("platform_api_error"));
        assert_eq!(refused["error"]["provider"]["code"], platform);
    }
    assert_eq!(world.admin(deregister()).await.expect(200)["cloudApiRegistered"], false);
}

#[tokio::test]
async fn the_life_of_a_simulated_number() {
    let world = World::new().await;
    let account = fresh_account();
    let profile = simulated_profile(&world, &account, false).await;
    let second = profile["phoneNumbers"].as_array().unwrap().iter().find(|number| number["verified"] == false).unwrap();
    let (number, display) = (text(second, "id"), text(second, "displayPhoneNumber"));
    let send = |call: Call| world.send(call.key(&world.org.test_admin));

    send(post(&number, "register")).await.refused(409, Some(NUMBER), None);
    let code = json!({"codeMethod": "VOICE", "language": "pt_BR"});
    send(post(&number, "request-code").json(&code)).await.expect(200);
    let wrong = send(verify(&number, "136025")).await.refused(422, None, Some("platform_api_error"));
    assert_eq!(wrong["error"]["provider"]["code"], 136_025);
    assert_eq!(send(verify(&number, "000000")).await.expect(200)["verified"], true);
    send(register(&number, "133005")).await.refused(422, None, Some("platform_api_error"));
    assert_eq!(send(register(&number, "482915")).await.expect(200)["cloudApiRegistered"], true);
    send(change_pin(&number, "131000")).await.refused(502, None, Some("platform_api_error"));
    send(change_pin(&number, "000000")).await.expect(200);
    // Attempts are not counted.
    for _ in 0..3 {
        assert_eq!(send(post(&number, "deregister")).await.expect(200)["cloudApiRegistered"], false);
        assert_eq!(send(post(&number, "register")).await.expect(200)["cloudApiRegistered"], true);
    }
    send(post(&number, "deregister")).await.expect(200);
    let body = json!({"displayPhoneNumber": display, "providerPhoneNumberId": format!("{account}02"),
        "providerBusinessAccountId": account});
    let again = send(Call::post(NUMBERS).json(&body)).await.expect(200);
    assert_eq!((&again["verified"], &again["cloudApiRegistered"]), (&json!(true), &json!(true)));
    assert!(world.platform.state().seen.is_empty());
    assert!(profile_secrets(&world).await.is_empty());
}
