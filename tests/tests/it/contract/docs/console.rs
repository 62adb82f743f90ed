//! The console: its page and files, and how the sign-in page leads to it.

use std::path::{Path, PathBuf};

use reference::Console;
use tests::{Call, Reply, Service as _, World};

const STORAGE: &str = "https://bucket.s3.eu-central-1.amazonaws.com";
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' https://bucket.s3.eu-central-1.amazonaws.com; media-src 'self' https://bucket.s3.eu-central-1.amazonaws.com; \
    connect-src 'self' https://bucket.s3.eu-central-1.amazonaws.com; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html";
/// The files that the page of the tests loads.
const FILES: [(&str, &str); 3] = [
    ("icon-Gh7.svg", "image/svg+xml"),
    ("index-dEf_4-5.css", "text/css; charset=utf-8"),
    ("index-AbC123.js", "text/javascript; charset=utf-8"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("console")
}

/// Returns an installation whose console has the files of the tests.
async fn with_console() -> World {
    let mut world = World::new().await;
    world.open_console(Console::at(folder(), Some(STORAGE)));
    world
}

fn headers<'a>(reply: &'a Reply, names: &[&str]) -> Vec<Option<&'a str>> {
    names.iter().map(|name| reply.header(name)).collect()
}

#[tokio::test]
async fn the_page_may_use_its_own_files_this_api_and_the_bucket() {
    let world = with_console().await;
    let page = world.send(Call::get("/console")).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-security-policy"), Some(POLICY));
    assert_eq!(
        headers(
            &page,
            &["cache-control", "content-type", "x-content-type-options", "referrer-policy", "content-encoding"]
        ),
        [Some("no-cache"), Some("text/html; charset=utf-8"), Some("nosniff"), Some("no-referrer"), None]
    );
    for (name, _) in FILES {
        assert!(page.text.contains(&format!("\"./console/{name}\"")), "{name}");
    }

    let packed = world.send(Call::get("/console").header("accept-encoding", "gzip")).await;
    assert_eq!(headers(&packed, &["content-encoding", "vary"]), [Some("gzip"), Some("Accept-Encoding")]);
}

#[tokio::test]
async fn files_are_compressed_and_never_change() {
    let world = with_console().await;
    for (name, content_type) in FILES {
        // Like the files of the other pages, they exist compressed only.
        for accepted in ["gzip", "identity"] {
            let file = world.send(Call::get(format!("/console/{name}")).header("accept-encoding", accepted)).await;
            assert_eq!(file.status, 200, "{name}");
            assert_eq!(
                headers(&file, &["content-type", "content-encoding", "cache-control", "x-content-type-options"]),
                [Some(content_type), Some("gzip"), Some("public, max-age=31536000, immutable"), Some("nosniff")]
            );
        }
    }
}

#[tokio::test]
async fn nothing_else_is_served() {
    let world = with_console().await;
    let others = [
        "index-AbC124.js",
        "index-AbC123.js.gz",
        "index.html",
        "notes.txt",
        "plain.js",
        "two..dots.js",
        "..",
        "%2e%2e%2fCargo.toml",
        "..%2findex-AbC123.js",
        "index-AbC123.js%00",
        "INDEX-ABC123.JS",
    ];
    for name in others {
        let reply = world.send(Call::get(format!("/console/{name}"))).await;
        reply.refused(404, Some("file"), None);
    }
    for path in ["/console/", "/console/../Cargo.toml", "/console/a/b.js", "/console//index-AbC123.js"] {
        let status = world.send_undocumented(Call::get(path)).await.status;
        assert_eq!(status, 404, "{path}");
    }
}

#[tokio::test]
async fn whoever_signs_in_goes_on_to_the_console_if_there_is_one() {
    let page = with_console().await.send(Call::get("/sign-in")).await;
    assert!(page.text.contains(" data-console=\"console\""), "{}", page.text);

    let page = World::new().await.send(Call::get("/sign-in")).await;
    assert!(!page.text.contains("console"), "{}", page.text);
}

#[tokio::test]
async fn an_installation_without_a_console_has_none_of_its_pages() {
    let mut world = World::new().await;
    world.open_console(Console::at(folder().join("nowhere"), Some(STORAGE)));
    for path in ["/console", "/console/index-AbC123.js"] {
        world.send(Call::get(path)).await.refused(404, None, None);
    }
    for page in ["/sign-in", "/api_reference"] {
        let page = world.send(Call::get(page)).await;
        assert!(!page.text.contains("console"), "{}", page.text);
    }
}
