//! Headers of templates with a medium: the example is uploaded to the platform, and its handle is sent in place.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{fresh_account, put_bytes, simulated_profile, uploaded};
use tests::chat::connect;
use tests::request::{altered, text};
use tests::samples::{PNG, jpeg, pdf};
use tests::standin::{APP_ID, Misbehave, error, template};
use tests::{Call, Service as _, World};

const TEMPLATES: &str = "/v1/organization/chat/templates";
const MEGABYTE: usize = 1024 * 1024;

fn components(format: &str, media: &str) -> Value {
    json!([
        {"type": "BODY", "text": "Look at this."},
        {"type": "HEADER", "format": format, "example": {"mediaId": media}},
    ])
}

fn sent(format: &str, handle: &str) -> Value {
    json!([
        {"type": "BODY", "text": "Look at this."},
        {"type": "HEADER", "format": format, "example": {"header_handle": [handle]}},
    ])
}

fn wanted(profile: &str, name: &str, components: &Value) -> Value {
    json!({"chatBusinessProfileId": profile, "name": name, "language": "en_US", "category": "MARKETING", "components": components})
}

async fn upload(world: &World, key: &str, name: &str, content: &[u8]) -> String {
    text(&world.send(Call::post("/v1/media").key(key).file(name, None, content)).await.expect(201), "id")
}

/// The first bytes of an MP4 file, or of another file of the same container.
fn container(brand: &[u8; 4]) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[3] = 24;
    bytes[4..8].copy_from_slice(b"ftyp");
    bytes[8..12].copy_from_slice(brand);
    bytes[16..20].copy_from_slice(brand);
    bytes
}

#[tokio::test]
async fn the_example_is_uploaded_and_its_handle_is_sent() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4401").await;
    let key = &world.org.app_key;
    let files = [
        ("IMAGE", "image/png", upload(&world, key, "a.png", PNG).await, PNG.to_vec()),
        ("VIDEO", "video/mp4", upload(&world, key, "a.mp4", &container(b"isom")).await, container(b"isom")),
        ("DOCUMENT", "application/pdf", upload(&world, key, "a.pdf", &pdf(3 * MEGABYTE)).await, pdf(3 * MEGABYTE)),
    ];
    for (index, (format, mime, id, bytes)) in files.iter().enumerate() {
        let own = components(format, id);
        let body = wanted(&line.profile, &format!("with_{}", format.to_lowercase()), &own);
        let made = world.admin(Call::post(TEMPLATES).json(&body)).await.expect(201);
        assert_eq!((&made["status"], &made["components"]), (&json!("PENDING"), &own));
        let opened = world.platform.seen("/uploads").pop().unwrap();
        assert_eq!((opened.method.as_str(), opened.path.as_str()), ("POST", format!("/{APP_ID}/uploads").as_str()));
        assert_eq!(
            (opened.query["file_type"].as_str(), opened.query["file_length"].as_str()),
            (*mime, bytes.len().to_string().as_str())
        );
        let sent_bytes = world.platform.seen("upload:").pop().unwrap();
        assert_eq!(sent_bytes.headers["authorization"], "OAuth token-4401");
        assert!(sent_bytes.body == *bytes, "{} bytes", sent_bytes.body.len());
        let creation = world.platform.seen("4401/message_templates").pop().unwrap();
        assert_eq!((creation.method.as_str(), &creation.json()["components"]), ("POST", &sent(format, "4::handle")));
        assert_eq!(world.platform.seen("/uploads").len(), index + 1);
        assert_eq!(world.admin(Call::get(format!("{TEMPLATES}/{}", text(&made, "id")))).await.expect(200), made);
    }
    // From the next sync on, the example is what the platform shows.
    let sync = Call::post(format!("{TEMPLATES}/sync")).json(&json!({"chatBusinessProfileId": line.profile}));
    assert_eq!(world.admin(sync).await.expect(200)["updated"], 3);
    let named = Call::get(format!("{TEMPLATES}?chatBusinessProfileId={}&name=with_image", line.profile));
    assert_eq!(world.admin(named).await.expect(200)["data"][0]["components"], sent("IMAGE", "4::handle"));
}

