//! Any request, output for scripts, and exit codes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::kit::{User, variable};

#[test]
#[ignore = "needs the local stack"]
fn any_operation_with_fields_pages_and_errors() {
    let user = User::local();
    let created =
        user.json(&["--local", "api", "POST", "/v1/organization/apps", "-f", "name=By hand", "-F", "test=true"]);
    assert_eq!((&created["name"], &created["isTestApp"]), (&Value::from("By hand"), &Value::from(true)));

    let all = user.json(&["--local", "api", "GET", "/v1/organization/apps", "-f", "limit=1", "--all"]);
    let listed = user.json(&["--local", "apps", "list"]);
    let ids = |list: &Value| list["data"].as_array().unwrap().iter().map(|app| app["id"].clone()).collect::<Vec<_>>();
    assert!(ids(&all).len() >= 3 && ids(&all).contains(&created["id"]), "{all}");
    assert!(ids(&listed).contains(&created["id"]));

    let path = format!("/v1/organization/apps/{}", created["id"].as_str().unwrap());
    assert_eq!(user.json(&["--local", "api", "patch", &path, "-f", "name=Renamed"])["name"], "Renamed");
    user.text(&["--local", "api", "DELETE", &path]);
    user.fails(4, &["--local", "api", "GET", &path]);

    let done = user.run(&["--local", "--json", "api", "POST", "/v1/organization/apps", "-f", "nam=x"]);
    assert_eq!(done.status.code(), Some(4));
    let error: Value = serde_json::from_slice(&done.stderr).unwrap();
    assert_eq!((&error["error"]["param"], &error["error"]["status"]), (&Value::from("name"), &Value::from(400)));
    assert!(error["error"]["requestId"].is_string());
    assert!(done.stdout.is_empty());

    let asked = ["--local", "api", "GET", "/v1/phone-numbers", "-H", "Playground-Error: rate_limit_exceeded"];
    assert!(user.fails(5, &asked).contains("rate_limit_exceeded"), "throttled is temporary");
    let message = ["type=text", "from=+12015550101", "to=+12015550123"].map(|field| ["-f", field]).concat();
    let nested =
        [&["--local", "api", "POST", "/v1/chat/messages"], &message[..], &["-F", "text.previewUrl=true"]].concat();
    assert!(user.fails(4, &nested).contains("text.body"), "text is an object");
}

/// A service whose pages of more than 5 objects are too large, so that it responds with 500. It writes down the sizes.
fn service_with_large_objects(sizes: Arc<Mutex<Vec<usize>>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let line = lines.next().unwrap_or_default();
            while lines.next().is_some_and(|line| !line.is_empty()) {}
            let number = |name: &str| {
                let value = line.split(['?', '&', ' ']).find_map(|part| part.strip_prefix(name));
                value.and_then(|value| value.parse().ok()).unwrap_or(0)
            };
            let (limit, first): (usize, usize) = (number("limit="), number("cursor="));
            sizes.lock().unwrap().push(limit);
            let (status, body) = match limit > 5 {
                true => ("500 Internal Server Error", json!({"message": "Internal Server Error"})),
                false => {
                    let end = (first + limit).min(12);
                    let data: Vec<_> = (first..end).map(|id| json!({"id": id})).collect();
                    ("200 OK", json!({"data": data, "nextCursor": (end < 12).then(|| end.to_string())}))
                }
            };
            let body = body.to_string();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).unwrap();
        }
    });
    url
}

#[test]
fn a_page_that_is_too_large_is_read_in_smaller_ones() {
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let url = service_with_large_objects(Arc::clone(&sizes));
    let user = User::new().set("MESSAGING_BASE_URL", &url).set("MESSAGING_API_KEY", "sk_test_app_x");
    let all = user.json(&["api", "GET", "/v1/webhooks", "-f", "limit=20", "--all"]);
    let ids: Vec<u64> = all["data"].as_array().unwrap().iter().map(|each| each["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, (0..12).collect::<Vec<_>>());
    assert_eq!(*sizes.lock().unwrap(), [20, 10, 5, 10, 5, 10, 5]);
}

#[test]
#[ignore = "needs the local stack"]
fn exit_codes_distinguish_the_kinds_of_failure() {
    let user = User::local();
    user.fails(2, &["--local", "frobnicate"]);
    user.fails(2, &["--local", "send", "chat"]);
    user.fails(4, &["--local", "messages", "show", "msg_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv"]);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{closed}");
    let user = User::new().set("MESSAGING_BASE_URL", &url).set("MESSAGING_API_KEY", &variable("ADMIN_KEY"));
    assert!(user.fails(5, &["apps", "list"]).contains("cannot be reached"));
    let found = user.run(&["doctor", "--json"]);
    assert_eq!(found.status.code(), Some(6));
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    assert!(found["data"][0]["remedy"].as_str().unwrap().contains("make run"), "{found}");
}

#[test]
#[ignore = "needs the local stack"]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let text = User::new().text(&["completions", shell]);
        for command in ["login", "listen", "redeliver", "forward-to"] {
            assert!(text.contains(command), "{shell}: {command}");
        }
    }
}
