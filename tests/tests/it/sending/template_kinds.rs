//! Messages of carousels, limited-time offers and templates that show products: compared with the template before anything
//! is sent, in live mode and in test mode.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::samples::PNG;
use tests::standin::template;
use tests::{Call, Reply, Service as _, World};

const SEND: &str = "/v1/chat/messages";
const TEMPLATES: &str = "/v1/organization/chat/templates";
const TO: &str = "+16505559998";

fn header(format: &str) -> Value {
    json!({"type": "HEADER", "format": format})
}

fn body() -> Value {
    json!({"type": "BODY", "text": "Hello {{1}}, look."})
}

/// Templates as the platform lists them.
fn listed() -> Vec<Value> {
    let buttons = |buttons: Value| json!({"type": "BUTTONS", "buttons": buttons});
    let card = json!({"components": [header("IMAGE"), buttons(json!([{"type": "URL", "text": "Shop", "url": "https://example.com/{{1}}"}]))]});
    let offer = json!({"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"text": "Now", "has_expiration": true}});
    let of = |id: &str, name: &str, components: Value| {
        let mut listed = template(id, name);
        listed["category"] = json!("MARKETING");
        listed["components"] = components;
        listed
    };
    vec![
        of("1", "cards", json!([body(), {"type": "CAROUSEL", "cards": [card, card]}])),
        of(
            "2",
            "offer",
            json!([
                offer,
                body(),
                buttons(json!([{"type": "COPY_CODE"}, {"type": "URL", "url": "https://example.com"}]))
            ]),
        ),
        of("3", "several", json!([header("TEXT"), body(), buttons(json!([{"type": "MPM", "text": "View items"}]))])),
        of("4", "single", json!([header("PRODUCT"), body(), buttons(json!([{"type": "SPM", "text": "View"}]))])),
        of("5", "moving", json!([header("GIF"), body()])),
    ]
}

/// Connects an account with these templates, and syncs them.
async fn synced(world: &World, account: &str) -> Line {
    let line = connect(world, &world.org, account).await;
    world.platform.state().accounts.get_mut(account).unwrap().templates = listed();
    let sync = Call::post(format!("{TEMPLATES}/sync")).json(&json!({"chatBusinessProfileId": line.profile}));
    world.admin(sync).await.expect(200);
    line
}

async fn upload(world: &World, key: &str, mime: &str, content: &[u8]) -> String {
    text(&world.send(Call::post("/v1/media").key(key).file("file", Some(mime), content)).await.expect(201), "id")
}

async fn send(world: &World, key: &str, from: &str, name: &str, parameters: &Value) -> Reply {
    let mut template = json!({"name": name, "language": "en_US", "body": {"1": "Ada"}});
    template.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
    let body = json!({"from": from, "to": TO, "type": "template", "template": template});
    world.send(Call::post(SEND).key(key).json(&body)).await
}

/// Checks that the parameter was found not to fit the template.
#[track_caller]
fn is_mismatch(reply: Reply, param: &str) {
    let error = reply.expect(422)["error"].clone();
    assert_eq!((&error["code"], &error["param"]), (&json!("template_parameter_mismatch"), &json!(param)), "{error}");
}

fn product() -> Value {
    json!({"product": {"catalogId": "1", "productRetailerId": "sku-7"}})
}

#[tokio::test]
async fn parameters_that_do_not_fit_are_refused_before_the_call() {
    let world = World::new().await;
    let line = synced(&world, "3701").await;
    let key = line.org.app_key.clone();
    let image = upload(&world, &key, "image/png", PNG).await;
    let film = upload(&world, &key, "video/mp4", b"\0\0\0\x18ftypmp42\0\0\0\0").await;
    let card = |id: &str| json!({"header": {"mediaId": id}, "buttons": [{"index": 0, "urlSuffix": "aloe"}]});
    let several = json!([{"index": 0, "products": {"thumbnailProductRetailerId": "a", "sections": [{"title": "t", "productRetailerIds": ["a"]}]}}]);
    for (name, parameters, param) in [
        ("cards", json!({}), "template.cards"),
        ("cards", json!({"cards": [card(&image), card(&image), card(&image)]}), "template.cards"),
        ("cards", json!({"cards": [card(&image), card(&film)]}), "template.cards[1].header"),
        ("cards", json!({"cards": [card(&image), {"header": {"mediaId": image}}]}), "template.cards[1].buttons"),
        ("offer", json!({"buttons": [{"index": 0, "couponCode": "X"}]}), "template.offer"),
        ("offer", json!({"offer": {"expiresAt": "2026-12-24T18:00:00Z"}}), "template.buttons"),
        ("several", json!({}), "template.buttons"),
        ("single", json!({}), "template.header"),
        ("single", json!({"header": product(), "buttons": several}), "template.buttons[0].products"),
        ("moving", json!({"header": {"mediaId": image}}), "template.header"),
    ] {
        let refused = send(&world, &key, &line.number, name, &parameters).await;
        is_mismatch(refused, param);
    }
    assert!(world.platform.seen("/messages").is_empty() && line.messages(&world).await.is_empty());

    // A stored template also decides the form of a medium, and the log shows what was sent, with our id.
    let sent = send(&world, &key, &line.number, "moving", &json!({"header": {"mediaId": film}})).await.expect(201);
    let parameter = &world.platform.seen("/messages")[0].json()["template"]["components"][0]["parameters"][0];
    assert_eq!(parameter["type"], "gif");
    assert!(parameter["gif"]["link"].as_str().unwrap().contains(&film), "{parameter}");
    let shown = json!([{"type": "gif", "gif": {"mediaId": film}}]);
    assert_eq!(sent["templateData"]["components"][0]["parameters"], shown);

    let sent =
        send(&world, &key, &line.number, "cards", &json!({"cards": [card(&image), card(&image)]})).await.expect(201);
    let carousel = &world.platform.seen("/messages")[1].json()["template"]["components"][1];
    let cards = carousel["cards"].as_array().unwrap();
    assert_eq!(cards.iter().map(|card| card["card_index"].clone()).collect::<Vec<_>>(), [json!(0), json!(1)]);
    let shown = &sent["templateData"]["components"][1]["cards"][1]["components"][0]["parameters"];
    assert_eq!(*shown, json!([{"type": "image", "image": {"mediaId": image}}]));
}

/// The test app's number, and its account.
async fn simulated(world: &World) -> (String, String) {
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    let numbers = numbers["data"].as_array().unwrap();
    let own = numbers.iter().find(|number| number["apps"][0]["appId"] == world.org.test_app.as_str()).unwrap();
    let number = text(own, "id");
    let found = world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{number}"))).await.expect(200);
    (number, text(&found["businessProfile"], "id"))
}

#[tokio::test]
async fn test_mode_has_the_same_checks() {
    let world = World::new().await;
    let (from, profile) = simulated(&world).await;
    let key = world.org.test_app_key.clone();
    let image = upload(&world, &key, "image/png", PNG).await;
    let card = json!({"components": [{"type": "HEADER", "format": "IMAGE", "example": {"mediaId": image}},
        {"type": "BODY", "text": "Aloe"}]});
    let example = json!({"type": "BODY", "text": "Hello {{1}}, look.", "example": {"body_text": [["Ann"]]}});
    let wanted = json!({"chatBusinessProfileId": profile, "name": "cards", "language": "en_US", "category": "MARKETING",
        "components": [example, {"type": "CAROUSEL", "cards": [card, card]}]});
    let made = world.admin(Call::post(TEMPLATES).json(&wanted)).await.expect(201);
    // The simulated review comes a second later.
    world.clock.advance(Duration::from_secs(1));
    tokio::time::sleep(Duration::from_millis(1500)).await;
    world.work_off().await;

    let card = json!({"header": {"mediaId": image}});
    let one_too_many = json!({"cards": [card, card, card]});
    let refused = send(&world, &key, &from, "cards", &one_too_many).await;
    is_mismatch(refused, "template.cards");
    let sent = send(&world, &key, &from, "cards", &json!({"cards": [card, card]})).await.expect(201);
    assert_eq!(sent["outcome"], "ACCEPTED");

    // After a sync, the cards show URLs of the simulated platform.
    let sync = Call::post(format!("{TEMPLATES}/sync")).json(&json!({"chatBusinessProfileId": profile}));
    world.admin(sync).await.expect(200);
    let path = format!("{TEMPLATES}/{}", text(&made, "id"));
    let shown = world.admin(Call::get(path)).await.expect(200);
    for card in shown["components"][1]["cards"].as_array().unwrap() {
        let url = card["components"][0]["example"]["header_handle"][0].as_str().unwrap();
        assert!(url.starts_with("https://example.com/template-headers/simulated-"), "{url}");
    }
    let refused = send(&world, &key, &from, "cards", &one_too_many).await;
    is_mismatch(refused, "template.cards");
    assert!(world.platform.state().seen.is_empty());
}
