//! Sending, uploading, and the log of messages.

use std::io::{BufRead as _, BufReader};

use serde_json::Value;

use crate::kit::User;

fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

#[test]
#[ignore = "needs the local stack"]
fn a_chat_message_is_followed_to_its_delivery() {
    let (user, _) = User::with_app("Chat by hand");
    let mut tail = user.command(&["messages", "tail", "--count", "1", "--json"]).spawn().unwrap();
    // What comes before its first look is not new to it.
    let mut started = BufReader::new(tail.stdout.take().unwrap());
    user.json(&["messages", "list"]);
    std::thread::sleep(std::time::Duration::from_secs(1));

    let to = ["send", "chat", "--to", "+12015550123"];
    let sent = user.json(&[&to[..], &["--text", "Hello", "--wait", "--client-reference", "r-1"]].concat());
    assert!(sent["deliveredAt"].is_string() || sent["readAt"].is_string(), "{sent}");
    let keyed = [&to[..], &["--text", "Once", "--idempotency-key", "the-same"]].concat();
    assert_eq!(id(&user.json(&keyed)), id(&user.json(&keyed)), "the second run sends nothing");

    let listed = user.json(&["messages", "list", "--client-reference", "r-1"]);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    assert_eq!(user.json(&["messages", "list", "--limit", "1"])["data"].as_array().unwrap().len(), 1);
    assert_eq!(user.json(&["messages", "list", "--all"])["data"].as_array().unwrap().len(), 2);
    assert_eq!(user.json(&["messages", "show", id(&sent)])["textBody"], "Hello");
    assert!(user.text(&["messages", "show", id(&sent)]).contains("Hello"));
    let timeline = user.text(&["messages", "show", id(&sent), "--timeline"]);
    assert!(
        timeline.contains("REQUESTED") && timeline.contains("ACCEPTED") && timeline.contains("DELIVERED"),
        "{timeline}"
    );
    assert!(user.json(&["messages", "list", "--status", "FAILED"])["data"].as_array().unwrap().is_empty());
    assert!(user.json(&["messages", "failures"])["data"].as_array().unwrap().is_empty());
    let usage = user.json(&["usage", "--group-by", "channel"]);
    assert!(usage["data"].is_array() && usage["gaps"].is_array() && usage["nextCursor"].is_null(), "{usage}");
    assert!(user.text(&["usage"]).starts_with("PERIOD"));
    let inbound = ["from=+12015550123", "type=text", "text.body=Is it on its way?"].map(|field| ["-f", field]).concat();
    user.json(&[&["api", "POST", "/v1/playground/chat/inbound"], &inbound[..]].concat());
    let listed = user.text(&["messages", "list"]);
    let row = listed.lines().find(|row| row.contains("Is it on its way?")).unwrap();
    assert!(listed.starts_with("ID ") && row.contains("<-  +12015550123") && row.contains("RECEIVED"), "{listed}");

    let mut line = String::new();
    started.read_line(&mut line).unwrap();
    let seen: Value = serde_json::from_str(&line).unwrap();
    assert!(["Hello", "Once"].contains(&seen["textBody"].as_str().unwrap()), "{seen}");
    assert!(tail.wait().unwrap().success());
}

#[test]
fn a_message_without_content_says_how_to_give_it() {
    let user = User::new();
    let chat = user.fails(2, &["send", "chat", "--to", "+12015550123"]);
    let ways = [
        "--text TEXT",
        "--template NAME --language CODE",
        "--media MEDIA_ID --kind image|video|audio|document|sticker",
        "messaging api POST /v1/chat/messages --input message.json",
    ];
    assert!(ways.iter().all(|way| chat.contains(way)), "{chat}");
    let sms = user.fails(2, &["send", "sms", "--to", "+12015550123"]);
    assert!(sms.contains("--text TEXT") && sms.contains("--media MEDIA_ID"), "{sms}");
}

#[test]
fn outcomes_are_completed() {
    let user = User::new();
    for shell in ["bash", "zsh", "fish"] {
        let completions = user.text(&["completions", shell]);
        let is_complete = ["PENDING", "ACCEPTED", "UNKNOWN", "REFUSED", "EXPIRED"]
            .iter()
            .all(|outcome| completions.contains(outcome));
        assert!(is_complete, "{shell}");
    }
    assert!(user.fails(2, &["messages", "list", "--outcome", "FAILED"]).contains("possible values: PENDING, ACCEPTED"));
}

#[test]
#[ignore = "needs the local stack"]
fn a_message_that_fails_is_bad_news() {
    let user = User::local();
    let send = |to: &str| ["--local", "send", "chat", "--text", "x", "--wait", "--to", to].map(str::to_owned);
    let run = |code, to: &str| user.fails(code, &send(to).each_ref().map(String::as_str));
    assert!(run(4, "+99910131026").contains("message_undeliverable"));
    assert!(run(6, "+99920131026").contains("The message failed"));
    assert!(run(4, "+1").contains("to must be a phone number"));
}

#[test]
#[ignore = "needs the local stack"]
fn sms_names_the_numbers_to_choose_from() {
    let user = User::local();
    let numbers = user.json(&["--local", "api", "GET", "/v1/phone-numbers", "--all"]);
    let sms: Vec<_> = numbers["data"].as_array().unwrap().iter().filter(|number| number["kind"] == "sms").collect();
    let from = sms[0]["number"].as_str().unwrap();
    let to = ["--local", "send", "sms", "--to", "+12015550123", "--text", "Hello"];
    assert!(user.fails(2, &to).contains(from), "the test app has several numbers");
    let sent = user.json(&[&to[..], &["--from", from]].concat());
    assert_eq!(user.json(&["--local", "messages", "show", id(&sent)])["text"], "Hello");
    assert!(user.fails(4, &["--local", "messages", "list", "--sms"]).contains("several phone numbers"));
    let number = sms[0]["id"].as_str().unwrap();
    let listed = user.json(&["--local", "messages", "list", "--sms", "--number", number]);
    assert!(listed["data"].as_array().unwrap().iter().any(|message| message["id"] == sent["id"]));
}

#[test]
#[ignore = "needs the local stack"]
fn files_of_every_size_are_uploaded() {
    let user = User::local();
    let small = user.home.path().join("note \"1\".txt");
    std::fs::write(&small, "Hello").unwrap();
    let media = user.json(&["--local", "upload", small.to_str().unwrap()]);
    assert_eq!((&media["fileSize"], &media["mimeType"]), (&Value::from(5), &Value::from("text/plain")));
    // Above 4 MiB, and no multiple of what is read at once.
    let large = user.home.path().join("large.txt");
    std::fs::write(&large, "a".repeat((5 << 20) + 7)).unwrap();
    let media = user.json(&["--local", "upload", large.to_str().unwrap(), "--name", "report.txt"]);
    assert_eq!((&media["fileSize"], &media["fileName"]), (&Value::from((5 << 20) + 7), &Value::from("report.txt")));
    let odd = user.home.path().join("program.exe");
    std::fs::write(&odd, "MZ").unwrap();
    assert!(user.fails(2, &["--local", "upload", odd.to_str().unwrap()]).contains("--type"));
    assert!(user.fails(4, &["--local", "upload", odd.to_str().unwrap(), "--type", "image/png"]).contains("file"));
}
