//! Webhooks of an app. The signing secret is shown at creation only.

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

pub(crate) struct NewWebhook {
    url: String,
    events: Vec<Open<EventName>>,
    headers: BTreeMap<String, String>,
}

/// The supplied fields.
pub(crate) struct WebhookChange {
    url: Option<String>,
    events: Option<Vec<Open<EventName>>>,
    headers: Option<BTreeMap<String, String>>,
}

/// `whsec_` and the base64 of 32 bytes (Standard Webhooks 1.0).
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

/// The app and the webhook that a path names.
type Of = (AppId, WebhookId);

/// A webhook as it was read, or why it was not.
type Found = Result<(Webhook, WebhookSecrets), Failure>;

fn visible(found: Found, caller: &impl Sees, app: &AppId) -> Found {
    caller.expect_visible(app.mode(), "appId", "app")?;
    found
}

async fn update(
    context: &Context,
    caller: &Admin,
    (app, id): &Of,
    found: Found,
    supplied: WebhookChange,
) -> Result<(Webhook, WebhookSecrets), Failure> {
    let (own, supplied) = (context.store.of(&caller.organization), &supplied);
    let read = || own.webhook_with_secrets(app, id);
    let decide = |found: Found| async move {
        let (mut webhook, mut secrets) = visible(found, caller, app)?;
        if let Some(headers) = &supplied.headers {
            secrets.headers.clone_from(headers);
        }
        let update = WebhookUpdate {
            url: supplied.url.as_deref(),
            events: supplied.events.as_deref(),
            secrets: supplied.headers.is_some().then_some(&secrets),
        };
        let now = context.now();
        let mut change = Change::new(&caller.organization);
        change.update_webhook(&webhook, &update, now)?;
        webhook.url = supplied.url.clone().unwrap_or(webhook.url);
        webhook.events = supplied.events.clone().unwrap_or(webhook.events);
        webhook.updated_at = now;
        (webhook.disabled_at, webhook.disabled_reason) = (None, None);
        Ok((change, (webhook, secrets)))
    };
    context.store.settle_from(found, read, decide).await
}

/// The secret before goes on signing for a while, so that receivers can change theirs at leisure.
fn rotate(
    context: &Context,
    caller: &Admin,
    app: &AppId,
    found: Found,
    grace: Duration,
) -> Result<(Webhook, WebhookSecrets, Change), Failure> {
    let (mut webhook, mut secrets) = visible(found, caller, app)?;
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
        crate::apps::expect_app(context, &caller.organization, app).await?;
        return Err(Failure::not_found("webhookId", "webhook"));
    }
    let mut change = Change::new(&caller.organization);
    change.delete_webhook(app, id);
    context.store.commit(&change).await.map(|_| ())
}
