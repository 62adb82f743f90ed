use std::collections::BTreeMap;
use std::future::ready;
use std::time::Duration;

use api::answer::Message;
use api::caller::Sees as _;
use api::idempotency::Planned;
use api::{Admin, Answer, Claim, Deferred, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::event::EventName;
use domain::id::{AppId, WebhookId};
use domain::schema::{DeliveryHeaders, HttpsUrl};
use domain::webhook::{
    GRACE_SECONDS, MOST_GRACE_SECONDS, Webhook, WebhookSecrets, webhook_events, webhook_headers, webhook_url,
};
use domain::{Failure, Open, Timestamp};
use runtime::Context;
use serde::{Deserialize, Serialize};
use store::Reads;
use utoipa::ToSchema;

use super::{NewWebhook, StoredWebhook, WebhookFields, WebhookPath};
use crate::apps::expect_app;

/// Replaces the values of headers in lists. It is not a valid header value, so it cannot be sent back by mistake.
const HIDDEN: &str = "••••••••";

/// A webhook of an app: a URL that receives events. The signing secret is not included.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Webhook)]
pub(crate) struct WebhookView {
    id: WebhookId,
    app_id: AppId,
    url: String,
    #[schema(value_type = Vec<EventName>)]
    events: Vec<Open<EventName>>,
    /// Headers that are sent with every delivery. Lists show `••••••••` instead of the values.
    headers: BTreeMap<String, String>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// When the webhook was disabled because its receiver failed; absent while it is enabled. Any update enables it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_at: Option<Timestamp>,
    /// Why the webhook was disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_reason: Option<String>,
}

impl WebhookView {
    fn new(webhook: Webhook, headers: BTreeMap<String, String>) -> Self {
        let Webhook {
            id,
            app_id,
            url,
            events,
            header_names: _,
            disabled_at,
            disabled_reason,
            revision: _,
            created_at,
            updated_at,
        } = webhook;
        WebhookView { id, app_id, url, events, headers, created_at, updated_at, disabled_at, disabled_reason }
    }

    fn complete((webhook, secrets): (Webhook, WebhookSecrets)) -> Self {
        Self::new(webhook, secrets.headers)
    }

    fn listed(webhook: Webhook) -> Self {
        let headers = webhook.header_names.iter().map(|name| (name.clone(), HIDDEN.to_owned())).collect();
        Self::new(webhook, headers)
    }
}

/// A webhook with its signing secret, which is returned only once.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedWebhook)]
pub(crate) struct CreatedWebhookView {
    #[serde(flatten)]
    webhook: WebhookView,
    /// The signing secret: `whsec_` and the base64 of 32 bytes (Standard Webhooks 1.0).
    secret: String,
}

/// The webhook to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateWebhook {
    /// An https URL on the public internet.
    #[schema(value_type = HttpsUrl)]
    url: String,
    /// The events to subscribe to.
    #[schema(value_type = Vec<EventName>, min_items = 1)]
    events: Vec<String>,
    /// Headers to send with every delivery.
    #[schema(value_type = Option<DeliveryHeaders>)]
    headers: Option<BTreeMap<String, String>>,
}

impl Input for CreateWebhook {
    const REQUIRED: &'static [&'static str] = &["url", "events"];
    type Checked = NewWebhook;

    fn check(self, context: &Context) -> Result<NewWebhook, Failure> {
        let url = webhook_url(&self.url, "url", &context.installation.webhook_addresses)?;
        let events = webhook_events(&self.events, "events")?;
        let headers = self.headers.unwrap_or_default();
        webhook_headers(&headers, "headers")?;
        Ok(NewWebhook { url, events, headers })
    }
}

/// The fields to change, at least one. Absent fields keep their values.
#[derive(Deserialize, ToSchema)]
#[schema(min_properties = 1)]
pub(crate) struct UpdateWebhook {
    /// An https URL on the public internet.
    #[schema(value_type = Option<HttpsUrl>)]
    url: Option<String>,
    /// The events to subscribe to; replaces all previous ones.
    #[schema(value_type = Option<Vec<EventName>>, min_items = 1)]
    events: Option<Vec<String>>,
    /// Headers to send with every delivery; replaces all previous ones.
    #[schema(value_type = Option<DeliveryHeaders>)]
    headers: Option<BTreeMap<String, String>>,
}

impl Input for UpdateWebhook {
    const AT_LEAST_ONE: bool = true;
    type Checked = WebhookFields;

    fn check(self, context: &Context) -> Result<WebhookFields, Failure> {
        let policy = &context.installation.webhook_addresses;
        let url = self.url.map(|url| webhook_url(&url, "url", policy)).transpose()?;
        let events = self.events.map(|events| webhook_events(&events, "events")).transpose()?;
        self.headers.as_ref().map(|headers| webhook_headers(headers, "headers")).transpose()?;
        Ok(WebhookFields { url, events, headers: self.headers })
    }
}

/// Reads the webhook of a path while the credential is checked. A read failure is returned as a value, because other
/// errors are reported first.
pub(super) async fn read_webhook(reads: Reads, path: WebhookPath) -> (WebhookPath, StoredWebhook) {
    let (app, id) = &path;
    let stored = reads.webhook_with_secrets(app, id).await;
    (path, stored)
}

/// List webhooks
///
/// Returns the app's webhooks, newest first. Header values are hidden; get a single webhook to read them.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/webhooks", tag = "Webhooks",
    security(("adminKey" = []), ("session" = [])), params(("appId" = AppId, Path), ListQuery),
    responses((status = 200, description = "A page of webhooks", body = List<WebhookView>)))]
