//! Webhooks of an app. The signing secret is only returned when it is created or rotated.

mod answers;
pub(crate) mod deliveries;
pub(crate) mod http;
pub(crate) mod own_http;
pub(crate) mod recoveries;
mod wire;

use std::collections::BTreeMap;
use std::time::Duration;

use api::AppScope;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::audit::TargetKind;
use domain::events::event::EventName;
use domain::events::webhook::{Webhook, WebhookSecrets};
use domain::id::WebhookId;
use domain::port::{Random, random_bytes};
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

/// Fails with 403 if a webhook would show the caller's receiver messages that the caller may not see.
pub(crate) fn expect_may_see(scope: &AppScope, webhook: &Webhook) -> Result<(), Failure> {
    if webhook.listens_to_messages() { scope.may_see.expect_contents() } else { Ok(()) }
}

/// Adds the requirements for a webhook whose address is a queue: the operator's permission, and no headers.
fn expect_usable(webhook: &Webhook, change: &mut Change) -> Result<(), Failure> {
    let Some(queue) = webhook.queue() else { return Ok(()) };
    if !webhook.header_names.is_empty() {
        let message =
            "headers must be empty if url is a queue: a message has attributes instead. Send \"headers\": {}.";
        return Err(Failure::invalid("headers", message));
    }
    change.require_destination(&queue);
    Ok(())
}

fn create(context: &Context, scope: &AppScope, new: NewWebhook) -> Result<(Webhook, WebhookSecrets, Change), Failure> {
    let now = context.now();
    let webhook = Webhook {
        id: WebhookId::mint(scope.app.mode(), now, context.random()),
        app_id: scope.app.clone(),
        url: new.url,
        events: new.events,
        header_names: new.headers.keys().cloned().collect(),
        disabled_at: None,
        disabled_reason: None,
        revision: 1,
        created_at: now,
        updated_at: now,
    };
    expect_may_see(scope, &webhook)?;
    let secrets = WebhookSecrets {
        signing_secret: signing_secret(context.random()),
        previous_secret: None,
        previous_until: None,
        headers: new.headers,
    };

    let mut change = Change::new(&scope.organization);
    change.create_webhook(&webhook, &secrets)?;
    change.enter(&context.entry(&scope.trail, scope.app.mode()).created(&webhook))?;
    expect_usable(&webhook, &mut change)?;
    Ok((webhook, secrets, change))
}

/// The result of reading a webhook. The error is kept as a value, because errors of the body and of `Idempotency-Key` are
/// reported first.
type StoredWebhook = Result<(Webhook, WebhookSecrets), Failure>;

async fn update(
    context: &Context,
    scope: &AppScope,
    id: &WebhookId,
    stored: StoredWebhook,
    sent: WebhookFields,
) -> Result<(Webhook, WebhookSecrets), Failure> {
    let (org, sent) = (context.store.of(&scope.organization), &sent);
    let read = || org.webhook_with_secrets(&scope.app, id);
    let decide = |stored: StoredWebhook| async move {
        let (before, mut secrets) = stored?;
        expect_may_see(scope, &before)?;
        if let Some(headers) = &sent.headers {
            secrets.headers.clone_from(headers);
        }
        let update = WebhookUpdate {
            url: sent.url.as_deref(),
            events: sent.events.as_deref(),
            secrets: sent.headers.is_some().then_some(&secrets),
        };
        let now = context.now();
        let mut change = Change::new(&scope.organization);
        change.update_webhook(&before, &update, now)?;
        let mut webhook = before.clone();
        webhook.url = sent.url.clone().unwrap_or(webhook.url);
        webhook.events = sent.events.clone().unwrap_or(webhook.events);
        expect_may_see(scope, &webhook)?;
        webhook.header_names = secrets.headers.keys().cloned().collect();
        webhook.updated_at = now;
        expect_usable(&webhook, &mut change)?;
        (webhook.disabled_at, webhook.disabled_reason) = (None, None);
        change.enter(&context.entry(&scope.trail, scope.app.mode()).changed(&before, &webhook))?;
        Ok((change, (webhook, secrets)))
    };
    context.store.settle_from(stored, read, decide).await
}

/// Replaces the signing secret. The previous secret keeps signing for the grace period, so that receivers have time to
/// switch.
fn rotate(
    context: &Context,
    scope: &AppScope,
    stored: StoredWebhook,
    grace: Duration,
) -> Result<(Webhook, WebhookSecrets, Change), Failure> {
    let (mut webhook, mut secrets) = stored?;
    let now = context.now();
    secrets.rotate(signing_secret(context.random()), grace, now);
    let mut change = Change::new(&scope.organization);
    change.rotate_webhook_secret(&webhook, &secrets, now)?;
    change.enter(&context.entry(&scope.trail, scope.app.mode()).changed(&webhook, &webhook))?;
    webhook.updated_at = now;
    Ok((webhook, secrets, change))
}

async fn delete(context: &Context, scope: &AppScope, id: &WebhookId) -> Result<(), Failure> {
    let AppScope { organization, app, .. } = scope;
    if id.mode() != app.mode() {
        expect_app(&context.store.of(organization), app).await?;
        return Err(Failure::not_found("webhookId", "webhook"));
    }
    let mut change = Change::new(organization);
    change.delete_webhook(app, id);
    change.enter(&context.entry(&scope.trail, app.mode()).about(TargetKind::Webhook, id))?;
    context.store.commit(&change).await.map(|_| ())
}
