//! The code of the README, which a test compares with this program.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program prints")]

use messaging_client::types::{SendText, SendTextMessage};
use messaging_client::{Client, Error};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    let number = first_number(&client).await?;
    first(&client, &number).await?;
    results(&client).await?;
    waiting(&client, &number).await?;
    errors(&client).await?;
    lists(&client).await?;
    events(&client).await?;
    media(&client).await?;
    tests().await
}

async fn first_number(client: &Client) -> Result<String, Error> {
    let numbers = client.phone_numbers().list(&PageQuery::default()).untyped_list().items().all().await?;
    let first = numbers.iter().find(|number| number["kind"] == "chat").map(|number| number["id"].clone());
    Ok(first.and_then(|id| id.as_str().map(str::to_owned)).unwrap_or_default())
}

async fn first(client: &Client, number: &str) -> Result<(), Error> {
    let text = SendText { body: "Hello!".into(), ..Default::default() };
    let message = SendTextMessage { from: number.into(), to: Some("+12025550123".into()), text, ..Default::default() };
    let sent = client.chat().messages().send(&message.into()).await?;
    println!("{} {:?}", sent.id, sent.outcome);
    Ok(())
}

async fn results(client: &Client) -> Result<(), Error> {
    let health = client.health().get().await?;
    println!("{} {}", health.version, health.raw["version"]);
    println!("{} {:?} {}", health.http.status, health.http.request_id, health.http.is_replayed);
    Ok(())
}

use messaging_client::Until;

async fn waiting(client: &Client, number: &str) -> Result<(), Error> {
    let text = SendText { body: "Hello!".into(), ..Default::default() };
    let message = SendTextMessage { from: number.into(), to: Some("+12025550123".into()), text, ..Default::default() };
    let sent = client.chat().messages().send(&message.into()).await?;
    let read = client.chat().messages().wait_for(&sent.id, Until::Read).patience(Duration::from_secs(120)).await?;
    println!("{:?}", read.recipients[0].status);
    Ok(())
}

use messaging_client::ErrorKind;
use messaging_client::types::SendSms;

async fn errors(client: &Client) -> Result<(), Error> {
    let sms = SendSms { from: "+12025550100".into(), to: "+12025550123".into(), ..Default::default() };
    match client.sms().send(&sms).idempotency_key("order-7").await {
        Ok(sent) => println!("{}", sent.id),
        Err(error) => match error.kind() {
            ErrorKind::InvalidRequest => println!("{:?} {:?} {:?}", error.code(), error.param(), error.request_id()),
            ErrorKind::Provider => println!("{:?} {:?}", error.code(), error.provider()),
            ErrorKind::Timeout => println!("Nothing is known: send it again, with the same key."),
            _ => return Err(error),
        },
    }
    Ok(())
}

use messaging_client::queries::{ChatMessagesListQuery, PageQuery};

async fn lists(client: &Client) -> Result<(), Error> {
    let of_contact = ChatMessagesListQuery { contact: Some("+12025550123".into()), ..Default::default() };
    let mut messages = client.chat().messages().list(&of_contact).items();
    while let Some(message) = messages.next().await? {
        println!("{} {:?}", message.created_at, message.text_body);
    }
    let page = client.webhooks().list(&PageQuery { limit: Some(100), cursor: None }).await?;
    println!("{} {:?}", page.data.len(), page.next_cursor);
    Ok(())
}

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use messaging_client::types::Event;
use messaging_client::webhooks;

async fn receive(headers: HeaderMap, body: Bytes) -> Result<StatusCode, (StatusCode, String)> {
    let secret = std::env::var("WEBHOOK_SECRET").unwrap_or_default();
    let event =
        webhooks::verify(&body, &headers, &[&secret]).map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?;
    if let Event::MessagesChatReceived(received) = &event.value {
        println!("{:?}", received.data.text_body);
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn events(client: &Client) -> Result<(), Error> {
    // Proves that the handler is one.
    let _: axum::routing::MethodRouter = axum::routing::post(receive);
    let after = std::fs::read_to_string("position.txt").unwrap_or_else(|_| "oldest".into());
    let mut events = client.events().follow().after(after.trim()).on_position(|position| {
        if let Err(error) = std::fs::write("position.txt", position) {
            eprintln!("position.txt cannot be written: {error}");
        }
    });
    loop {
        let event = events.next().await?;
        if let Event::MessagesChatRead(read) = &event.value {
            println!("{:?}", read.data.text_body);
            break;
        }
    }
    Ok(())
}

use messaging_client::UploadSource;

async fn media(client: &Client) -> Result<(), Error> {
    let upload = client.media().upload(UploadSource::path("photo.png"));
    let media = upload.on_progress(|at| println!("{} of {}", at.loaded, at.total)).await?;
    println!("{} {}", media.id, media.url);
    Ok(())
}

use std::time::{Duration, SystemTime};

use messaging_client::{Body, Clock, Pause, Sending, Transport, http};

/// Waits take no time.
#[derive(Debug)]
struct Instant;

impl Clock for Instant {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }

    fn random(&self) -> f64 {
        0.5
    }

    fn sleep(&self, _: Duration) -> Pause<'_> {
        Box::pin(async {})
    }
}

/// Responds to every request with a message that waits.
#[derive(Debug)]
struct Pending;

impl Transport for Pending {
    fn send(&self, _: http::Request<Body>) -> Sending<'_> {
        let message = r#"{"id": "msg_sms_1", "outcome": "PENDING"}"#;
        Box::pin(async { Ok(http::Response::new(message.into())) })
    }
}

async fn tests() -> Result<(), Error> {
    let builder = Client::builder().base_url("https://api.example.com").api_key("k");
    let client = builder.transport(Pending).clock(Instant).build()?;
    let sms = SendSms { from: "ph_1".into(), to: "+12025550123".into(), ..Default::default() };
    assert_eq!(client.sms().send(&sms).untyped().await?["outcome"], "PENDING");
    Ok(())
}
