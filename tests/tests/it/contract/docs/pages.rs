//! The HTML pages, their files and the document.

use std::io::Read as _;
use std::sync::Arc;

use api::HttpService;
use domain::events::webhook::AddressPolicy;
use flate2::read::GzDecoder;
use http_body_util::BodyExt as _;
use reference::ReferenceContext;
use runtime::Installation;
use serde_json::json;
use tests::settings::{API_URL, DOCS_URL};
use tests::{Call, Service as _, World};

#[tokio::test]
async fn the_pages_files_are_ours_and_never_change() {
    let world = World::new().await;
    let mut files = 0;
    for page in ["/api_reference", "/api_reference/error-codes", "/onboarding", "/onboarding/simulated-consent"] {
        let html = world.send(Call::get(page)).await;
        assert!(html.header("content-security-policy").unwrap().starts_with("default-src 'none'"));

        for link in html.text.split(['"', '\'']).filter(|link| link.contains("assets/")) {
            let name = link.rsplit('/').next().unwrap();
            let file = world.send(Call::get(format!("/api_reference/assets/{name}"))).await;
            assert_eq!((file.status.as_u16(), file.header("content-encoding")), (200, Some("gzip")), "{name}");
            assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"), "{name}");
            files += 1;
        }
        // The addresses of the API and of the documentation are data: nothing is loaded from them.
        let loaded = html.text.replace(&format!("\"{API_URL}\""), "").replace(&format!("\"{DOCS_URL}\""), "");
        assert!(!loaded.contains("//"), "{page} refers to another host");
    }
    assert_eq!(files, 8);
    world.send(Call::get("/api_reference/assets/style.css")).await.refused(404, Some("asset"), None);
}

/// Sends a request with this `Accept-Encoding`. Returns the encoding of the response and its bytes.
async fn encoded(world: &World, path: &str, accepted: Option<&str>) -> (Option<String>, Vec<u8>) {
    let call = Call::get(path);
    let call = accepted.into_iter().fold(call, |call, accepted| call.header("accept-encoding", accepted));
    let response = world.api(path).respond(call.request()).await;
    assert_eq!(response.status(), 200, "{path}");
    assert_eq!(response.headers()["vary"], "Accept-Encoding", "{path}");
    let encoding = response.headers().get("content-encoding").map(|value| value.to_str().unwrap().to_owned());
    (encoding, response.into_body().collect().await.unwrap().to_bytes().to_vec())
}

#[tokio::test]
async fn public_texts_are_compressed_for_who_accepts_it() {
    let world = World::new().await;
    for path in ["/v1/openapi.json", "/v1/errors", "/api_reference", "/api_reference/error-codes"] {
        let (encoding, plain) = encoded(&world, path, None).await;
        assert_eq!(encoding, None, "{path}");

        for refused in ["identity", "br", "gzip;q=0, identity"] {
            assert_eq!(encoded(&world, path, Some(refused)).await, (None, plain.clone()), "{path}: {refused}");
        }

        let (encoding, packed) = encoded(&world, path, Some("gzip, deflate, br")).await;
        assert_eq!(encoding.as_deref(), Some("gzip"), "{path}");
        let mut unpacked = Vec::new();
        GzDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain, "{path}");
        assert!(packed.len() < plain.len() * 3 / 5, "{path}: {} of {}", packed.len(), plain.len());
    }
}

/// If the documentation has an address of its own, the page may send requests to the API's address; otherwise only to
/// its own origin.
#[tokio::test]
async fn the_reference_knows_where_the_api_is() {
    let world = World::new().await;
    let page = world.send(Call::get("/api_reference")).await;
    assert!(page.header("content-security-policy").unwrap().contains(&format!("connect-src 'self' {API_URL};")));
    assert!(page.text.contains(&format!("data-docs=\"{DOCS_URL}\" data-api=\"{API_URL}\"")), "{}", page.text);
    assert_eq!(page.header("cache-control"), Some("public, max-age=60"));

    let errors = world.send(Call::get("/api_reference/error-codes")).await;
    assert!(errors.header("content-security-policy").unwrap().contains("connect-src 'self' ;"));

    let installation = Arc::new(Installation {
        docs_url: API_URL.to_owned(),
        webhook_addresses: AddressPolicy { own: Vec::new(), allow_local: false },
    });
    let alone = HttpService::new(
        reference::routes(ReferenceContext::new(installation.clone(), &format!("{API_URL}/"))),
        installation,
    );

    let page = alone.respond(Call::get("/api_reference").request()).await;
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("connect-src 'self' ;"));
    let page = page.into_body().collect().await.unwrap().to_bytes();
    assert!(!String::from_utf8_lossy(&page).contains(API_URL));
}

#[tokio::test]
async fn the_document_and_the_bare_address_name_this_installation() {
    let world = World::new().await;
    let document = world.send(Call::get("/v1/openapi.json")).await.expect(200);
    assert_eq!(document["servers"][0]["url"], json!(API_URL));
    assert!(!document.to_string().contains("https://api.example.com"));

    let bare = world.send(Call::get("/")).await;
    assert_eq!(
        (bare.status.as_u16(), bare.header("location")),
        (302, Some(format!("{API_URL}/api_reference").as_str()))
    );
}