/// Uploads a PDF to the bucket directly.
async fn large(world: &World, size: usize) -> String {
    let key = &world.org.app_key;
    let announced = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": size});
    let upload = world.send(Call::post("/v1/media/uploads").key(key).json(&announced)).await.expect(201);
    put_bytes(&upload, pdf(size)).await.unwrap();
    let id = text(&upload, "id");
    world.send(Call::post(format!("/v1/media/{id}/complete")).key(key)).await.expect(200);
    id
}

#[tokio::test]
async fn an_example_has_at_most_16_mib() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4405").await;
    let most = large(&world, 16 * MEGABYTE).await;
    let more = large(&world, 16 * MEGABYTE + 1).await;
    let create = |id: &str| Call::post(TEMPLATES).json(&wanted(&line.profile, "look", &components("DOCUMENT", id)));
    let refused = world.admin(create(&more)).await;
    assert!(refused.text.contains("may have at most 16777216 bytes"), "{}", refused.text);
    refused.refused(400, Some("components[1].example.mediaId"), None);
    assert!(world.platform.seen("upload").is_empty());
    world.admin(create(&most)).await.expect(201);
    assert_eq!(world.platform.seen("upload:").pop().unwrap().body.len(), 16 * MEGABYTE);
}

#[tokio::test]
async fn the_example_of_an_edit_is_uploaded_too() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4402").await;
    let mut rejected = template("1001", "hello");
    rejected["status"] = json!("REJECTED");
    world.platform.state().accounts.get_mut("4402").unwrap().templates = vec![rejected];
    let sync = Call::post(format!("{TEMPLATES}/sync")).json(&json!({"chatBusinessProfileId": line.profile}));
    world.admin(sync).await.expect(200);
    let id = upload(&world, &world.org.app_key, "a.jpg", &jpeg(100)).await;
    let edit = |components: &Value| Call::patch(format!("{TEMPLATES}/1001")).json(&json!({"components": components}));
    let foreign = components("DOCUMENT", &id);
    world.admin(edit(&foreign)).await.refused(400, Some("components[1].example.mediaId"), None);
    let unknown = components("IMAGE", &altered(&id));
    world.admin(edit(&unknown)).await.refused(404, Some("components[1].example.mediaId"), None);
    assert!(world.platform.seen("/uploads").is_empty() && world.platform.seen("/1001").is_empty());

    // What fails during the upload leaves the template as it was.
    world.platform.misbehave("upload:", Misbehave::Status(400, error(100, "no").to_string()), 1);
    world.admin(edit(&components("IMAGE", &id))).await.refused(422, None, Some("platform_api_error"));
    assert!(world.platform.seen("/1001").is_empty());
    let edited = world.admin(edit(&components("IMAGE", &id))).await.expect(200);
    let request = world.platform.seen("/1001").into_iter().find(|seen| seen.method == "POST").unwrap();
    assert_eq!(request.json(), json!({"components": sent("IMAGE", "4::handle")}));
    assert_eq!((&edited["status"], &edited["components"]), (&json!("PENDING"), &sent("IMAGE", "4::handle")));
}

