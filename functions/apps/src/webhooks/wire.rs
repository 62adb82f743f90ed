//! The wire format of webhooks.

use std::collections::BTreeMap;
use std::time::Duration;

use api::{Input, MaySee};
use domain::events::event::EventName;
use domain::events::webhook::{
    GRACE_SECONDS, MOST_GRACE_SECONDS, Webhook, WebhookSecrets, webhook_address, webhook_events, webhook_headers,
};
use domain::id::{AppId, WebhookId};
use domain::schema::{HttpHeaders, WebhookAddress, WebhookDeliveryHeaders};
use domain::{Failure, Open, Timestamp};
use runtime::Context;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{NewWebhook, WebhookFields};

/// Replaces the values of headers for callers without permission to see them. It is not a valid header value, so it
/// cannot be sent back by mistake.
pub(super) const HIDDEN: &str = "••••••••";

/// A webhook of an app: a URL or an SQS queue that receives events. The signing secret is not included.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Webhook)]
pub(crate) struct WebhookView {
    pub(super) id: WebhookId,
    app_id: AppId,
    /// Where deliveries go: a URL, or the ARN of an SQS queue.
    url: String,
    /// The events that the webhook subscribes to.
    #[schema(value_type = Vec<EventName>)]
    events: Vec<Open<EventName>>,
    /// Headers that are sent with every delivery. For session tokens, `••••••••` replaces the values.
    #[schema(value_type = HttpHeaders)]
    headers: BTreeMap<String, String>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// When the webhook was disabled because its receiver failed; absent while it is enabled. Any update re-enables it.
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

    /// Returns the webhook as a caller may see it. `headers` are those that the webhook sends; `None` if they were not
    /// read.
    pub(super) fn of(webhook: Webhook, headers: Option<BTreeMap<String, String>>, may_see: MaySee) -> Self {
        let hidden = || webhook.header_names.iter().map(|name| (name.clone(), HIDDEN.to_owned())).collect();
        let headers = headers.filter(|_| may_see.header_values()).unwrap_or_else(hidden);
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

impl CreatedWebhookView {
    pub(super) fn of(webhook: Webhook, secrets: WebhookSecrets, may_see: MaySee) -> Self {
        let webhook = WebhookView::of(webhook, Some(secrets.headers), may_see);
        CreatedWebhookView { webhook, secret: secrets.signing_secret }
    }
}

/// The webhook to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateWebhook {
    /// An https URL on the public internet, or the ARN of an SQS queue that the operator of the installation has allowed
    /// for the organization.
    #[schema(value_type = WebhookAddress)]
    url: String,
    /// The events to subscribe to.
    #[schema(value_type = Vec<EventName>, min_items = 1)]
    events: Vec<String>,
    /// Headers to send with every delivery. A webhook whose `url` is a queue has none.
    #[schema(value_type = Option<WebhookDeliveryHeaders>)]
    headers: Option<BTreeMap<String, String>>,
}

impl Input for CreateWebhook {
    const REQUIRED: &'static [&'static str] = &["url", "events"];
    type Checked = NewWebhook;

    fn check(self, context: &Context) -> Result<NewWebhook, Failure> {
        let url = webhook_address(&self.url, "url", &context.installation.webhook_addresses)?;
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
    /// An https URL on the public internet, or the ARN of an SQS queue that the operator of the installation has allowed
    /// for the organization.
    #[schema(value_type = Option<WebhookAddress>)]
    url: Option<String>,
    /// The events to subscribe to; replaces all previous ones.
    #[schema(value_type = Option<Vec<EventName>>, min_items = 1)]
    events: Option<Vec<String>>,
    /// Headers to send with every delivery; replaces all previous ones. A webhook whose `url` is a queue has none.
    #[schema(value_type = Option<WebhookDeliveryHeaders>)]
    headers: Option<BTreeMap<String, String>>,
}

impl Input for UpdateWebhook {
    const AT_LEAST_ONE: bool = true;
    type Checked = WebhookFields;

    fn check(self, context: &Context) -> Result<WebhookFields, Failure> {
        let policy = &context.installation.webhook_addresses;
        let url = self.url.map(|url| webhook_address(&url, "url", policy)).transpose()?;
        let events = self.events.map(|events| webhook_events(&events, "events")).transpose()?;
        self.headers.as_ref().map(|headers| webhook_headers(headers, "headers")).transpose()?;
        Ok(WebhookFields { url, events, headers: self.headers })
    }
}

/// How the signing secret is replaced.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RotateWebhookSecret)]
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
