//! `send chat` and `send sms`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use messaging_client::http::Method;
use messaging_client::queries::PageQuery;
use messaging_client::{Client, segment};
use serde_json::{Value, json};

use super::pair;
use crate::args::{MediaKind, Send, SendChat, SendOptions, SendSms};
use crate::failure::Failure;
use crate::output::Output;
use crate::paging::Pages;
use crate::session::Session;

/// The ways to give the content of a chat message.
const CHAT_CONTENT: &str = "\
The message has no content. Add one of:
  --text TEXT
  --template NAME --language CODE [--param NAME=VALUE]
  --media MEDIA_ID --kind image|video|audio|document|sticker [--caption TEXT]
`messaging upload FILE` returns a MEDIA_ID. Other types: messaging api POST /v1/chat/messages --input message.json";
const SMS_CONTENT: &str = "\
The message has no content. Add one of, or both:
  --text TEXT
  --media MEDIA_ID
`messaging upload FILE` returns a MEDIA_ID.";

/// Fails if a message has no content.
pub(crate) fn expect_content(send: &Send) -> Result<(), Failure> {
    match send {
        Send::Chat(SendChat { text: None, template: None, media: None, .. }) => {
            Err(Failure::Usage(CHAT_CONTENT.to_owned()))
        }
        Send::Sms(SendSms { text: None, media: None, .. }) => Err(Failure::Usage(SMS_CONTENT.to_owned())),
        _ => Ok(()),
    }
}

pub(crate) async fn run(output: Output, session: &Session, send: &Send) -> Result<(), Failure> {
    let client = session.app()?;
    match send {
        Send::Chat(chat) => {
            let from = sender(&client, &chat.options, "chat").await?;
            let body = chat_body(chat, &from)?;
            post(output, &client, "/v1/chat/messages", &body, &chat.options).await
        }
        Send::Sms(sms) => {
            let from = sender(&client, &sms.options, "sms").await?;
            post(output, &client, "/v1/sms", &sms_body(sms, &from), &sms.options).await
        }
    }
}

fn common(options: &SendOptions, from: &str) -> Value {
    let mut body = json!({"from": from, "to": options.to});
    if let Some(reference) = &options.client_reference {
        body["clientReference"] = json!(reference);
    }
    if options.queue {
        body["queue"] = json!(true);
    }
    body
}

fn sms_body(sms: &SendSms, from: &str) -> Value {
    let mut body = common(&sms.options, from);
    for (name, value) in [("text", &sms.text), ("mediaId", &sms.media)] {
        if let Some(value) = value {
            body[name] = json!(value);
        }
    }
    body
}

fn chat_body(chat: &SendChat, from: &str) -> Result<Value, Failure> {
    let mut body = common(&chat.options, from);
    if let Some(text) = &chat.text {
        body["type"] = json!("text");
        body["text"] = json!({"body": text});
    } else if let Some(name) = &chat.template {
        body["type"] = json!("template");
        body["template"] = json!({"name": name, "language": chat.language});
        let mut parameters = BTreeMap::new();
        for parameter in &chat.params {
            let (name, value) = pair(parameter, '=', "NAME=VALUE, such as 1=Ann")?;
            parameters.insert(name, value);
        }
        if !parameters.is_empty() {
            body["template"]["body"] = json!(parameters);
        }
    } else if let (Some(media), Some(kind)) = (&chat.media, chat.kind) {
        let kind = match kind {
            MediaKind::Image => "image",
            MediaKind::Video => "video",
            MediaKind::Audio => "audio",
            MediaKind::Document => "document",
            MediaKind::Sticker => "sticker",
        };
        body["type"] = json!(kind);
        body[kind] = json!({"mediaId": media});
        if let Some(caption) = &chat.caption {
            body[kind]["caption"] = json!(caption);
        }
    }
    Ok(body)
}

/// Returns the number that was named, or the app's only one.
async fn sender(client: &Client, options: &SendOptions, kind: &str) -> Result<String, Failure> {
    if let Some(from) = &options.from {
        return Ok(from.clone());
    }
    let numbers = Pages::new(client.phone_numbers().list(&PageQuery::default()), None).all().await?;
    let numbers: Vec<&Value> = numbers.iter().filter(|number| number["kind"] == kind).collect();
    let shown = |number: &&Value| {
        let digits = number["number"].as_str().or(number["displayPhoneNumber"].as_str()).unwrap_or_default();
        format!("{digits} ({})", number["id"].as_str().unwrap_or_default())
    };
    match numbers.as_slice() {
        [only] => Ok(only["id"].as_str().unwrap_or_default().to_owned()),
        [] => Err(Failure::Usage(format!(
            "--from: the app has no {kind} number. `messaging api GET /v1/phone-numbers` shows its numbers."
        ))),
        several => {
            let all: Vec<_> = several.iter().map(shown).collect();
            Err(Failure::Usage(format!("--from: the app has several numbers. Choose one of {}.", all.join(", "))))
        }
    }
}

async fn post(output: Output, client: &Client, path: &str, body: &Value, options: &SendOptions) -> Result<(), Failure> {
    let mut request = client.request::<Value>(Method::POST, path).json(body);
    if let Some(key) = &options.idempotency_key {
        request = request.idempotency_key(key);
    }
    let sent = request.await?;
    let Some(seconds) = options.wait else { return report(output, &sent.raw) };
    let id = sent.raw["id"].as_str().unwrap_or_default();
    let path = format!("{path}/{}", segment(id));
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut message = sent.raw.clone();
    while !is_final(&message) && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(500)).await;
        message = client.request::<Value>(Method::GET, &path).await?.raw;
    }
    report(output, &message)?;
    match (is_final(&message), message["deliveredAt"].is_string() || message["readAt"].is_string()) {
        (_, true) if message["failedAt"].is_null() => Ok(()),
        (true, _) => {
            let reason = ["errorMessage", "errorTitle", "errorCode"].iter().find_map(|name| message[name].as_str());
            Err(Failure::Negative(format!(
                "The message failed: {}.",
                reason.unwrap_or("without a reason").trim_end_matches('.')
            )))
        }
        (false, _) => Err(Failure::Negative(format!(
            "The delivery is not confirmed after {seconds} s. Do not send the message again; check it later: messaging messages show {id}"
        ))),
    }
}

/// Whether nothing more will happen that anybody waits for. A message may be read much later.
fn is_final(message: &Value) -> bool {
    ["deliveredAt", "readAt", "failedAt"].iter().any(|name| message[name].is_string())
        || ["REFUSED", "EXPIRED"].iter().any(|outcome| message["outcome"] == *outcome)
}

fn report(output: Output, message: &Value) -> Result<(), Failure> {
    let row = super::messages::row(message);
    output.table(message, super::messages::COLUMNS, &[row])
}
