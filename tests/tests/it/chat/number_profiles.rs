//! The profiles of chat phone numbers: at the platform, and in test mode.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::connect;
use tests::request::{altered, text};
use tests::samples::{PNG, pdf};
use tests::standin::{Misbehave, Seen, error};
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
    change(json!({"about": "Open 9-5"})).await.expect(200);
    let picture = picture(&world, &world.org.test_app_key, PNG).await;
    let shown = change(json!({"profilePictureMediaId": picture})).await.expect(200);
    let url = shown["profilePictureUrl"].as_str().expect("a URL");
    assert!(url.starts_with("https://example.com/profile-pictures/simulated-"), "{url}");
    assert_eq!(get().await.expect(200), shown);
    assert!(world.platform.state().seen.is_empty());
}

async fn picture(world: &World, key: &str, content: &[u8]) -> String {
    text(&world.send(Call::post("/v1/media").key(key).file("a.png", None, content)).await.expect(201), "id")
}

#[tokio::test]
async fn a_picture_is_uploaded_to_the_platform_before_it_is_set() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4104").await;
    let id = picture(&world, &world.org.app_key, PNG).await;
    let change = |id: &str| Call::patch(path(&line.number)).json(&json!({"about": "Hi", "profilePictureMediaId": id}));
    world.admin(change(&id)).await.expect(200);

    let (opened, sent) = (seen_one(&world, "uploads"), seen_one(&world, "upload:"));
    let length = PNG.len().to_string();
    let expected = [("file_length", length.as_str()), ("file_name", "a.png"), ("file_type", "image/png")];
    for (name, value) in expected {
        assert_eq!(opened.query.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!((opened.method.as_str(), opened.path.ends_with("/uploads")), ("POST", true), "{}", opened.path);
    assert!(opened.headers["authorization"].starts_with("Bearer ") && opened.query.contains_key("appsecret_proof"));
    assert_eq!((sent.method.as_str(), sent.path.as_str()), ("POST", "/upload:session-1"));
    assert_eq!((sent.query["sig"].as_str(), sent.headers["file_offset"].as_str()), ("signed", "0"));
    let token = opened.headers["authorization"].strip_prefix("Bearer ").unwrap().to_owned();
    assert_eq!(sent.headers["authorization"], format!("OAuth {token}"));
    assert_eq!(sent.body, PNG);
    let set = world.platform.seen("whatsapp_business_profile").into_iter().find(|seen| seen.method == "POST").unwrap();
    assert_eq!(
        set.json(),
        json!({"messaging_product": "whatsapp", "about": "Hi", "profile_picture_handle": "4::handle"})
    );

    // What fails before the profile is changed leaves it as it was.
    let count = || world.platform.seen("whatsapp_business_profile").len();
    let before = count();
    for (part, status, body, expected) in [
        ("uploads", 400, error(100, "no").to_string(), (422, "platform_api_error")),
        ("upload:", 500, "{}".to_owned(), (502, "platform_api_error")),
        ("uploads", 200, json!({"id": "../me?x"}).to_string(), (502, "platform_api_error")),
    ] {
        world.platform.misbehave(part, Misbehave::Status(status, body), 2);
        world.admin(change(&id)).await.refused(expected.0, None, Some(expected.1));
        world.platform.state().misbehave.clear();
    }
    assert_eq!(count(), before);
}

fn seen_one(world: &World, part: &str) -> Seen {
    let mut seen = world.platform.seen(part);
    assert_eq!(seen.len(), 1, "{part}");
    seen.remove(0)
}

#[tokio::test]
async fn only_a_picture_of_the_organization_and_mode_can_be_set() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4105").await;
    let stranger = world.organization("Stranger").await;
    let (id, pdf) =
        (picture(&world, &world.org.app_key, PNG).await, picture(&world, &world.org.app_key, &pdf(64)).await);
    let simulated = picture(&world, &world.org.test_app_key, PNG).await;
    let foreign = picture(&world, &stranger.app_key, PNG).await;
    for (id, status) in [(altered(&id), 404), (simulated, 404), (foreign, 404), (pdf, 400), ("picture".to_owned(), 400)]
    {
        let change = Call::patch(path(&line.number)).json(&json!({"profilePictureMediaId": id}));
        world.admin(change).await.refused(status, Some("profilePictureMediaId"), None);
    }
    world.clock.advance(Duration::from_secs(31 * 24 * 3600));
    let expired = Call::patch(path(&line.number)).json(&json!({"profilePictureMediaId": id}));
    world.admin(expired).await.refused(404, Some("profilePictureMediaId"), None);
    assert!(world.platform.seen("upload").is_empty());
}
