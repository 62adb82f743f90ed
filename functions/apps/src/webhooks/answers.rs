//! The responses of the operations on webhooks, which are the same for callers of the organization and for app keys.

use std::future::ready;

use api::idempotency::Planned;
use api::{Answer, AppScope, Json, List, ListQuery, Once, Rejection};
use axum::response::Response;
use domain::Failure;
use domain::id::{AppId, OrganizationId, WebhookId};
use runtime::Context;
use store::PageRequest;

use super::StoredWebhook;
use super::wire::{CreateWebhook, CreatedWebhookView, RotateSecret, WebhookView};

/// Returns the name of the list, which its cursors contain.
fn list_of(app: &AppId) -> String {
    format!("webhooks/{app}")
}

/// Returns the page that the query asks for. Errors of the query are reported before those of the app.
pub(super) fn page(organization: &OrganizationId, app: &AppId, query: &ListQuery) -> Result<PageRequest, Failure> {
    query.page(organization, &list_of(app))
}

pub(super) async fn list(
    context: &Context,
    scope: &AppScope,
    page: &PageRequest,
) -> Result<List<WebhookView>, Failure> {
    let AppScope { organization, app, may_see, .. } = scope;
    let org = context.store.of(organization);
    let page = match may_see.header_values() {
        true => org.webhooks_with_secrets(app, page).await?,
        false => org.webhooks(app, page).await?.map(|webhook| (webhook, None)),
    };
    let views = page.map(|(webhook, secrets)| {
        let headers = secrets.map(|secrets| secrets.headers);
        WebhookView::of(webhook, headers, *may_see)
    });
    List::new(views, organization, &list_of(app), |webhook| webhook.id.ksuid())
}

pub(super) async fn created(
    context: &Context,
    scope: &AppScope,
    once: Once,
    body: Json<CreateWebhook>,
) -> Result<Response, Rejection> {
    let planned = super::create(context, scope, body.input).map(|(webhook, secrets, change)| Planned {
        change,
        answer: Answer::created(CreatedWebhookView::of(webhook, secrets, scope.may_see)),
    });
    once.attempt(context, body.fingerprint).finish(planned).await
}

pub(super) async fn rotated(
    context: &Context,
    scope: &AppScope,
    id: &WebhookId,
    stored: StoredWebhook,
    once: Once,
    body: Json<RotateSecret>,
) -> Result<Response, Rejection> {
    let org = context.store.of(&scope.organization);
    let read = || org.webhook_with_secrets(&scope.app, id);
    let decide = |stored| {
        let rotated = super::rotate(context, scope, stored, body.input);
        ready(rotated.map(|(webhook, secrets, change)| Planned {
            change,
            answer: Answer::ok(CreatedWebhookView::of(webhook, secrets, scope.may_see)),
        }))
    };
    once.attempt(context, body.fingerprint).run(stored, read, decide).await
}