#[tokio::test]
async fn only_a_fitting_medium_of_the_organization_and_mode_is_an_example() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4403").await;
    let stranger = world.organization("Stranger").await;
    let key = &world.org.app_key;
    let image = upload(&world, key, "a.png", PNG).await;
    let document = upload(&world, key, "a.pdf", &pdf(64)).await;
    let text_file = upload(&world, key, "a.txt", b"Hello").await;
    let old_video = upload(&world, key, "a.3gp", &container(b"3gp4")).await;
    let pending = uploaded(&world).await;
    let simulated = upload(&world, &world.org.test_app_key, "a.png", PNG).await;
    let foreign = upload(&world, &stranger.app_key, "a.png", PNG).await;
    let at = "components[1].example.mediaId";
    for (format, id, status) in [
        ("IMAGE", &document, 400),
        ("VIDEO", &image, 400),
        ("VIDEO", &old_video, 400),
        ("DOCUMENT", &image, 400),
        ("DOCUMENT", &text_file, 400),
        ("IMAGE", &altered(&image), 404),
        ("DOCUMENT", &pending, 404),
        ("IMAGE", &simulated, 404),
        ("IMAGE", &foreign, 404),
        ("IMAGE", &"picture".to_owned(), 400),
    ] {
        for dry_run in [false, true] {
            let mut body = wanted(&line.profile, "look", &components(format, id));
            body["dryRun"] = json!(dry_run);
            let refused = world.admin(Call::post(TEMPLATES).json(&body)).await;
            refused.refused(status, Some(at), None);
        }
    }
    let wrong =
        world.admin(Call::post(TEMPLATES).json(&wanted(&line.profile, "look", &components("IMAGE", &document))));
    let wrong = wrong.await;
    let message = "must be a JPEG or PNG image in a header of format IMAGE. This media is application/pdf.";
    assert!(wrong.text.contains(message), "{}", wrong.text);
    for (header, param) in [
        (json!({"type": "HEADER", "format": "IMAGE"}), "components[0].example.mediaId"),
        (json!({"type": "HEADER", "format": "IMAGE", "example": {}}), "components[0].example.mediaId"),
        (json!({"type": "HEADER", "format": "IMAGE", "example": {"mediaId": 7}}), "components[0].example.mediaId"),
        (
            json!({"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["4::a"]}}),
            "components[0].example.header_handle",
        ),
        (
            json!({"type": "HEADER", "format": "IMAGE", "text": "x", "example": {"mediaId": image}}),
            "components[0].text",
        ),
        (json!({"type": "HEADER", "format": "GIF", "example": {"mediaId": image}}), "components[0].example.mediaId"),
    ] {
        let body = wanted(&line.profile, "look", &json!([header, {"type": "BODY", "text": "x"}]));
        world.admin(Call::post(TEMPLATES).json(&body)).await.refused(400, Some(param), None);
    }
    // A dry run checks everything and uploads nothing.
    let mut body = wanted(&line.profile, "look", &components("image", &image));
    body["dryRun"] = json!(true);
    let valid = world.admin(Call::post(TEMPLATES).json(&body)).await.expect(200);
    assert_eq!(valid["components"], components("IMAGE", &image));
    world.clock.advance(Duration::from_secs(31 * 24 * 3600));
    let expired = world.admin(Call::post(TEMPLATES).json(&body)).await;
    expired.refused(404, Some(at), None);
    assert!(world.platform.seen("upload").is_empty() && world.platform.seen("message_templates").is_empty());
}

/// The platform has created the template, and its response was lost: the repeated request uploads the example again and
/// adopts the template.
#[tokio::test]
async fn a_template_with_a_medium_is_adopted_after_a_lost_response() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4404").await;
    let id = upload(&world, &world.org.app_key, "a.png", PNG).await;
    let body = wanted(&line.profile, "look", &components("IMAGE", &id));
    let mut made = template("1001", "look");
    made["status"] = json!("PENDING");
    made["category"] = json!("MARKETING");
    made["components"] = sent("IMAGE", "https://example.com/image");
    world.platform.state().accounts.get_mut("4404").unwrap().templates = vec![made];
    let adopted = world.admin(Call::post(TEMPLATES).json(&body)).await.expect(201);
    assert_eq!((&adopted["id"], &adopted["components"]), (&json!("1001"), &components("IMAGE", &id)));
}

#[tokio::test]
async fn simulated_templates_have_media_and_times_to_live() {
    let world = World::new().await;
    let profile = text(&simulated_profile(&world, &fresh_account(), false).await, "id");
    let id = upload(&world, &world.org.test_app_key, "a.png", PNG).await;
    let live = upload(&world, &world.org.app_key, "a.png", PNG).await;
    let mut body = wanted(&profile, "look", &components("IMAGE", &live));
    world.admin(Call::post(TEMPLATES).json(&body)).await.refused(404, Some("components[1].example.mediaId"), None);
    body["components"] = components("IMAGE", &id);
    body["messageSendTtlSeconds"] = json!(50_000);
    let made = world.admin(Call::post(TEMPLATES).json(&body)).await.expect(201);
    assert_eq!((&made["components"], &made["messageSendTtlSeconds"]), (&components("IMAGE", &id), &json!(50_000)));
    let sync = Call::post(format!("{TEMPLATES}/sync")).json(&json!({"chatBusinessProfileId": profile}));
    world.admin(sync).await.expect(200);
    let shown = world.admin(Call::get(format!("{TEMPLATES}/{}", text(&made, "id")))).await.expect(200);
    let url = shown["components"][1]["example"]["header_handle"][0].as_str().unwrap();
    assert_eq!(shown["messageSendTtlSeconds"], 50_000);
    assert!(url.starts_with("https://example.com/template-headers/simulated-"), "{url}");
    assert!(world.platform.state().seen.is_empty());
}
