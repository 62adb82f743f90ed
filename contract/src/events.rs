//! The `webhooks` section: what a receiver gets for each of the 18 events.

use domain::event::EventName;
use serde_json::{Map, Value, json};

use crate::schemas::reference;

/// The schema of an event's `data`: the resource as the API shows it.
fn data_of(event: EventName) -> &'static str {
    let name = event.as_str();
    let (subject, _) = name.rsplit_once('.').unwrap_or_default();
    match subject {
        "messages.sms" => "SmsMessage",
        "messages.chat" => "ChatMessageDetails",
        "templates.chat" => "ChatTemplate",
        "contacts.chat" => "ChatContact",
        _ => "ChatBusinessProfile",
    }
}

fn summary(event: EventName) -> &'static str {
    use EventName::{
        ChatAccountConnected, ChatAccountDisconnected, ContactsChatCreated, ContactsChatDeleted, ContactsChatUpdated,
        MessagesChatDelivered, MessagesChatFailed, MessagesChatRead, MessagesChatReceived, MessagesChatSent,
        MessagesSmsDelivered, MessagesSmsFailed, MessagesSmsReceived, MessagesSmsSent, TemplatesChatConnected,
        TemplatesChatCreated, TemplatesChatDeleted, TemplatesChatUpdated,
    };
    match event {
        MessagesSmsReceived => "An SMS message came in",
        MessagesSmsSent => "An SMS message was sent",
        MessagesSmsDelivered => "An SMS message was delivered",
        MessagesSmsFailed => "An SMS message failed",
        MessagesChatReceived => "A chat message came in",
        MessagesChatSent => "A chat message was sent",
        MessagesChatDelivered => "A chat message was delivered to a recipient",
        MessagesChatRead => "A chat message was read by a recipient",
        MessagesChatFailed => "A chat message failed for a recipient",
        TemplatesChatCreated => "A template appeared on the platform",
        TemplatesChatUpdated => "A template changed",
        TemplatesChatDeleted => "A template is gone from the platform",
        TemplatesChatConnected => "A template was approved",
        ContactsChatCreated => "A contact was seen for the first time",
        ContactsChatUpdated => "A contact's name changed",
        ContactsChatDeleted => "A contact was removed",
        ChatAccountConnected => "A business account was connected",
        ChatAccountDisconnected => "A business account was disconnected",
    }
}

/// What a sample carries, by event name: events/payloads of the repository, which are made by code themselves.
fn sample(event: EventName) -> Value {
    let path = format!("{}/../events/payloads/{event}.json", env!("CARGO_MANIFEST_DIR"), event = event.as_str());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(crate) fn schemas() -> Map<String, Value> {
    EventName::ALL.iter().map(|event| (schema_name(*event), schema(*event))).collect()
}

/// `messages.chat.sent` is `MessagesChatSentEvent`.
fn schema_name(event: EventName) -> String {
    let words = event.as_str().split('.').map(|word| word[..1].to_uppercase() + &word[1..]);
    words.chain(["Event".to_owned()]).collect()
}

fn schema(event: EventName) -> Value {
    json!({
        "type": "object",
        "description": "The body of a delivery: the same bytes at every attempt.",
        "required": ["id", "type", "createdAt", "organizationId", "appId", "mode", "data"],
        "properties": {
            "id": {"$ref": "#/components/schemas/EventId", "description": "The same as the `webhook-id` header: work on each id once."},
            "type": {"type": "string", "const": event.as_str()},
            "createdAt": reference("Timestamp"),
            "organizationId": reference("OrganizationId"),
            "appId": {"$ref": "#/components/schemas/AppId", "description": "The app whose webhook this is."},
            "mode": {"type": "string", "enum": ["live", "test"]},
            "data": reference(data_of(event)),
        },
    })
}

pub(crate) fn webhooks() -> Value {
    let webhooks: Map<String, Value> =
        EventName::ALL.iter().map(|event| (event.as_str().to_owned(), webhook(*event))).collect();
    Value::Object(webhooks)
}

fn webhook(event: EventName) -> Value {
    json!({"post": {
        "operationId": format!("on{}", schema_name(event)),
        "tags": ["Events"],
        "summary": summary(event),
        "description": format!("Sent to each webhook that listens to `{}`. Verify the signature before you use the body.", event.as_str()),
        "security": [],
        "parameters": [
            {"$ref": "#/components/parameters/WebhookId"},
            {"$ref": "#/components/parameters/WebhookTimestamp"},
            {"$ref": "#/components/parameters/WebhookSignature"},
        ],
        "requestBody": {
            "required": true,
            "content": {"application/json": {"schema": reference(&schema_name(event)), "example": sample(event)}},
        },
        "responses": {
            "2XX": {"description": "Taken. Nothing of the body is read; answer within 15 seconds."},
            "410": {"description": "Gone: the webhook is disabled."},
            "default": {"description": "Anything else, redirects too, is a failure: the event comes again, up to ten times in all."},
        },
    }})
}

pub(crate) fn parameters() -> Value {
    let header = |name: &str, description: &str, pattern: &str, example: &str| {
        json!({"name": name, "in": "header", "required": true, "description": description,
            "schema": {"type": "string", "pattern": pattern}, "example": example})
    };
    json!({
        "WebhookId": header("webhook-id", "The event's id, stable over retries and redeliveries.",
            "^evt_[a-zA-Z0-9]{27}$", "evt_36UKxMUSD2wrMlr1mZB1Hqf7zDy"),
        "WebhookTimestamp": header("webhook-timestamp", "Seconds since 1970, of this attempt.", "^[0-9]+$", "1795251600"),
        "WebhookSignature": header("webhook-signature",
            "Standard Webhooks 1.0: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` under the webhook's secret; two, separated by a space, while one secret replaces another.",
            "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
    })
}
