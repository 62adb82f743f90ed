use api::{Answer, Rejection};
use aws::queue::Job;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use domain::Failure;
use inbound::{Routed, in_lanes, split};
use runtime::{Metric, logging::about};
use serde::Serialize;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument as _;
use utoipa::ToSchema;

use crate::NotificationContext;
use crate::signature::is_signed;

const SIGNATURE: &str = "X-Hub-Signature-256";
const LARGEST_BODY: usize = 3 * 1024 * 1024;
/// Updates that are applied before the answer; the rest waits in the queue.
const INLINE: usize = 25;

/// What was done with a notification.
#[derive(Serialize, ToSchema)]
pub(crate) struct Received {
    /// Updates that were applied or queued.
    accepted: usize,
    /// Updates of accounts and numbers that are not connected here, or of fields that are not used.
    ignored: usize,
}

/// Receive a notification
///
/// Answers 200 when every update is applied or queued; the platform repeats a notification that was not answered so.
#[utoipa::path(post, path = "/v1/platform/notifications", tag = "Platform",
    request_body(content = serde_json::Value, description = "A notification of the platform, signed with the app's secret"),
    params(("X-Hub-Signature-256" = String, Header)),
    responses((status = 200, description = "Every update is applied or queued", body = Received),
        (status = 401, description = "The signature does not match the body")))]
pub(crate) async fn receive_notification(
    State(notifications): State<NotificationContext>,
    request: Request,
) -> Result<Answer<Received>, Rejection> {
    let signature = request.headers().get(SIGNATURE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let body = to_bytes(request.into_body(), LARGEST_BODY)
        .await
        .map_err(|_| Failure::body_too_large(format!("A notification may have at most {LARGEST_BODY} bytes.")))?;
    let app = notifications.vault.app().await?;
    if !is_signed(signature.as_deref(), &body, &app.app_secrets) {
        tracing::warn!("a notification with a wrong signature");
        notifications.inbox.context.publish(Metric::RefusedSignatures, 1);
        return Err(Failure::unauthenticated("The signature does not match the body.").with_param(SIGNATURE).into());
    }
    let received = accept(&notifications, &body).await?;
    notifications.inbox.context.publish(Metric::AcceptedNotifications, 1);
    Ok(Answer::ok(received))
}

async fn accept(notifications: &NotificationContext, body: &Bytes) -> Result<Received, Failure> {
    let deadline = Instant::now() + notifications.inline_budget;
    let split = split(body).map_err(|error| Failure::invalid("body", error.to_string()))?;
    let routing = notifications.inbox.route(split.updates).await?;
    let ignored = routing.unclaimed + split.others.len() + split.malformed;
    if ignored > 0 {
        let (unclaimed, malformed, of_other_fields) = (routing.unclaimed, split.malformed, split.others.len());
        tracing::info!(unclaimed, malformed, of_other_fields, "updates that nobody here waits for");
    }
    let mut now = routing.routed;
    let accepted = now.len();
    let later = now.split_off(now.len().min(INLINE));
    let (left, queued) = tokio::join!(apply(notifications, now, deadline), queue(notifications, later));
    queued?;
    queue(notifications, left).await?;
    Ok(Received { accepted, ignored })
}

/// Applies what it can until the deadline, and gives back the rest and what failed: doing it again does no harm.
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
        tracing::warn!("an update could not be applied at once: {cause}");
    }
    applied.is_ok()
}

/// What no message of the queue can hold is applied here and now, after everything else is safe.
async fn queue(notifications: &NotificationContext, updates: Vec<Routed>) -> Result<(), Failure> {
    let (mut texts, mut too_large) = (Vec::new(), Vec::new());
    for update in updates {
        let text = serde_json::to_string(&update).map_err(Failure::internal)?;
        if aws::queue::fits(&text) { texts.push(text) } else { too_large.push(update) }
    }
    if !texts.is_empty() {
        notifications.inbox.queue.send(&Job::for_updates(texts)).await?;
    }
    for update in too_large {
        let about = about(&update.route.organization_id, None);
        notifications.inbox.apply(&update).instrument(about).await?;
    }
    Ok(())
}
