//! Webhooks of an app. The signing secret is only returned when it is created or rotated.

pub(crate) mod deliveries;
pub(crate) mod http;

use std::collections::BTreeMap;
use std::time::Duration;

use api::Admin;
use api::caller::Sees;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::event::EventName;
use domain::id::{AppId, WebhookId};
use domain::port::{Random, random_bytes};
use domain::webhook::{Webhook, WebhookSecrets};
use domain::{Failure, Open};
use runtime::Context;
use store::{Change, WebhookUpdate};

use crate::apps::expect_app;

/// The validated body of the create operation.
pub(crate) struct NewWebhook {
    url: String,
    events: Vec<Open<EventName>>,
    headers: BTreeMap<String, String>,
}

/// The validated body of the update operation: the fields that were sent.
pub(crate) struct WebhookFields {
    url: Option<String>,
    events: Option<Vec<Open<EventName>>>,
    headers: Option<BTreeMap<String, String>>,
}

/// Returns a new secret: `whsec_` and the base64 of 32 bytes (Standard Webhooks 1.0).
fn signing_secret(random: &dyn Random) -> String {
    format!("whsec_{}", STANDARD.encode(random_bytes::<32>(random)))
}

fn create(
    context: &Context,
    caller: &Admin,
    app: &AppId,
    new: NewWebhook,
) -> Result<(Webhook, WebhookSecrets, Change), Failure> {
    caller.expect_visible(app.mode(), "appId", "app")?;
    let now = context.now();
    let webhook = Webhook {
        id: WebhookId::mint(app.mode(), now, context.random()),
        app_id: app.clone(),
        url: new.url,
        events: new.events,
        header_names: new.headers.keys().cloned().collect(),
        disabled_at: None,
        disabled_reason: None,
        revision: 1,
        created_at: now,
        updated_at: now,
    };
    let secrets = WebhookSecrets {
        signing_secret: signing_secret(context.random()),
        previous_secret: None,
        previous_until: None,
        headers: new.headers,
    };
    let mut change = Change::new(&caller.organization);
    change.create_webhook(&webhook, &secrets)?;
    Ok((webhook, secrets, change))
}

/// The ids of app and webhook in a path.
type WebhookPath = (AppId, WebhookId);

/// The result of reading a webhook. The error is kept as a value, because the caller's permissions are checked first.
type StoredWebhook = Result<(Webhook, WebhookSecrets), Failure>;

/// Returns the webhook if the caller may see the app and the webhook exists.
fn visible(stored: StoredWebhook, caller: &impl Sees, app: &AppId) -> StoredWebhook {
    caller.expect_visible(app.mode(), "appId", "app")?;
    stored
}

async fn update(
    context: &Context,
    caller: &Admin,
    (app, id): &WebhookPath,
    stored: StoredWebhook,
    sent: WebhookFields,
) -> Result<(Webhook, WebhookSecrets), Failure> {
    let (org, sent) = (context.store.of(&caller.organization), &sent);
    let read = || org.webhook_with_secrets(app, id);
    let decide = |stored: StoredWebhook| async move {
        let (mut webhook, mut secrets) = visible(stored, caller, app)?;
        if let Some(headers) = &sent.headers {
            secrets.headers.clone_from(headers);
        }
        let update = WebhookUpdate {
            url: sent.url.as_deref(),
            events: sent.events.as_deref(),
            secrets: sent.headers.is_some().then_some(&secrets),
        };
        let now = context.now();
        let mut change = Change::new(&caller.organization);
        change.update_webhook(&webhook, &update, now)?;
        webhook.url = sent.url.clone().unwrap_or(webhook.url);
        webhook.events = sent.events.clone().unwrap_or(webhook.events);
        webhook.updated_at = now;
        (webhook.disabled_at, webhook.disabled_reason) = (None, None);
        Ok((change, (webhook, secrets)))
    };
    context.store.settle_from(stored, read, decide).await
}

/// Replaces the signing secret. The previous secret keeps signing for the grace period, so that receivers have time to
/// switch.
fn rotate(
    context: &Context,
    caller: &Admin,
    app: &AppId,
    stored: StoredWebhook,
    grace: Duration,
) -> Result<(Webhook, WebhookSecrets, Change), Failure> {
    let (mut webhook, mut secrets) = visible(stored, caller, app)?;
    let now = context.now();
    secrets.rotate(signing_secret(context.random()), grace, now);
    let mut change = Change::new(&caller.organization);
    change.rotate_webhook_secret(&webhook, &secrets, now)?;
    webhook.updated_at = now;
    Ok((webhook, secrets, change))
}

async fn delete(context: &Context, caller: &Admin, app: &AppId, id: &WebhookId) -> Result<(), Failure> {
    caller.expect_visible(app.mode(), "appId", "app")?;
    if id.mode() != app.mode() {
        expect_app(&context.store.of(&caller.organization), app).await?;
        return Err(Failure::not_found("webhookId", "webhook"));
    }
    let mut change = Change::new(&caller.organization);
    change.delete_webhook(app, id);
    context.store.commit(&change).await.map(|_| ())
}
