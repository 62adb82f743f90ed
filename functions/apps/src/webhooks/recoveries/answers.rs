//! The response of the operation that begins a recovery, which is the same for callers of the organization and for app keys.

use std::future::ready;

use api::idempotency::Planned;
use api::{Answer, AppScope, Json, Once, Rejection};
use axum::response::Response;
use domain::events::recovery::Recovery;
use domain::id::WebhookId;
use domain::job::RecoveryJob;
use futures_util::future::join;

use super::Stored;
use super::wire::{RecoverWebhook, RecoveryView};
use crate::AppsContext;

pub(super) async fn begun(
    apps: &AppsContext,
    scope: &AppScope,
    webhook: &WebhookId,
    stored: Stored,
    once: Once,
    body: Json<RecoverWebhook>,
) -> Result<Response, Rejection> {
    let org = apps.context.store.of(&scope.organization);
    let read = || join(org.webhook(&scope.app, webhook), org.recovery_head(webhook));
    let decide = |(webhook, head)| {
        let begun = super::begin(&apps.context, scope, webhook, head, &body.input);
        ready(begun.map(|(recovery, change)| {
            let answer = Answer::accepted(RecoveryView::from(recovery.clone()));
            (Planned { change, answer }, recovery)
        }))
    };
    let (response, begun) = once.attempt(&apps.context, body.fingerprint).run_with(stored, read, decide).await?;
    send(apps, scope, begun).await;
    Ok(response)
}

/// Queues the recovery that this request began, if any. If this fails, the sweep queues it within minutes.
async fn send(apps: &AppsContext, scope: &AppScope, begun: Option<Recovery>) {
    let Some(recovery) = begun else { return };
    let job = RecoveryJob::of(&scope.organization, &recovery);
    if apps.queue.send(&[job]).await.is_err() {
        tracing::warn!(recovery = %recovery.id, "a recovery could not be queued; the sweep will queue it");
    }
}
