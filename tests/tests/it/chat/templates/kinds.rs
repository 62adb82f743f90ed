//! Carousels, limited-time offers, templates that show products, and GIFs: what the platform is asked, and what is refused
//! before it is called.

use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::request::{altered, text};
use tests::samples::{PNG, jpeg};
use tests::standin::template;
use tests::{Call, Service as _, World};

use super::{TEMPLATES, create, get};

/// The first bytes of an MP4 file.
const MP4: &[u8] = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom";

async fn upload(world: &World, name: &str, content: &[u8]) -> String {
    let call = Call::post("/v1/media").key(&world.org.app_key).file(name, None, content);
    text(&world.send(call).await.expect(201), "id")
}

fn body() -> Value {
    json!({"type": "BODY", "text": "Hello {{1}}, look at this.", "example": {"body_text": [["Ann"]]}})
}

fn buttons(buttons: &Value) -> Value {
    json!({"type": "BUTTONS", "buttons": buttons})
}

/// A header with a medium. The example is what names it, here or at the platform.
fn header(format: &str, example: &Value) -> Value {
    json!({"type": "HEADER", "format": format, "example": example})
}

fn shop() -> Value {
    buttons(&json!([{"type": "URL", "text": "Shop", "url": "https://example.com/{{1}}", "example": ["aloe"]}]))
}

/// A carousel with a card for each of these examples.
fn carousel(examples: &[Value]) -> Value {
    let card =
        |example: &Value| json!({"components": [header("IMAGE", example), {"type": "BODY", "text": "Aloe"}, shop()]});
    json!([body(), {"type": "CAROUSEL", "cards": examples.iter().map(card).collect::<Vec<_>>()}])
}

fn medium(id: &str) -> Value {
    json!({"mediaId": id})
}

fn handle() -> Value {
    json!({"header_handle": ["4::handle"]})
}

fn offer(example: &Value) -> Value {
    json!([
        header("IMAGE", example),
        {"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"text": "Expiring offer!", "has_expiration": true}},
        body(),
        buttons(&json!([{"type": "COPY_CODE", "example": "CARIBE25"},
            {"type": "URL", "text": "Book now!", "url": "https://example.com/offers?code={{1}}", "example": ["https://example.com/offers?code=1"]}])),
    ])
}

/// The kinds of templates that have no media.
fn products() -> Vec<(&'static str, Value)> {
    let card = json!({"components": [{"type": "HEADER", "format": "PRODUCT"}, buttons(&json!([{"type": "SPM", "text": "View"}]))]});
    let title = json!({"type": "HEADER", "format": "TEXT", "text": "Forget something?"});
    vec![
        ("product_cards", json!([body(), {"type": "CAROUSEL", "cards": [card, card]}])),
        ("catalog", json!([body(), buttons(&json!([{"type": "CATALOG", "text": "View catalog"}]))])),
        ("several", json!([title, body(), buttons(&json!([{"type": "MPM", "text": "View items"}]))])),
        (
            "single",
            json!([{"type": "HEADER", "format": "PRODUCT"}, body(), buttons(&json!([{"type": "SPM", "text": "View"}]))]),
        ),
    ]
}

fn wanted(line: &Line, name: &str, components: &Value) -> Value {
    json!({"chatBusinessProfileId": line.profile, "name": name, "language": "en_US", "category": "MARKETING",
        "components": components})
}

#[tokio::test]
async fn each_kind_is_created_with_the_documented_request() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4601").await;
    let (first, second) = (upload(&world, "a.png", PNG).await, upload(&world, "b.jpg", &jpeg(100)).await);
    let film = upload(&world, "a.mp4", MP4).await;

    let mut kinds = vec![
        (
            "cards",
            carousel(&[medium(&first), medium(&second), medium(&first)]),
            carousel(&[handle(), handle(), handle()]),
            2,
        ),
        ("offer", offer(&medium(&first)), offer(&handle()), 1),
        ("moving", json!([header("GIF", &medium(&film)), body()]), json!([header("GIF", &handle()), body()]), 1),
    ];
    kinds.extend(products().into_iter().map(|(name, components)| (name, components.clone(), components, 0)));
    for (name, components, sent, files) in kinds {
        let before = world.platform.seen("upload:").len();
        let made = create(&world, &wanted(&line, name, &components)).await.expect(201);
        assert_eq!((&made["status"], &made["components"]), (&json!("PENDING"), &components), "{name}");
        let creation = world.platform.seen("4601/message_templates").pop().unwrap();
        let expected = json!({"name": name, "language": "en_US", "category": "MARKETING", "components": sent});
        assert_eq!((creation.method.as_str(), creation.json()), ("POST", expected));
        // Each file is uploaded once, for all headers that name it.
        assert_eq!(world.platform.seen("upload:").len() - before, files, "{name}");
        assert_eq!(get(&world, &text(&made, "id")).await.expect(200), made);
    }
    let mut sizes: Vec<usize> = world.platform.seen("upload:")[..2].iter().map(|seen| seen.body.len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [PNG.len(), 100]);

    // From the next sync on, cards show the platform's own URLs.
    let sync = Call::post(format!("{TEMPLATES}/sync")).json(&json!({"chatBusinessProfileId": line.profile}));
    world.admin(sync).await.expect(200);
    let named = Call::get(format!("{TEMPLATES}?chatBusinessProfileId={}&name=cards", line.profile));
    let listed = world.admin(named).await.expect(200);
    assert_eq!(listed["data"][0]["components"], carousel(&[handle(), handle(), handle()]));
}

