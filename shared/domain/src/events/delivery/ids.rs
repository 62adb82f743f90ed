//! The ids that are derived from the outbox id of an event: the id that an app sees, and those of the deliveries.

use ring::digest::{SHA256, digest};
use svix_ksuid::{Ksuid, KsuidLike};

use crate::id::{AppId, DeliveryId, EventId, Identifier as _, KSUID_LENGTH, WebhookId};

/// How many bytes of a ksuid are its time, in milliseconds.
const TIME_BYTES: usize = 6;

/// Returns a ksuid with the time of `base`, in milliseconds. The rest is a hash of `parts`, so the same arguments give
/// the same ksuid.
fn derived_ksuid(base: &str, parts: &[&str]) -> String {
    let hash = digest(&SHA256, parts.join("\n").as_bytes());
    let mut bytes = [0; 20];
    let time = Ksuid::from_base62(base).map(|ksuid| *ksuid.bytes()).unwrap_or_default();
    bytes[..TIME_BYTES].copy_from_slice(&time[..TIME_BYTES]);
    bytes[TIME_BYTES..].copy_from_slice(&hash.as_ref()[..20 - TIME_BYTES]);
    Ksuid::from_bytes(bytes).to_base62()
}

/// Returns the ksuid of an event id, without the prefix.
pub(super) fn ksuid_of(id: &EventId) -> &str {
    let text = id.as_str();
    &text[text.len() - KSUID_LENGTH..]
}

/// Returns the event id that an app sees. It is the same for all webhooks of the app and however often it is derived.
pub fn event_of_app(outbox: &EventId, app: &AppId) -> EventId {
    masked(outbox, app)
}

/// Returns the outbox id of the event that an app sees under this id.
pub fn outbox_of_event(event: &EventId, app: &AppId) -> EventId {
    masked(event, app)
}

/// Returns the event id whose random part is that of `id`, masked with a hash of the app. Masking twice gives `id`, so that
/// an event can be found by the id that an app sees.
fn masked(id: &EventId, app: &AppId) -> EventId {
    let mask = digest(&SHA256, format!("event\n{app}").as_bytes());
    let Ok(ksuid) = Ksuid::from_base62(ksuid_of(id)) else { return id.clone() };
    let mut bytes = *ksuid.bytes();
    for (byte, mask) in bytes[TIME_BYTES..].iter_mut().zip(mask.as_ref()) {
        *byte ^= mask;
    }
    let ksuid = Ksuid::from_bytes(bytes).to_base62();
    format!("{}{ksuid}", EventId::PREFIX).parse().unwrap_or_else(|_| id.clone())
}

/// Returns the id of the delivery of an event, by the id that the app sees, to one of the app's webhooks.
pub fn delivery_of_event(event: &EventId, webhook: &WebhookId) -> Option<DeliveryId> {
    let ksuid = derived_ksuid(ksuid_of(event), &["delivery", event.as_str(), webhook.as_str()]);
    format!("{}{ksuid}", DeliveryId::PREFIX).parse().ok()
}
