use api::{Answer, Rejection};
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use domain::Failure;
use inbound::{Routed, in_lanes, split, update_jobs};
use runtime::{Metric, logging::about};
use serde::Serialize;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument as _;
use utoipa::ToSchema;

use crate::NotificationContext;
use crate::signature::is_signed;

const SIGNATURE: &str = "X-Hub-Signature-256";
/// The largest notification, in bytes.
pub const LARGEST_BODY: usize = 3 * 1024 * 1024;
/// How many updates are applied before the response; the rest is queued.
pub const INLINE: usize = 25;

/// The outcome of a notification, in updates.
#[derive(Serialize, ToSchema)]
#[schema(as = NotificationReceipt)]
pub(crate) struct Received {
    /// The number of updates that were applied or queued.
    accepted: usize,
    /// The number of updates that were ignored: their account or number is not connected, or their field is not used.
    ignored: usize,
}

/// Receive a notification of the platform
///
/// Returns 200 once every update is applied or queued. WhatsApp repeats a notification after any other response.
#[utoipa::path(post, path = "/v1/platform/notifications",
    operation_id = "platform.notifications.receive", tag = "Reference",
    request_body(content = serde_json::Value, description = "A notification from WhatsApp, signed with the secret of the Meta app"),
    params(("X-Hub-Signature-256" = String, Header)),
    responses((status = 200, description = "Every update is applied or queued", body = Received),
        (status = 401, description = "The signature does not match the body")))]
pub(crate) async fn receive_notification(
    State(notifications): State<NotificationContext>,
    request: Request,
) -> Result<Answer<Received>, Rejection> {
    let deadline = Instant::now() + notifications.inline_budget;
    let signature = request.headers().get(SIGNATURE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let body = to_bytes(request.into_body(), LARGEST_BODY).await.map_err(|_| {
        Failure::body_too_large(format!("The notification is too large. Allowed: up to {LARGEST_BODY} bytes."))
    })?;
    let app = notifications.vault.app().await?;
    if !is_signed(signature.as_deref(), &body, &app.app_secrets) {
        tracing::warn!("rejected a notification with a wrong signature");
        notifications.inbox.context.publish(Metric::RefusedSignatures, 1);
        return Err(Failure::unauthenticated("The signature does not match the body.").with_param(SIGNATURE).into());
    }
    let received = accept(&notifications, &body, deadline).await?;
    notifications.inbox.context.publish(Metric::AcceptedNotifications, 1);
    Ok(Answer::ok(received))
}

async fn accept(notifications: &NotificationContext, body: &Bytes, deadline: Instant) -> Result<Received, Failure> {
    let split = split(body).map_err(|error| Failure::invalid("body", error.to_string()))?;
    notifications.inbox.count_unreadable(&split.unreadable);
    let routing = notifications.inbox.route(split.updates).await?;
    let ignored = routing.unclaimed + split.others.len() + split.malformed;
    if ignored > 0 {
        let (unclaimed, malformed, of_other_fields) = (routing.unclaimed, split.malformed, split.others.len());
        tracing::info!(
            unclaimed,
            malformed,
            of_other_fields,
            "ignored updates of accounts, numbers or fields that are not in use"
        );
    }

    let accepted = routing.routed.len();
    let mut inline = notifications.inbox.keep_history(routing.routed).await?;
    let deferred = inline.split_off(inline.len().min(INLINE));
    let (remaining, queued) = tokio::join!(apply(notifications, inline, deadline), queue(notifications, deferred));
    queued?;
    queue(notifications, remaining).await?;
    Ok(Received { accepted, ignored })
}

/// Applies updates until the deadline. Returns those that failed or were not applied; applying an update is idempotent.
async fn apply(notifications: &NotificationContext, updates: Vec<Routed>, deadline: Instant) -> Vec<Routed> {
    let lane = |update: &Routed| update.update.lane();
    in_lanes(updates, lane, |update| async move {
        let about = about(&update.route.organization_id, None);
        let is_applied = is_applied(notifications, &update, deadline).instrument(about).await;
        (!is_applied).then_some(update)
    })
    .await
}

async fn is_applied(notifications: &NotificationContext, update: &Routed, deadline: Instant) -> bool {
    let Ok(applied) = timeout_at(deadline, notifications.inbox.apply(update)).await else { return false };
    if let Err(failure) = &applied {
        let cause = failure.cause().map(ToString::to_string).unwrap_or_default();
        tracing::warn!("an update could not be applied and is queued: {cause}");
    }
    applied.is_ok()
}

/// Queues the updates. Each of them fits into a message, because large ones were cut when the notification was split.
async fn queue(notifications: &NotificationContext, updates: Vec<Routed>) -> Result<(), Failure> {
    if updates.is_empty() {
        return Ok(());
    }
    let text = |update: Routed| Ok((update.route.organization_id.clone(), serde_json::to_string(&update)?));
    let texts: serde_json::Result<Vec<_>> = updates.into_iter().map(text).collect();
    notifications.inbox.queue.send(&update_jobs(texts.map_err(Failure::internal)?)).await
}