#[tokio::test]
async fn a_carousel_is_edited_with_its_examples() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4602").await;
    let mut rejected = template("1001", "cards");
    rejected["status"] = json!("REJECTED");
    rejected["category"] = json!("MARKETING");
    world.platform.state().accounts.get_mut("4602").unwrap().templates = vec![rejected];
    let sync = Call::post(format!("{TEMPLATES}/sync")).json(&json!({"chatBusinessProfileId": line.profile}));
    world.admin(sync).await.expect(200);
    let image = upload(&world, "a.png", PNG).await;

    let edit = |components: &Value| Call::patch(format!("{TEMPLATES}/1001")).json(&json!({"components": components}));
    let one = world.admin(edit(&carousel(&[medium(&image)]))).await;
    one.refused(400, Some("components[1].cards"), None);
    assert!(world.platform.seen("/1001").is_empty() && world.platform.seen("upload").is_empty());

    let edited = world.admin(edit(&carousel(&[medium(&image), medium(&image)]))).await.expect(200);
    let sent = carousel(&[handle(), handle()]);
    let request = world.platform.seen("/1001").into_iter().find(|seen| seen.method == "POST").unwrap();
    assert_eq!(request.json(), json!({"components": sent}));
    assert_eq!((&edited["status"], &edited["components"]), (&json!("PENDING"), &sent));

    // The category of the template counts.
    let mut utility = template("1002", "hello");
    utility["status"] = json!("REJECTED");
    world.platform.state().accounts.get_mut("4602").unwrap().templates.push(utility);
    let sync = Call::post(format!("{TEMPLATES}/sync")).json(&json!({"chatBusinessProfileId": line.profile}));
    world.admin(sync).await.expect(200);
    let call = Call::patch(format!("{TEMPLATES}/1002"));
    let refused = world.admin(call.json(&json!({"components": carousel(&[medium(&image), medium(&image)])}))).await;
    refused.refused(400, Some("components[1]"), None);
}

#[tokio::test]
async fn wrong_cards_are_refused_before_anything_is_uploaded() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4603").await;
    let image = upload(&world, "a.png", PNG).await;
    let film = upload(&world, "a.mp4", MP4).await;
    let large = upload(&world, "b.mp4", &[MP4, &vec![0; 3584 * 1024]].concat()).await;
    let unknown = altered(&image);
    let second = "components[1].cards[1].components[0].example.mediaId";
    for (components, status, param) in [
        (carousel(&[medium(&image), medium(&film)]), 400, second),
        (carousel(&[medium(&image), medium(&unknown)]), 404, second),
        (carousel(&[medium(&image), json!({})]), 400, second),
        (carousel(&[medium(&image)]), 400, "components[1].cards"),
        (json!([header("GIF", &medium(&large)), body()]), 400, "components[0].example.mediaId"),
        (offer(&medium(&film)), 400, "components[0].example.mediaId"),
    ] {
        for dry_run in [false, true] {
            let mut wanted = wanted(&line, "look", &components);
            wanted["dryRun"] = json!(dry_run);
            create(&world, &wanted).await.refused(status, Some(param), None);
        }
    }
    let mut valid = wanted(&line, "look", &carousel(&[medium(&image), medium(&image)]));
    valid["dryRun"] = json!(true);
    assert_eq!(create(&world, &valid).await.expect(200)["components"], valid["components"]);
    assert!(world.platform.seen("upload").is_empty() && world.platform.seen("message_templates").is_empty());
}

/// The platform has created the carousel, and its response was lost.
#[tokio::test]
async fn a_carousel_is_adopted_after_a_lost_response() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4604").await;
    let image = upload(&world, "a.png", PNG).await;
    let mut made = template("1001", "look");
    made["status"] = json!("PENDING");
    made["category"] = json!("MARKETING");
    made["components"] = carousel(&[
        json!({"header_handle": ["https://example.com/1"]}),
        json!({"header_handle": ["https://example.com/2"]}),
    ]);
    // The platform lists the parts of a card in an order of its own.
    for card in made["components"][1]["cards"].as_array_mut().unwrap() {
        card["components"].as_array_mut().unwrap().reverse();
    }
    world.platform.state().accounts.get_mut("4604").unwrap().templates = vec![made];

    let own = carousel(&[medium(&image), medium(&image)]);
    let adopted = create(&world, &wanted(&line, "look", &own)).await.expect(201);
    assert_eq!((&adopted["id"], &adopted["components"]), (&json!("1001"), &own));
    let other = carousel(&[medium(&image), medium(&image), medium(&image)]);
    create(&world, &wanted(&line, "look", &other)).await.refused(409, Some("name"), Some("resource_already_exists"));
}
