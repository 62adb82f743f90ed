//! The profiles of chat phone numbers: at the platform, and in test mode.

use serde_json::{Value, json};
use tests::chat::connect;
use tests::request::altered;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

const FIELDS: &str = "about,address,description,email,profile_picture_url,websites,vertical";

fn path(number: &str) -> String {
    format!("/v1/organization/chat/phone-numbers/{number}/business-profile")
}

#[tokio::test]
async fn a_profile_is_read_from_the_platform_and_changed_there() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4101").await;
    let stored = json!({"about": "Hello", "address": "", "vertical": "OTHER", "profile_picture_url": "https://pps.example.com/1"});
    world.platform.state().profiles.insert(line.platform_number.clone(), stored);
    let profile = world.admin(Call::get(path(&line.number))).await.expect(200);
    let expected = json!({"about": "Hello", "websites": [], "vertical": "OTHER", "profilePictureUrl": "https://pps.example.com/1"});
    assert_eq!(profile, expected);
    let node = format!("/{}/whatsapp_business_profile", line.platform_number);
    let seen = world.platform.seen("whatsapp_business_profile").pop().unwrap();
    assert_eq!(
        (seen.method.as_str(), seen.path.as_str(), seen.query["fields"].as_str()),
        ("GET", node.as_str(), FIELDS)
    );
    let change = json!({"about": " Open from 9 to 5 ", "address": "Main St 1\nSpringfield", "description": "", "email": "help@example.com",
        "websites": ["https://example.com", "http://example.com/shop"], "vertical": "RETAIL"});
    let profile = world.admin(Call::patch(path(&line.number)).json(&change)).await.expect(200);
    let expected = json!({"about": "Open from 9 to 5", "address": "Main St 1\nSpringfield", "email": "help@example.com",
        "websites": ["https://example.com", "http://example.com/shop"], "vertical": "RETAIL", "profilePictureUrl": "https://pps.example.com/1"});
    assert_eq!(profile, expected);
    let seen = world.platform.seen("whatsapp_business_profile");
    let sent = &seen[seen.len() - 2];
    let body = json!({"messaging_product": "whatsapp", "about": "Open from 9 to 5", "address": "Main St 1\nSpringfield", "description": "",
        "email": "help@example.com", "websites": ["https://example.com", "http://example.com/shop"], "vertical": "RETAIL"});
    assert_eq!((sent.method.as_str(), sent.path.as_str(), sent.json()), ("POST", node.as_str(), body));
    // What is left out is not sent.
    world.admin(Call::patch(path(&line.number)).json(&json!({"websites": []}))).await.expect(200);
    let seen = world.platform.seen("whatsapp_business_profile");
    assert_eq!(seen[seen.len() - 2].json(), json!({"messaging_product": "whatsapp", "websites": []}));
    world.send(Call::get(path(&line.number)).key(&world.org.session)).await.expect(200);
    for (code, status, ours) in
        [(100, 422, "platform_api_error"), (80_007, 429, "chat_rate_limited"), (368, 422, "account_restricted")]
    {
        let body = error(code, "no").to_string();
        world.platform.misbehave("whatsapp_business_profile", Misbehave::Status(400, body), 1);
        let refused = world.admin(Call::patch(path(&line.number)).json(&json!({"about": "x"}))).await;
        refused.refused(status, None, Some(ours));
    }
}

#[tokio::test]
async fn the_limits_are_checked_before_the_platform_is_asked() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4102").await;
    let site = |length: usize| format!("https://example.com/{}", "a".repeat(length - 20));
    for (body, param) in [
        (json!({}), "body"),
        (json!({"about": ""}), "about"),
        (json!({"about": "x".repeat(140)}), "about"),
        (json!({"about": "two\nlines"}), "about"),
        (json!({"about": null}), "about"),
        (json!({"address": "x".repeat(257)}), "address"),
        (json!({"description": "x".repeat(513)}), "description"),
        (json!({"description": "\u{0}"}), "description"),
        (json!({"email": "example.com"}), "email"),
        (json!({"email": format!("{}@example.com", "x".repeat(117))}), "email"),
        (json!({"websites": ["https://a.example", "https://b.example", "https://c.example"]}), "websites"),
        (json!({"websites": ["https://a.example", "b.example"]}), "websites[1]"),
        (json!({"websites": [site(257)]}), "websites[0]"),
        (json!({"websites": "https://a.example"}), "websites"),
        (json!({"vertical": "retail"}), "vertical"),
        (json!({"about": "x", "logo": "y"}), "logo"),
    ] {
        world.admin(Call::patch(path(&line.number)).json(&body)).await.refused(400, Some(param), None);
    }
    assert!(world.platform.seen("whatsapp_business_profile").is_empty());
    let most = json!({"about": "x".repeat(139), "address": "x".repeat(256), "description": "é".repeat(512),
        "email": format!("{}@example.com", "x".repeat(116)), "websites": [site(256), "https://b.example"]});
    world.admin(Call::patch(path(&line.number)).json(&most)).await.expect(200);
}

#[tokio::test]
async fn a_profile_belongs_to_the_organization_and_its_mode() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4103").await;
    let stranger = world.organization("Stranger").await;
    for (key, number) in [
        (&stranger.admin, &line.number),
        (&world.org.test_admin, &line.number),
        (&world.org.admin, &altered(&line.number)),
    ] {
        world.send(Call::get(path(number)).key(key)).await.refused(404, Some("chatPhoneNumberId"), None);
        let change = Call::patch(path(number)).json(&json!({"about": "Mine"}));
        world.send(change.key(key)).await.refused(404, Some("chatPhoneNumberId"), None);
    }
    assert!(world.platform.seen("whatsapp_business_profile").is_empty());
}

#[tokio::test]
async fn simulated_profiles_are_empty_at_first_and_keep_what_is_written() {
    let world = World::new().await;
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    let number = numbers["data"][0]["id"].as_str().unwrap().to_owned();
    let get = || world.send(Call::get(path(&number)).key(&world.org.test_admin));
    let change = |body: Value| world.send(Call::patch(path(&number)).key(&world.org.test_admin).json(&body));
    assert_eq!(get().await.expect(200), json!({"websites": []}));
    let all = json!({"about": "Hello", "address": "Main St 1", "description": "A shop", "email": "help@example.com",
        "websites": ["https://example.com"], "vertical": "EVENT_PLAN"});
    assert_eq!(change(all.clone()).await.expect(200), all);
    let emptied = change(json!({"address": "", "email": "", "websites": []})).await.expect(200);
    assert_eq!(emptied, json!({"about": "Hello", "description": "A shop", "websites": [], "vertical": "EVENT_PLAN"}));
    change(json!({"about": "Hello-131000"})).await.refused(502, None, Some("platform_api_error"));
    assert_eq!(get().await.expect(200), emptied);
    assert!(world.platform.state().seen.is_empty());
}
