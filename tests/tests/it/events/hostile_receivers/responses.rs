//! Responses that redirect, come late, never end, or are no HTTP; and proxies of the environment.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use delivery::ReceiverResponse;
use http::HeaderMap;
use tests::receiver::{Answer, Receiver, plain, status};

use super::{Names, local, poster};

/// Starts a receiver that sends these bytes after a pause.
fn answering(pause: Duration, bytes: Vec<u8>) -> Receiver {
    let answer: Answer = Arc::new(move |_, _| (pause, bytes.clone()));
    Receiver::start(answer)
}

/// Posts to the receiver. Returns the status and body of a complete response, or the reason why there is none, and how
/// long it took.
async fn post(receiver: &Receiver) -> (Result<(u16, String), &'static str>, Duration) {
    let started = Instant::now();
    let posted = poster(Names::of(Vec::new()), local()).post(&receiver.url, HeaderMap::new(), "{}".into()).await;
    let complete = |response: ReceiverResponse| (!response.is_incomplete).then_some((response.status, response.body));
    (posted.and_then(|response| complete(response).ok_or("The response ended early.")), started.elapsed())
}

#[tokio::test]
async fn redirects_are_answers_and_lead_nowhere() {
    let target = Receiver::start(status(200));

    for location in [target.url.as_str(), "http://169.254.169.254/latest/meta-data/"] {
        let answer = format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        let receiver = answering(Duration::ZERO, answer.into_bytes());
        assert_eq!(post(&receiver).await.0, Ok((307, String::new())));
    }

    assert!(target.got().is_empty());
}

#[tokio::test]
async fn posts_reach_their_receiver() {
    let receiver = Receiver::start(status(200));
    assert_eq!(post(&receiver).await.0, Ok((200, "said".to_owned())));
}

/// Runs `posts_reach_their_receiver` in a process whose environment names proxies that do not exist.
#[test]
fn a_proxy_in_the_environment_is_not_asked() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "events::hostile_receivers::responses::posts_reach_their_receiver"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, "http://127.0.0.1:9");
    }

    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn slow_heads_and_bodies_end_with_the_deadline() {
    let slow_head = answering(Duration::from_secs(20), plain(200, "late"));
    let slow_body = answering(Duration::ZERO, b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this".to_vec());
    let chunk_without_end =
        answering(Duration::ZERO, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nx".to_vec());

    for receiver in [slow_head, slow_body, chunk_without_end] {
        let (posted, took) = post(&receiver).await;
        assert!(posted.is_err(), "{posted:?}");
        assert!(took < Duration::from_secs(9), "{took:?}");
    }
}

#[tokio::test]
async fn no_more_than_a_kib_of_an_answer_is_read() {
    // A gzip bomb is not decompressed.
    let mut bomb = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100000000\r\n\r\n\x1f\x8b".to_vec();
    bomb.resize(3_000_000, b'a');
    let (posted, took) = post(&answering(Duration::ZERO, bomb)).await;
    let (status, body) = posted.unwrap();
    assert_eq!(status, 200);
    assert!(body.len() <= 1030, "{}", body.len());
    assert!(took < Duration::from_secs(4), "{took:?}");

    for garbage in [&b"SSH-2.0-OpenSSH\r\n"[..], b"", b"HTTP/1.1 abc\r\n\r\n"] {
        assert!(post(&answering(Duration::ZERO, garbage.to_vec())).await.0.is_err());
    }

    let endless_head = [b"HTTP/1.1 200 OK\r\n".to_vec(), b"X-A: b\r\n".repeat(100_000)].concat();
    assert!(post(&answering(Duration::ZERO, endless_head)).await.0.is_err());
}
