//! Requests against an HTTP server in the test, which breaks connections and records what it got.

#![allow(clippy::unwrap_used, reason = "a test ends where it is surprised")]

use std::io::{BufRead as _, BufReader, Cursor, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use messaging_client::types::{CreateApp, CreateMediaUpload};
use messaging_client::{Client, Error, Scope};
use serde_json::{Value, json};

const KEY: &str = "sk_test_app_secret";

/// What the server does with a request; `None` breaks the connection after reading it.
type Answer = Option<(u16, String, Value)>;

#[derive(Clone, Debug)]
struct Seen {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Seen {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

struct Server {
    url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Gives these answers in turn. An answer's text is more headers; `{url}` stands for the server's address.
    fn start(answers: Vec<Answer>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Server { url: url.clone(), seen: Arc::default() };
        let seen = server.seen.clone();
        std::thread::spawn(move || {
            let mut answers = answers.into_iter();
            for stream in listener.incoming() {
                let mut reader = BufReader::new(stream.unwrap());
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let mut request = Seen { line: line.trim_end().to_owned(), headers: Vec::new(), body: Vec::new() };
                loop {
                    line.clear();
                    reader.read_line(&mut line).unwrap();
                    let Some((name, value)) = line.trim_end().split_once(':') else { break };
                    request.headers.push((name.to_lowercase(), value.trim().to_owned()));
                }
                let length = request.header("content-length").unwrap_or("0").parse().unwrap();
                request.body.resize(length, 0);
                reader.read_exact(&mut request.body).unwrap();
                seen.lock().unwrap().push(request);
                let Some((status, headers, body)) = answers.next().flatten() else { continue };
                let body = body.to_string().replace("{url}", &url);
                let head = format!(
                    "HTTP/1.1 {status} Test\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                write!(reader.get_mut(), "{head}{body}").unwrap();
            }
        });
        server
    }

    fn client(&self) -> Client {
        Client::new(&self.url, KEY).unwrap()
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

fn answer(status: u16, body: Value) -> Answer {
    Some((status, String::new(), body))
}

fn app() -> Value {
    json!({"id": "app_1", "name": "Shop", "slug": "shop", "isTestApp": true, "eventFeed": true, "createdAt": "", "updatedAt": "", "new": 1})
}

#[tokio::test]
async fn a_post_is_repeated_with_the_same_key() {
    let server = Server::start(vec![None, answer(503, json!({"message": "Service Unavailable"})), answer(201, app())]);
    let created =
        server.client().create_app(&CreateApp { name: "Shop".to_owned(), ..CreateApp::default() }).await.unwrap();
    assert_eq!((created.name.as_str(), created.status, &created.raw["new"]), ("Shop", 201, &json!(1)));
    let keys: Vec<_> = server.seen().iter().map(|seen| seen.header("idempotency-key").unwrap().to_owned()).collect();
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    let bearer = format!("Bearer {KEY}");
    assert_eq!(server.seen()[0].header("authorization"), Some(bearer.as_str()));
}

#[tokio::test]
async fn a_deletion_that_may_have_happened_is_not_repeated() {
    let server = Server::start(vec![None, answer(204, json!(null))]);
    let error = server.client().delete_admin_key(&"key_admin_1".to_owned()).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }) && error.is_temporary(), "{error}");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_key_follows_no_redirect_and_ids_cannot_leave_their_place() {
    let elsewhere = Server::start(vec![]);
    let away = format!("location: {}\r\n", elsewhere.url);
    let server = Server::start(vec![
        Some((302, away, json!({}))),
        answer(404, json!({"error": {"type": "x", "message": "No such message."}})),
    ]);
    let client = server.client();
    client.get("/v1/health").send_bytes().await.unwrap();
    assert!(elsewhere.seen().is_empty());
    let error = client.chat_message("../apps?x=/1").await.unwrap_err();
    assert_eq!((error.status(), error.to_string()), (Some(404), "No such message.".to_owned()));
    assert_eq!(server.seen()[1].line, "GET /v1/chat/messages/%2E%2E%2Fapps%3Fx%3D%2F1 HTTP/1.1");
    assert!(!format!("{client:?} {:?}", client.get("/")).contains("secret"));
}

#[tokio::test]
async fn pages_are_read_to_the_end() {
    let page = |data: Value, next: Value| answer(200, json!({"data": data, "nextCursor": next}));
    let server = Server::start(vec![
        page(json!([1, 2]), json!("a b")),
        page(json!([]), json!("c")),
        page(json!([3]), json!(null)),
    ]);
    let all: Vec<u32> = server.client().get("/v1/things").query("limit", 2).pages().all().await.unwrap();
    assert_eq!(all, [1, 2, 3]);
    let lines: Vec<_> = server.seen().iter().map(|seen| seen.line.clone()).collect();
    assert_eq!(lines[1], "GET /v1/things?limit=2&cursor=a%20b HTTP/1.1");
    assert_eq!(lines[2], "GET /v1/things?limit=2&cursor=c HTTP/1.1");
}

fn failed() -> Answer {
    answer(500, json!({"message": "Internal Server Error"}))
}

fn paths(server: &Server) -> Vec<String> {
    let lines = server.seen().into_iter().map(|seen| seen.line);
    lines.map(|line| line.trim_start_matches("GET ").trim_end_matches(" HTTP/1.1").to_owned()).collect()
}

/// A page can be too long for the service, which then responds with 500, as often as it is asked for.
#[tokio::test]
async fn a_page_that_fails_is_read_in_halves() {
    let page = |data: Value, next: Value| answer(200, json!({"data": data, "nextCursor": next}));
    let server = Server::start(vec![
        failed(),
        failed(),
        page(json!([1]), json!("a")),
        page(json!([2, 3]), json!("b")),
        failed(),
        page(json!([4, 5]), json!("c")),
        page(json!([6]), json!(null)),
    ]);
    let all: Vec<u32> = server.client().get("/v1/things").query("limit", 4).pages().all().await.unwrap();
    assert_eq!(all, [1, 2, 3, 4, 5, 6]);
    let expected = [
        "?limit=4",
        "?limit=2",
        "?limit=1",
        "?limit=2&cursor=a",
        "?limit=4&cursor=b",
        "?limit=2&cursor=b",
        "?limit=4&cursor=c",
    ];
    assert_eq!(paths(&server), expected.map(|query| format!("/v1/things{query}")));

    // Without a size, it is half of the default. A page of one object that fails is repeated like any other request.
    let mut answers: Vec<_> = (0..5).map(|_| failed()).collect();
    answers.push(page(json!([1]), json!(null)));
    let server = Server::start(answers);
    let all: Vec<u32> = server.client().get("/v1/things").pages().all().await.unwrap();
    assert_eq!(all, [1]);
    let expected = ["", "?limit=12", "?limit=6", "?limit=3", "?limit=1", "?limit=1"];
    assert_eq!(paths(&server), expected.map(|query| format!("/v1/things{query}")));
}

#[tokio::test]
async fn a_page_of_events_that_fails_is_read_in_halves() {
    let page = |after: &str| answer(200, json!({"data": [], "nextAfter": after}));
    let server = Server::start(vec![failed(), page("b"), page("c")]);
    let client = server.client();
    let mut feed = client.feed(&Scope::OwnApp, &[], Some("a".to_owned()));
    for _ in 0..2 {
        let page = feed.page().await.unwrap();
        assert!(feed.advance(&page));
    }
    let expected = ["?after=a&limit=100", "?after=a&limit=50", "?after=b&limit=100"];
    assert_eq!(paths(&server), expected.map(|query| format!("/v1/events{query}")));
}

#[tokio::test]
async fn a_large_file_goes_to_storage_without_the_key() {
    let size = (4 << 20) + 1;
    let upload = json!({"id": "media_1", "uploadUrl": "{url}/bucket?signature=x", "headers": {"x-amz-meta-a": "b"}, "expiresAt": ""});
    let media = json!({"id": "media_1", "fileName": "a", "mimeType": "text/plain", "fileSize": size, "mediaType": "document", "url": "",
        "expiresAt": "", "createdAt": "", "urlExpiresIn": 1});
    let server = Server::start(vec![answer(201, upload), answer(200, json!(null)), answer(200, media)]);
    let file =
        CreateMediaUpload { file_name: "a".to_owned(), file_size: size, mime_type: "text/plain".to_owned().into() };
    let progress = Arc::new(Mutex::new(Vec::new()));
    let shown = progress.clone();
    let content = Cursor::new(vec![b'a'; usize::try_from(size).unwrap()]);
    let media =
        server.client().upload(file, content, Box::new(move |done| shown.lock().unwrap().push(done))).await.unwrap();
    assert_eq!(media.id, "media_1");
    let put = &server.seen()[1];
    assert_eq!(put.line, "PUT /bucket?signature=x HTTP/1.1");
    assert_eq!((put.header("authorization"), put.header("x-amz-meta-a")), (None, Some("b")));
    assert_eq!(put.body.len(), usize::try_from(size).unwrap());
    let progress = progress.lock().unwrap();
    assert!(progress.is_sorted() && progress.last() == Some(&u64::try_from(size).unwrap()), "{progress:?}");
    assert_eq!(server.seen()[2].line, "POST /v1/media/media_1/complete HTTP/1.1");
}
