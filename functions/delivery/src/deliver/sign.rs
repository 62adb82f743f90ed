//! Body, headers and signatures of a delivery, as Standard Webhooks 1.0 defines them.

use bytes::Bytes;
use domain::Failure;
use domain::Timestamp;
use domain::events::delivery::Delivery;
use domain::events::event::OutboxEvent;
use domain::events::webhook::WebhookSecrets;
use domain::id::OrganizationId;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue};
use standardwebhooks::Webhook;
use views::EventBody;

const AGENT: HeaderValue = HeaderValue::from_static(concat!("messaging-api/", env!("CARGO_PKG_VERSION")));

/// Returns the request body: the same bytes at every attempt.
pub(crate) fn body(organization: &OrganizationId, delivery: &Delivery, event: &OutboxEvent) -> Result<Bytes, Failure> {
    let body = EventBody::of(organization, &delivery.app_id, event)?;
    serde_json::to_vec(&body).map(Bytes::from).map_err(Failure::internal)
}

/// Returns the value of `webhook-signature`: a signature for each current secret.
fn signatures(secrets: &[&str], id: &str, timestamp: i64, body: &[u8]) -> Result<String, Failure> {
    // The error can reveal a part of the secret, so it is dropped.
    let malformed = |_| Failure::internal("a signing secret is malformed");
    let signature = |secret: &&str| {
        let webhook = Webhook::new(secret).map_err(malformed)?;
        webhook.sign(id, timestamp, body).map_err(Failure::internal)
    };
    Ok(secrets.iter().map(signature).collect::<Result<Vec<_>, Failure>>()?.join(" "))
}

/// Returns the headers that Standard Webhooks defines, and the mark of a test. For a queue, they become message
/// attributes.
pub(crate) fn standard_headers(
    delivery: &Delivery,
    event: &OutboxEvent,
    secrets: &WebhookSecrets,
    body: &[u8],
    now: Timestamp,
) -> Result<Vec<(&'static str, String)>, Failure> {
    let (id, timestamp) = (delivery.event_id.to_string(), now.seconds());
    let signatures = signatures(&secrets.signing(now), &id, timestamp, body)?;
    let mut standard =
        vec![("webhook-id", id), ("webhook-timestamp", timestamp.to_string()), ("webhook-signature", signatures)];
    if event.is_test() {
        standard.push(("webhook-test", "true".to_owned()));
    }
    Ok(standard)
}

/// Returns all headers of a request.
pub(crate) fn headers(standard: Vec<(&'static str, String)>, secrets: &WebhookSecrets) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for (name, value) in &secrets.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(Failure::internal)?;
        let mut value = HeaderValue::from_str(value).map_err(Failure::internal)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    // Inserted last, so that custom headers cannot replace them.
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.entry(USER_AGENT).or_insert(AGENT);
    for (name, value) in standard {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_str(&value).map_err(Failure::internal)?);
    }
    Ok(headers)
}
