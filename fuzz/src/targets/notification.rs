//! Platform notifications. Line 1 is the signature header, or `signed`; the rest is the body. One account and one of its numbers
//! are connected (service/); `$ACCOUNT` and `$PHONE` stand for them.
//!
//! A body is accepted only with a right signature. Nothing is lost: each update is split off unchanged and is applied, queued or
//! counted. A queued update reads back unchanged, and a repeated update changes nothing. The log contains no message content.

use axum::body::Body;
use domain::id::OrganizationId;
use domain::identity::credential::hex;
use domain::job::Job;
use http::{HeaderValue, Request};
use inbound::{Routed, Update, fits, split, update_jobs};
use ring::hmac;
use serde_json::Value;
use tests::Reply;
use tests::standin::APP_SECRET;

use super::line;
use crate::service::{ACCOUNT, NUMBER, Service, service};

/// A value that must not be logged.
const SECRET: &str = "s3cr3t";
const LARGEST_MESSAGE: usize = 256 * 1024;

pub fn run(input: &[u8]) {
    let (header, body) = line(input);
    let body = match std::str::from_utf8(body) {
        Ok(text) => text.replace("$ACCOUNT", ACCOUNT).replace("$PHONE", NUMBER).into_bytes(),
        Err(_) => body.to_vec(),
    };
    let right = signature(&body);
    let header = if header == b"signed" { right.clone().into_bytes() } else { header.to_vec() };
    let Ok(header) = HeaderValue::from_bytes(&header) else { return };
    let is_believed = header.to_str().is_ok_and(|sent| {
        let sent = sent.trim();
        sent.starts_with("sha256=") && sent.eq_ignore_ascii_case(&right)
    });
    let updates = expect_split(&body);

    let service = service();
    let reply = post(&service, &header, &body);
    match (is_believed, &updates) {
        (false, _) => {
            assert_eq!(reply.status, 401, "{reply:?}");
            assert_eq!(reply.json()["error"]["param"], "X-Hub-Signature-256");
            assert!(service.memory.changes().is_empty() && service.memory.sent().is_empty());
        }
        (true, None) => {
            assert_eq!(reply.status, 400, "{reply:?}");
            assert_eq!(reply.json()["error"]["param"], "body");
        }
        (true, Some((updates, others))) => {
            assert_eq!(reply.status, 200, "{reply:?}\n{}", service.logged());
            let told = reply.json();
            let count =
                |name: &str| told[name].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default();
            assert_eq!(count("accepted") + count("ignored"), updates.len() + others, "{told}");
            assert!(count("ignored") >= *others);
            let before = service.memory.changes();
            expect_queued(&service.memory.sent(), updates);
            // Several updates may contradict each other.
            if updates.len() == 1 {
                let again = post(&service, &header, &body);
                assert_eq!(again.json(), told);
                assert_eq!(service.memory.changes(), before, "a repeated update changes something");
            }
        }
    }
    expect_texts_kept(&service, &body);
}

fn signature(body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, APP_SECRET.as_bytes());
    format!("sha256={}", hex(hmac::sign(&key, body).as_ref()))
}

fn post(service: &Service, signature: &HeaderValue, body: &[u8]) -> Reply {
    let request = Request::post("/v1/platform/notifications").header("X-Hub-Signature-256", signature);
    service.answer(request.body(Body::from(body.to_vec())).expect("a request"))
}

/// The updates and the number of other changes; `None` if the body is not a notification.
fn expect_split(body: &[u8]) -> Option<(Vec<Update>, usize)> {
    let Ok(split) = split(body) else {
        // A body with a list of entries, or with one entry, is a notification.
        let value = serde_json::from_slice::<Value>(body).ok();
        let is_plain = body.windows(5).filter(|window| *window == b"entry").count() == 1 && !body.contains(&b'\\');
        assert!(
            !is_plain || !value.is_some_and(|value| value["entry"].is_array()),
            "{}",
            String::from_utf8_lossy(body)
        );
        return None;
    };
    // What is not Unicode is replaced.
    let text = String::from_utf8_lossy(body);
    let is_unicode = !text.contains("\\u") && text.as_bytes() == body;
    let account = |update: &Update| update.account.clone();
    for update in &split.updates {
        if is_unicode && !update.is_truncated {
            assert!(text.contains(update.body.get()), "{}", update.body);
            assert!(update.contact.as_ref().is_none_or(|contact| text.contains(contact.get())));
        }
        assert!(fits(&written(update)), "{}", written(update).len());
        assert!(update.lane().starts_with(&format!("{}#", account(update))));
        expect_same(update);
    }
    let texts: Vec<String> = split.updates.iter().map(written).collect();
    expect_jobs(&texts);
    Some((split.updates, split.others.len() + split.malformed))
}

fn written(update: &Update) -> String {
    serde_json::to_string(update).expect("JSON")
}

fn expect_same(update: &Update) {
    let text = written(update);
    let again: Update = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(written(&again), text);
    assert_eq!((again.part, again.time, &again.number), (update.part, update.time, &update.number));
}

/// Checks that jobs contain all updates and that each job fits into a message.
fn expect_jobs(updates: &[String]) {
    let mut all = Vec::new();
    let organization: OrganizationId = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
    let of_one = updates.iter().map(|update| (organization.clone(), update.clone()));
    for job in update_jobs(of_one.collect()) {
        let text = serde_json::to_string(&job).expect("JSON");
        assert!(text.len() <= LARGEST_MESSAGE, "{} bytes", text.len());
        assert_eq!(serde_json::from_str::<Job>(&text).ok().as_ref(), Some(&job));
        let Job::Updates { updates, .. } = job else { panic!("{text}") };
        assert!(!updates.is_empty());
        all.extend(updates);
    }
    assert_eq!(all, updates);
}

/// Checks that each queued update is one of the updates, unchanged.
fn expect_queued(sent: &[String], updates: &[Update]) {
    // SQS accepts only characters that XML has.
    let shown = |update: &Update| written(update).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    let known: Vec<String> = updates.iter().map(shown).collect();
    for message in sent {
        let job: Job = serde_json::from_str(message).unwrap_or_else(|error| panic!("{error}: {message}"));
        let Job::Updates { updates, .. } = job else { continue };
        for text in updates {
            let routed: Routed = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert!(known.contains(&shown(&routed.update)), "{text}");
        }
    }
}

fn expect_texts_kept(service: &Service, body: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(body) else { return };
    let all = String::from_utf8_lossy(body).matches(SECRET).count();
    if all > 0 && in_texts(&value) == all {
        let logged = service.logged();
        assert!(!logged.contains(SECRET), "{logged}");
    }
}

/// The number of occurrences in message content.
fn in_texts(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(in_texts).sum(),
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) if ["body", "caption", "from", "name", "wa_id"].contains(&name.as_str()) => {
                    text.matches(SECRET).count()
                }
                _ => in_texts(value),
            })
            .sum(),
        _ => 0,
    }
}
