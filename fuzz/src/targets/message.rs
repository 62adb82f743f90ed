//! JSON bodies of `POST /v1/chat/messages`.
//!
//! An accepted request is one that the document allows. It gives the platform exactly one type with its object, in an envelope
//! that the caller cannot change, without media ids of the platform, and it is the same message after it was stored. The error
//! for a rejected request may be shown and names its parameter.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use api::{Json, Rejection};
use axum::body::Body;
use axum::extract::FromRequest as _;
use domain::chat::outgoing::{Addressee, MessageRef, Outgoing};
use domain::chat::{ChatMessage, ChatMessageType, Direction, MessageData};
use domain::events::webhook::AddressPolicy;
use domain::media::MediaKind;
use domain::{E164, ErrorKind, Timestamp};
use http::{Method, Request};
use platform::render::{self, Resolved, SentMedium};
use runtime::{Context, Installation, Metrics, Monitoring};
use sending::messages::SendChatMessage;
use serde_json::{Map, Value, json};
use store::Store;
use tests::contract::check_value;
use tests::memory::Memory;

use super::body::may_name_none;
use super::{expect_param, now};

const MOST_MEDIA: usize = 10;
const LINK: &str = "https://bucket.example.com/presigned";

static CONTEXT: LazyLock<Context> = LazyLock::new(|| {
    let webhook_addresses = AddressPolicy { own: Vec::new(), allow_local: false };
    let installation = Installation { docs_url: "https://docs.example.com".to_owned(), webhook_addresses };
    let store = Store::new(Memory::default().connection().dynamodb(), "table");
    Context::new(store, installation, Metrics::new("fuzz", Monitoring::Essential, std::io::sink()))
});

pub fn run(input: &[u8]) {
    let mut request = Request::new(Body::from(input.to_vec()));
    *request.method_mut() = Method::POST;
    match now(Json::<SendChatMessage>::from_request(request, &*CONTEXT)) {
        Err(rejection) => expect_refusal(&rejection, input),
        Ok(taken) => {
            let sent: Value = serde_json::from_slice(input).expect("JSON");
            check_value(&json!({"$ref": "#/components/schemas/SendChatMessage"}), &sent);
            expect_message(&taken.input.message, &sent);
        }
    }
}

fn expect_refusal(rejection: &Rejection, input: &[u8]) {
    let Rejection::Failed(failure) = rejection else { panic!("{rejection:?}") };
    let value = serde_json::from_slice::<Value>(input);
    if failure.kind() != ErrorKind::TooLarge && expect_param(rejection, &[ErrorKind::InvalidRequest]).is_none() {
        assert!(may_name_none(&value, failure.message()), "{failure:?}");
    }
}

fn expect_message(message: &Outgoing, sent: &Value) {
    let stored = serde_json::to_vec(message).expect("JSON");
    let read: Outgoing = serde_json::from_slice(&stored).expect("a stored message");
    let media = render::media(message.content());
    assert!(media.len() <= MOST_MEDIA, "{sent}");
    for named in &media {
        assert!(sent.to_string().contains(named.id.to_string().as_str()), "{}", named.param);
    }
    let resolved = resolved(message);
    let body = render::body(message, &resolved).expect("a body");
    // serde_json does not always read back the last digit of a fraction.
    if !sent.to_string().contains('.') {
        assert_eq!(render::body(&read, &resolved).expect("a body"), body);
    }
    expect_envelope(&body, message.to());
    expect_log(message, &resolved);
}

/// Resolves everything that the message names.
fn resolved(message: &Outgoing) -> Resolved {
    let media = render::media(message.content()).into_iter().map(|named| {
        (named.id, SentMedium { link: LINK.to_owned(), kind: named.kinds.first().copied().unwrap_or(MediaKind::Image) })
    });
    let messages = message.messages().into_iter().filter_map(|named| match named.message {
        MessageRef::Ours(id) => Some((id.clone(), "wamid.x".to_owned())),
        MessageRef::Platform(_) => None,
    });
    Resolved {
        media: media.collect(),
        messages: messages.collect(),
        held: BTreeMap::new(),
        group: message.to().is_group().then(|| "group".to_owned()),
        template: None,
    }
}

fn expect_envelope(body: &Map<String, Value>, to: &Addressee) {
    let kind = body["type"].as_str().expect("a type");
    assert!(body[kind].is_object() || body[kind].is_array(), "{body:?}");
    let (recipient_type, field) = match to {
        Addressee::Number(_) => ("individual", "to"),
        Addressee::User(_) => ("individual", "recipient"),
        Addressee::Group(_) => ("group", "to"),
    };
    assert_eq!(body["recipient_type"], recipient_type);
    let expected = ["messaging_product", "recipient_type", "type", "context", kind, field];
    assert!(body.keys().all(|name| expected.contains(&name.as_str())), "{body:?}");
    assert!(body.contains_key(field) && body["messaging_product"] == "whatsapp");
    expect_no_ids(&body[kind], kind);
}

/// Asserts that no media object has an id: data of flows are the caller's own.
fn expect_no_ids(value: &Value, name: &str) {
    match value {
        _ if matches!(name, "flow_action_payload" | "flow_action_data") => {}
        Value::Object(fields) => {
            let is_medium = matches!(name, "image" | "video" | "gif" | "audio" | "document" | "sticker");
            assert!(!is_medium || (!fields.contains_key("id") && !fields.contains_key("mediaId")), "{value}");
            fields.iter().for_each(|(name, value)| expect_no_ids(value, name));
        }
        Value::Array(entries) => entries.iter().for_each(|entry| expect_no_ids(entry, "")),
        _ => {}
    }
}

fn expect_log(message: &Outgoing, resolved: &Resolved) {
    let ksuid = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    let id = format!("msg_wa_{ksuid}").parse().expect("an id");
    let number = format!("wapn_{ksuid}").parse().expect("an id");
    let display: E164 = "+12015550123".parse().expect("a number");
    let (direction, kind) = (Direction::Outbound, ChatMessageType::Unknown);
    let mut log = ChatMessage::blank(id, &number, &display, direction, kind, Timestamp::from_millis(0));
    let mut data = MessageData::default();
    render::fill(message, &mut log, &mut data, resolved).expect("a log");
    let text = format!("{}{}", serde_json::to_string(&log).expect("JSON"), serde_json::to_string(&data).expect("JSON"));
    assert!(!text.contains(LINK), "{text}");
}
