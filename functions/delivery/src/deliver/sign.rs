//! Body, headers and signatures of a delivery, as Standard Webhooks 1.0 defines them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::Failure;
use domain::delivery::Delivery;
use domain::event::{EventName, OutboxEvent};
use domain::id::{AppId, EventId, OrganizationId};
use domain::webhook::WebhookSecrets;
use domain::{Mode, Open, Timestamp};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue};
use ring::hmac;
use serde::Serialize;
use serde_json::value::RawValue;

const AGENT: HeaderValue = HeaderValue::from_static(concat!("messaging-api/", env!("CARGO_PKG_VERSION")));

/// The request body: the same bytes at every attempt.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventBody<'a> {
    id: &'a EventId,
    #[serde(rename = "type")]
    kind: &'a Open<EventName>,
    created_at: Timestamp,
    organization_id: &'a OrganizationId,
    app_id: &'a AppId,
    mode: Mode,
    data: &'a RawValue,
}

pub(crate) fn body(organization: &OrganizationId, delivery: &Delivery, event: &OutboxEvent) -> Result<Bytes, Failure> {
    let data = serde_json::from_str(&event.data).map_err(Failure::internal)?;
    let body = EventBody {
        id: &delivery.event_id,
        kind: &event.kind,
        created_at: event.created_at,
        organization_id: organization,
        app_id: &delivery.app_id,
        mode: event.mode,
        data,
    };
    serde_json::to_vec(&body).map(Bytes::from).map_err(Failure::internal)
}

/// Returns the value of `webhook-signature`: for each current secret, `v1,` and the base64 of the HMAC-SHA256 over id,
/// timestamp and body.
fn signatures(secrets: &[&str], id: &str, timestamp: i64, body: &[u8]) -> Result<String, Failure> {
    let mut signed = format!("{id}.{timestamp}.").into_bytes();
    signed.extend_from_slice(body);
    let signature = |secret: &&str| {
        let key = secret.strip_prefix("whsec_").and_then(|key| STANDARD.decode(key).ok());
        let key = key.ok_or_else(|| Failure::internal("a signing secret is malformed"))?;
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), &signed);
        Ok(format!("v1,{}", STANDARD.encode(tag)))
    };
    Ok(secrets.iter().map(signature).collect::<Result<Vec<_>, Failure>>()?.join(" "))
}

pub(crate) fn headers(
    delivery: &Delivery,
    secrets: &WebhookSecrets,
    body: &[u8],
    now: Timestamp,
) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for (name, value) in &secrets.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(Failure::internal)?;
        let mut value = HeaderValue::from_str(value).map_err(Failure::internal)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    // Inserted last, so that custom headers cannot replace them.
    let (id, timestamp) = (delivery.event_id.to_string(), now.seconds());
    let signatures = signatures(&secrets.signing(now), &id, timestamp, body)?;
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.entry(USER_AGENT).or_insert(AGENT);
    for (name, value) in
        [("webhook-id", id), ("webhook-timestamp", timestamp.to_string()), ("webhook-signature", signatures)]
    {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_str(&value).map_err(Failure::internal)?);
    }
    Ok(headers)
}
