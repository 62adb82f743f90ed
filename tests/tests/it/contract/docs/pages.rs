//! The HTML pages, their files and the document.

use std::collections::BTreeSet;
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
    let texts = ["/llms.txt", "/api_reference.md", "/api_reference/messages.md", "/api_reference/error-codes.md"];
    for path in
        ["/v1/openapi.json", "/v1/errors", "/api_reference", "/api_reference/error-codes"].into_iter().chain(texts)
    {
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

/// Every page that llms.txt lists is served, and every link in these texts leads somewhere.
#[tokio::test]
async fn programs_find_every_page_as_text() {
    let world = World::new().await;
    let list = world.send(Call::get("/llms.txt")).await;
    assert_eq!(list.header("content-type"), Some("text/plain; charset=utf-8"));
    let mut pages = BTreeSet::new();
    for target in targets(&list.text).filter_map(|target| target.strip_prefix(API_URL)) {
        let (path, heading) = target.split_once('#').unwrap_or((target, ""));
        let page = world.send(Call::get(path)).await;
        assert_eq!(page.status.as_u16(), 200, "{path}");
        assert!(heading.is_empty() || headings(&page.text).any(|known| known == heading), "{target}");
        assert!(!page.text.contains("https://api.example.com"), "{path}");
        if !path.ends_with(".md") {
            continue;
        }

        assert_eq!(page.header("content-type"), Some("text/markdown; charset=utf-8"), "{path}");
        assert_eq!(page.header("cache-control"), Some("public, max-age=60"), "{path}");
        let all: Vec<String> = headings(&page.text).collect();
        assert_eq!(BTreeSet::from_iter(&all).len(), all.len(), "{path} has a heading twice: {all:?}");
        for target in targets(&page.text).filter(|target| !target.starts_with("http")) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let text = match resolved(path, file) {
                Some(other) => world.send(Call::get(&other)).await.text,
                None => page.text.clone(),
            };
            let is_there = heading.is_empty() || headings(&text).any(|known| known == heading);
            assert!(is_there, "{path} links to {target}");
        }
        pages.insert(path);
    }
    assert_eq!(pages.len(), 17);

    for page in ["/api_reference", "/api_reference/error-codes"] {
        let html = world.send(Call::get(page)).await.text;
        let twin = html.split("type=\"text/markdown\" href=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let twin = world.send(Call::get(resolved(page, twin).unwrap())).await;
        assert_eq!(twin.status.as_u16(), 200, "{page}");
    }
    world.send(Call::get("/api_reference/other.md")).await.refused(404, Some("page"), None);
}

/// Returns the targets of the links in a Markdown text. Regular expressions have brackets, too.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| target.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._/#:".contains(letter)))
}

/// Returns the path of a file that a page names, or nothing for the page itself.
fn resolved(page: &str, file: &str) -> Option<String> {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    match file.strip_prefix("../") {
        _ if file.is_empty() => None,
        Some(file) => Some(format!("/{file}")),
        None => Some(format!("{folder}/{file}")),
    }
}

/// Returns what the headings of a text are linked to by.
fn headings(text: &str) -> impl Iterator<Item = String> {
    // Every other part is outside of the blocks of code, in which comments look like headings.
    let prose = text.split("```").step_by(2).flat_map(str::lines);
    let headings = prose.filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    headings.map(|heading| {
        let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    })
}
