//! What a signup does with an account and its numbers.

use serde_json::json;
use tests::catalogue::{PROFILES, SIGNUP};
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::{connected, events, first_number, secret, signup};
use crate::chat::{assert_fields, grant_token, profile_secrets};

#[tokio::test]
async fn a_live_account_is_connected_with_its_numbers() {
    let world = World::new().await;

    let profile = connected(&world, "501").await;
    let id = text(&profile, "id");
    let expected = json!({"organizationId": world.org.id, "providerWabaId": "501", "providerBusinessId": "9501",
        "businessName": "Business 501", "tokenExpiresAt": null, "isTestProfile": false});
    assert_fields(&profile, &expected);
    assert!(profile["onboardingCompletedAt"].is_string() && profile["createdAt"].is_string());
    let mut displays: Vec<_> =
        profile["phoneNumbers"].as_array().unwrap().iter().map(|number| text(number, "displayPhoneNumber")).collect();
    displays.sort();
    assert_eq!(displays, ["+12015550101", "+12015550102"]);

    assert_eq!(world.admin(Call::get(format!("{PROFILES}/{id}"))).await.expect(200), profile);
    let listed = world.admin(Call::get(PROFILES)).await.expect(200);
    assert!(listed["data"].as_array().unwrap().contains(&profile));

    // Both were verified and not connected, so they are registered, with one stored PIN.
    let kept = secret(&world, &id).await;
    assert_eq!(kept["accessToken"], "token-501");
    let pins: Vec<String> = world.platform.state().registered.values().cloned().collect();
    assert_eq!(pins, [text(&kept, "pin"), text(&kept, "pin")]);
    assert_eq!(pins[0].len(), 6);
    let number = first_number(&world, &profile).await;
    assert_fields(&number, &json!({"cloudApiRegistered": true, "nameStatus": "APPROVED"}));

    assert_eq!(world.platform.seen("501/subscribed_apps").len(), 1);
    assert_eq!(events(&world, "chat.account.connected").await, [profile]);
}

#[tokio::test]
async fn an_unnamed_owner_is_left_out() {
    let world = World::new().await;
    world.platform.account("533", &[]);
    // The account and its numbers are requested concurrently; this fault affects either request.
    let told = json!({"id": "533", "name": "Nobody's", "data": []});
    world.platform.misbehave("/533", Misbehave::Status(200, told.to_string()), 2);

    let profile = world.admin(signup("533")).await.expect(201);
    assert_eq!(profile["businessName"], "Nobody's");
    assert!(profile.get("providerBusinessId").is_none());
}

#[tokio::test]
async fn coexistence_registers_nothing() {
    let world = World::new().await;
    world.platform.account("503", &[("5031", "+12015550103")]);

    let body = json!({"code": "code.503", "isCoexistence": true, "businessId": "77"});
    let profile = world.admin(Call::post(SIGNUP).json(&body)).await.expect(201);
    assert_eq!(profile["providerBusinessId"], "77");
    assert!(world.platform.seen("register").is_empty());

    // A number that is used on a phone, unverified or already connected is never registered either.
    world.platform.account("504", &[("5041", "+12015550104"), ("5042", "+12015550105"), ("5043", "+12015550106")]);
    {
        let mut state = world.platform.state();
        let numbers = &mut state.accounts.get_mut("504").unwrap().numbers;
        numbers[0]["is_on_biz_app"] = json!(true);
        numbers[1]["code_verification_status"] = json!("NOT_VERIFIED");
        numbers[2]["status"] = json!("CONNECTED");
        numbers[2]["platform_type"] = json!("CLOUD_API");
    }
    world.admin(signup("504")).await.expect(201);
    assert!(world.platform.seen("register").is_empty());

    let listed = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    let registered: Vec<_> =
        listed["data"].as_array().unwrap().iter().filter(|number| number["cloudApiRegistered"] == true).collect();
    assert!(registered.iter().any(|number| number["displayPhoneNumber"] == "+12015550106"));
    assert!(
        registered
            .iter()
            .all(|number| number["isTestNumber"] == true || number["displayPhoneNumber"] == "+12015550106")
    );
}

/// A rejected registration leaves the number unregistered, but the signup succeeds.
#[tokio::test]
async fn a_refused_registration_never_fails_the_signup() {
    let world = World::new().await;
    world.platform.misbehave("register", Misbehave::Status(400, error(133_005, "wrong PIN").to_string()), 2);

    let profile = connected(&world, "505").await;
    assert_eq!(first_number(&world, &profile).await["cloudApiRegistered"], false);
}

/// Profiles show the current state of their numbers, whatever changed them.
#[tokio::test]
async fn a_profile_shows_what_became_of_its_numbers() {
    let world = World::new().await;
    let profile = connected(&world, "507").await;
    let number = text(&profile["phoneNumbers"][0], "id");
    let at_platform = text(&profile["phoneNumbers"][0], "providerPhoneNumberId");
    for shown in world.platform.state().accounts.get_mut("507").unwrap().numbers.iter_mut() {
        if shown["id"] == at_platform.as_str() {
            shown["quality_rating"] = json!("RED");
            shown["code_verification_status"] = json!("EXPIRED");
        }
    }

    grant_token(&world, "token-507", 1);
    let again = json!({"code": "another", "wabaId": "507"});
    world.admin(Call::post(SIGNUP).json(&again)).await.expect(200);

    let expected = json!({"qualityRating": "RED", "verified": false});
    assert_fields(&first_number(&world, &profile).await, &expected);
    let one = world.admin(Call::get(format!("{PROFILES}/{}", text(&profile, "id")))).await.expect(200);
    let list = world.admin(Call::get(format!("{PROFILES}?limit=100"))).await.expect(200);
    let listed = list["data"].as_array().unwrap().iter().find(|listed| listed["id"] == profile["id"]).unwrap();
    for shown in [&one, listed] {
        let of_profile = shown["phoneNumbers"].as_array().unwrap();
        let own = of_profile.iter().find(|shown| shown["id"] == number.as_str()).unwrap();
        assert_fields(own, &expected);
        assert_eq!(of_profile.len(), profile["phoneNumbers"].as_array().unwrap().len());
    }
}

#[tokio::test]
async fn the_same_account_again_is_connected_again() {
    let world = World::new().await;
    let first = connected(&world, "506").await;
    let id = text(&first, "id");
    let pin = text(&secret(&world, &id).await, "pin");
    world.platform.state().accounts.get_mut("506").unwrap().name = "Renamed".to_owned();

    // The completed signup is stored under its code, so more fields do not matter.
    let same_code = json!({"code": "code.506", "redirectUri": "https://example.com/", "wabaId": "506"});
    let remembered = world.admin(Call::post(SIGNUP).json(&same_code)).await.expect(200);
    assert_eq!(remembered["id"], first["id"]);

    world.platform.state().accounts.insert("506b".to_owned(), Default::default());
    grant_token(&world, "token-506", 1);
    let again = world.admin(Call::post(SIGNUP).json(&json!({"code": "another"}))).await.expect(200);
    assert_fields(&again, &json!({"id": id, "businessName": "Renamed"}));
    assert_eq!(again["phoneNumbers"].as_array().unwrap().len(), 2);
    let kept = secret(&world, &id).await;
    assert_eq!(text(&kept, "pin"), pin, "the numbers are registered with this one");
    assert_eq!(profile_secrets(&world).await, [format!("profiles/{id}")]);
    assert_eq!(events(&world, "chat.account.connected").await.len(), 2);
}
