//! The generated client files contain every operation, and the service understands the requests of the .http file.

use std::collections::{BTreeMap, BTreeSet};

use http::Method;
use serde_json::Value;
use tests::{Call, Service as _, World};

/// Returns the content of a file that `make contract` writes.
fn generated(path: &str) -> String {
    let files = contract::files::untracked().into_iter();
    let (_, content) = files.into_iter().find(|(found, _)| *found == path).unwrap();
    content
}

fn operation_names() -> BTreeSet<String> {
    let document = contract::document();
    contract::public_operations(&document).map(|operation| operation.id().replace('.', "_")).collect()
}

/// The values that a user would fill in: credentials of this organization, and ids that do not exist.
fn variables(world: &World) -> BTreeMap<String, String> {
    let document = contract::document();
    let mut variables = BTreeMap::new();
    for operation in contract::operations(&document) {
        for parameter in operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten() {
            if let (Some(name), Some(example)) = (parameter["name"].as_str(), parameter["example"].as_str()) {
                variables.insert(name.to_owned(), example.to_owned());
            }
        }
    }
    let org = &world.org;
    for (name, value) in [
        ("baseUrl", ""),
        ("adminKey", &org.admin),
        ("testAppKey", &org.test_app_key),
        ("session", "session_of_nobody"),
        ("signInLink", "signin_of_nobody"),
        ("messageId", "msg_wa_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv"),
        ("smsMessageId", "msg_sms_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv"),
    ] {
        variables.insert(name.to_owned(), value.to_owned());
    }
    variables
}

/// Parses one request of the file as an editor's client does.
fn call(text: &str) -> Call {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.lines().filter(|line| !line.starts_with('#'));
    let (method, path) = lines.next().unwrap().split_once(' ').unwrap();
    let mut call = Call::new(method.parse::<Method>().unwrap(), path);
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        call = call.header(name, value);
    }
    call.bytes(body.trim_end().replace("< ./photo.png", "picture").replace('\n', "\r\n"))
}

#[tokio::test]
async fn every_request_of_the_http_file_is_understood() {
    let world = World::new().await;
    let mut text = generated(contract::files::HTTP_FILE);
    for (name, value) in variables(&world) {
        text = text.replace(&format!("{{{{{name}}}}}"), &value);
    }
    assert!(
        !text.contains("{{"),
        "a variable that nobody knows: {}",
        &text[text.find("{{").unwrap_or(0)..][..60.min(text.len())]
    );
    let mut names = BTreeSet::new();
    for request in text.split("\n### ").skip(1) {
        let name = request.lines().find_map(|line| line.strip_prefix("# @name ")).unwrap();
        names.insert(name.to_owned());
        let request = request.split_once('\n').unwrap().1.trim();
        let reply = world.send(call(request)).await;
        let status = reply.status.as_u16();
        let understood = match name {
            // The file does not contain the photo's bytes.
            "media_upload" => status == 415,
            // Numbers differ from app to app.
            "chat_messages_send" | "sms_send" => reply.json()["error"]["param"] == "from",
            // A test app has two of them.
            "sms_list" => reply.json()["error"]["param"] == "phoneNumberId",
            // Nobody has signed in.
            "session_get" | "session_switch" | "session_delete" | "session_createKey" | "signIn_link_get" => {
                status == 401
            }
            _ => status < 400 || status == 404 && reply.json()["error"]["param"].is_string(),
        };
        assert!(understood, "{name}: {reply:?}");
    }
    assert_eq!(names, operation_names());
}

#[test]
fn the_collection_has_every_operation() {
    let document = contract::document();
    let collection: Value = serde_json::from_str(&generated(contract::files::COLLECTION)).unwrap();
    let mut found = BTreeSet::new();
    for item in collection["item"].as_array().unwrap().iter().flat_map(|folder| folder["item"].as_array().unwrap()) {
        let request = &item["request"];
        let segments: Vec<String> = request["url"]["path"]
            .as_array()
            .unwrap()
            .iter()
            .map(|segment| segment.as_str().unwrap())
            .map(|segment| segment.strip_prefix(':').map_or(segment.to_owned(), |name| format!("{{{name}}}")))
            .collect();
        found.insert((request["method"].as_str().unwrap().to_owned(), format!("/{}", segments.join("/"))));
        if let Some(raw) = request["body"]["raw"].as_str() {
            serde_json::from_str::<Value>(raw).unwrap();
        }
    }
    let expected: BTreeSet<_> = contract::public_operations(&document)
        .map(|operation| (operation.method.clone(), operation.path.to_owned()))
        .collect();
    assert_eq!(found, expected);
}
