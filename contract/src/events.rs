//! The `webhooks` section: the request that a receiver gets for each of the 18 events, and for any of them.

use domain::events::event::EventName;
use serde_json::{Map, Value, json};

use crate::schemas::reference;

/// The schema name of an event's `data`, which is the resource as the API returns it.
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

/// Returns the occasion on which the event is sent, as a clause.
fn occasion(event: EventName) -> &'static str {
    use EventName::{
        ChatAccountConnected, ChatAccountDisconnected, ContactsChatCreated, ContactsChatDeleted, ContactsChatUpdated,
        MessagesChatDelivered, MessagesChatFailed, MessagesChatRead, MessagesChatReceived, MessagesChatSent,
        MessagesSmsDelivered, MessagesSmsFailed, MessagesSmsReceived, MessagesSmsSent, TemplatesChatConnected,
        TemplatesChatCreated, TemplatesChatDeleted, TemplatesChatUpdated,
    };
    match event {
        MessagesSmsReceived => "An SMS message was received",
        MessagesSmsSent => "An SMS message was sent",
        MessagesSmsDelivered => "An SMS message was delivered",
        MessagesSmsFailed => "An SMS message failed, or was refused or expired in the queue",
        MessagesChatReceived => "A WhatsApp message was received",
        MessagesChatSent => "A WhatsApp message was sent",
        MessagesChatDelivered => "A WhatsApp message was delivered to a recipient",
        MessagesChatRead => "A WhatsApp message was read by a recipient",
        MessagesChatFailed => "A WhatsApp message failed for a recipient, or was refused or expired in the queue",
        TemplatesChatCreated => "A WhatsApp template was created",
        TemplatesChatUpdated => "A WhatsApp template changed",
        TemplatesChatDeleted => "A WhatsApp template was deleted",
        TemplatesChatConnected => "A WhatsApp template was approved",
        ContactsChatCreated => "A WhatsApp contact was seen for the first time",
        ContactsChatUpdated => {
            "The name, the phone number or the choice about marketing messages of a WhatsApp contact changed"
        }
        ContactsChatDeleted => "A WhatsApp contact was removed",
        ChatAccountConnected => "A WhatsApp account was connected",
        ChatAccountDisconnected => "A WhatsApp account was disconnected",
    }
}

/// The sample body of an event, from events/payloads, whose files are generated from code.
fn sample(event: EventName) -> Value {
    let path = format!("{}/../events/payloads/{event}.json", env!("CARGO_MANIFEST_DIR"), event = event.as_str());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The name of the union of all events.
const UNION: &str = "Event";
/// The name of the schema of modes, which operations use too.
const MODE: &str = "Mode";

pub(crate) fn schemas() -> Map<String, Value> {
    let events = EventName::ALL.iter().map(|event| (schema_name(*event), schema(*event)));
    events.chain([(UNION.to_owned(), union())]).collect()
}

fn union() -> Value {
    let choices: Vec<Value> = EventName::ALL.iter().map(|event| reference(&schema_name(*event))).collect();
    let mapping: Map<String, Value> = EventName::ALL
        .iter()
        .map(|event| (event.as_str().to_owned(), reference(&schema_name(*event))["$ref"].take()))
        .collect();
    json!({
        "description": format!("The body of a delivery: one of the {} events, identified by `type`.", EventName::ALL.len()),
        "oneOf": choices,
        "discriminator": {"propertyName": "type", "mapping": mapping},
    })
}

/// Converts `messages.chat.sent` to `MessagesChatSentEvent`.
fn schema_name(event: EventName) -> String {
    let words = event.as_str().split('.').map(|word| word[..1].to_uppercase() + &word[1..]);
    words.chain(["Event".to_owned()]).collect()
}

fn schema(event: EventName) -> Value {
    json!({
        "type": "object",
        "description": format!("The body of a delivery of `{}`. Every attempt sends the same bytes.", event.as_str()),
        "required": ["id", "type", "createdAt", "organizationId", "appId", "mode", "data"],
        "properties": {
            "sequence": {"type": "integer", "format": "int64", "minimum": 1, "description": "The event's number in the app's feed, where numbers are consecutive. Only in the responses of the feed."},
            "id": {"$ref": "#/components/schemas/EventId", "description": "The event's id, equal to the `webhook-id` header. Process each id only once."},
            "type": {"type": "string", "const": event.as_str(), "description": "The name of the event."},
            "createdAt": reference("Timestamp"),
            "organizationId": reference("OrganizationId"),
            "appId": {"$ref": "#/components/schemas/AppId", "description": "The app that the webhook belongs to."},
            "mode": reference(MODE),
            "test": {"type": "boolean", "const": true, "description": "Only in a sample that was sent to test the webhook."},
            "data": reference(data_of(event)),
        },
    })
}

/// An entry for each event, and one for all of them: an endpoint receives every event that its webhook subscribes to.
pub(crate) fn webhooks() -> Value {
    let any = webhook(
        UNION,
        "Any event",
        "Sent to a webhook for each event that it subscribes to. `type` is the name of the event. Verify the signature before you use the body.",
        &sample(EventName::MessagesChatReceived),
    );
    let each = EventName::ALL.iter().map(|event| {
        let name = event.as_str();
        let description = format!("{}. Sent to each webhook that subscribes to `{name}`.", occasion(*event));
        (name.to_owned(), webhook(&schema_name(*event), name, &description, &sample(*event)))
    });
    Value::Object(std::iter::once(("any".to_owned(), any)).chain(each).collect())
}

fn webhook(schema: &str, summary: &str, description: &str, sample: &Value) -> Value {
    json!({"post": {
        "operationId": format!("on{schema}"),
        "tags": ["Events"],
        "summary": summary,
        "description": description,
        "security": [],
        "parameters": [
            {"$ref": "#/components/parameters/WebhookId"},
            {"$ref": "#/components/parameters/WebhookTimestamp"},
            {"$ref": "#/components/parameters/WebhookSignature"},
            {"$ref": "#/components/parameters/WebhookTest"},
        ],
        "requestBody": {
            "required": true,
            "content": {"application/json": {"schema": reference(schema), "example": sample}},
        },
        "responses": {
            "2XX": {"description": "The event is delivered. Respond within 15 seconds; the response body is ignored."},
            "410": {"description": "The receiver is gone. The webhook is disabled."},
            "default": {"description": "Any other status, including a redirect, is a failure. The delivery is retried, up to ten attempts in total."},
        },
    }})
}

pub(crate) fn parameters() -> Value {
    let header = |name: &str, description: &str, pattern: &str, example: &str| {
        json!({"name": name, "in": "header", "required": true, "description": description,
            "schema": {"type": "string", "pattern": pattern}, "example": example})
    };
    json!({
        "WebhookTest": {"name": "webhook-test", "in": "header", "required": false,
            "description": "`true` if the event is a sample that was sent to test the webhook; otherwise absent.",
            "schema": {"type": "string", "const": "true"}},
        "WebhookId": header("webhook-id", "The event's id, the same for all retries and redeliveries.",
            "^evt_[a-zA-Z0-9]{27}$", "evt_36UKxMUSD2wrMlr1mZB1Hqf7zDy"),
        "WebhookTimestamp": header("webhook-timestamp", "The time of this attempt, in seconds since 1970-01-01T00:00:00Z.", "^[0-9]+$", "1795251600"),
        "WebhookSignature": header("webhook-signature",
            "A Standard Webhooks 1.0 signature: `v1,` followed by the base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the webhook's secret. After a secret rotation, while the previous secret still signs, the header contains two signatures separated by a space.",
            "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
    })
}