pub(crate) async fn list_webhooks(
    State(context): State<Context>,
    caller: OrgMember,
    Path((app,)): Path<(AppId,)>,
    query: ListQuery,
) -> Result<Answer<List<WebhookView>>, Rejection> {
    let list = format!("webhooks/{app}");
    let request = query.page(&caller.organization, &list)?;
    caller.expect_visible(app.mode(), "appId", "app")?;
    let org = context.store.of(&caller.organization);
    let page = org.webhooks(&app, &request).await?;
    if page.items.is_empty() {
        expect_app(&org, &app).await?;
    }
    Ok(Answer::ok(List::new(page.map(WebhookView::listed), &caller.organization, &list)))
}

/// Create a webhook
///
/// Subscribes a URL to events. The response also returns the signing `secret`, once: it cannot be read again. An app can
/// have up to 20 webhooks.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/webhooks", tag = "Webhooks", security(("adminKey" = [])),
    params(("appId" = AppId, Path)), request_body = CreateWebhook,
    responses((status = 201, description = "The webhook", body = CreatedWebhookView)))]
pub(crate) async fn create_webhook(
    State(context): State<Context>,
    caller: Admin,
    Path((app,)): Path<(AppId,)>,
    once: Once,
    body: Json<CreateWebhook>,
) -> Result<Response, Rejection> {
    let planned = super::create(&context, &caller, &app, body.input).map(|(webhook, secrets, change)| {
        let secret = secrets.signing_secret.clone();
        let view = CreatedWebhookView { webhook: WebhookView::complete((webhook, secrets)), secret };
        Planned { change, answer: Answer::created(view) }
    });
    once.attempt(&context, body.fingerprint).finish(planned).await
}

/// Get a webhook
///
/// Returns one webhook with the values of its headers.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}", tag = "Webhooks",
    security(("adminKey" = []), ("session" = [])), params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path)),
    responses((status = 200, description = "The webhook", body = WebhookView)))]
pub(crate) async fn get_webhook(
    claim: Claim<OrgMember>,
    path: Deferred<Path<(AppId, WebhookId)>>,
) -> Result<Answer<WebhookView>, Rejection> {
    let read = claim.with(path, |reads, Path((app, id))| async move { reads.webhook_with_secrets(&app, &id).await });
    let (caller, (webhook, secrets)) = read.await?;
    caller.expect_visible(webhook.app_id.mode(), "appId", "app")?;
    Ok(Answer::ok(WebhookView::complete((webhook, secrets))))
}

/// Update a webhook
///
/// Replaces the fields that are sent and keeps the others. Any update enables a disabled webhook again.
#[utoipa::path(put, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}", tag = "Webhooks",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path)),
    request_body = UpdateWebhook, responses((status = 200, description = "The webhook", body = WebhookView)))]
pub(crate) async fn update_webhook(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<WebhookPath>, Json<UpdateWebhook>)>,
) -> Result<Answer<WebhookView>, Rejection> {
    let read =
        claim.with(input, |reads, (Path(path), body)| async move { Ok((read_webhook(reads, path).await, body.input)) });
    let (caller, ((path, stored), sent)) = read.await?;
    let updated = super::update(&context, &caller, &path, stored, sent).await?;
    Ok(Answer::ok(WebhookView::complete(updated)))
}

/// Delete a webhook
///
/// Deletes the webhook. Its pending deliveries are skipped.
#[utoipa::path(delete, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}", tag = "Webhooks",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path)),
    responses((status = 200, description = "The webhook was deleted", body = Message)))]
pub(crate) async fn delete_webhook(
    State(context): State<Context>,
    caller: Admin,
    Path((app, id)): Path<(AppId, WebhookId)>,
) -> Result<Answer<Message>, Rejection> {
    super::delete(&context, &caller, &app, &id).await?;
    Ok(Answer::message("Webhook deleted"))
}

/// How the signing secret is replaced.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RotateSecret {
    /// How long the previous secret keeps signing, in seconds.
    #[schema(minimum = 0, maximum = 604800, default = 86400)]
    grace_period_seconds: Option<i64>,
}

impl Input for RotateSecret {
    type Checked = Duration;

    fn check(self, _context: &Context) -> Result<Duration, Failure> {
        let seconds = self.grace_period_seconds.unwrap_or(GRACE_SECONDS.into());
        let seconds = u32::try_from(seconds).ok().filter(|seconds| *seconds <= MOST_GRACE_SECONDS);
        let seconds = seconds.ok_or_else(|| {
            let message = format!("gracePeriodSeconds must be from 0 to {MOST_GRACE_SECONDS} seconds.");
            Failure::invalid("gracePeriodSeconds", message)
        })?;
        Ok(Duration::from_secs(seconds.into()))
    }
}

/// Rotate the signing secret
///
/// Replaces the signing secret. The response returns the new `secret`, once. During the grace period every delivery is
/// signed with both the new and the previous secret.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/rotate-secret", tag = "Webhooks",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path)),
    request_body = RotateSecret,
    responses((status = 200, description = "The webhook with its new secret", body = CreatedWebhookView)))]
pub(crate) async fn rotate_secret(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<WebhookPath>, Once, Json<RotateSecret>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path(path), once, body)| async move {
        Ok((read_webhook(reads, path).await, once, body))
    });
    let (caller, (((app, id), stored), once, body)) = read.await?;
    let org = context.store.of(&caller.organization);
    let read = || org.webhook_with_secrets(&app, &id);
    let decide = |stored| {
        let rotated = super::rotate(&context, &caller, &app, stored, body.input);
        ready(rotated.map(|(webhook, secrets, change)| {
            let secret = secrets.signing_secret.clone();
            let view = CreatedWebhookView { webhook: WebhookView::complete((webhook, secrets)), secret };
            Planned { change, answer: Answer::ok(view) }
        }))
    };
    once.attempt(&context, body.fingerprint).run(stored, read, decide).await
}
