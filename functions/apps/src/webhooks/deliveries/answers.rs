//! The responses of the operations on deliveries, which are the same for callers of the organization and for app keys.

use std::future::ready;

use api::idempotency::Planned;
use api::{Answer, AppScope, Json, List, ListBy, MaySee, Once, Rejection};
use axum::response::{IntoResponse as _, Response};
use domain::Failure;
use domain::events::delivery::Delivery;
use domain::events::webhook::Webhook;
use domain::id::{DeliveryId, OrganizationId, WebhookId};
use futures_util::future::join;
use runtime::Context;
use store::{Change, PageRequest};

use super::filters::DeliveryFilters;
use super::wire::{DeliveryDetailsView, DeliveryView, TestWebhook};
use crate::AppsContext;
use crate::webhooks::StoredWebhook;

pub(super) async fn tested(
    apps: &AppsContext,
    scope: &AppScope,
    id: &WebhookId,
    stored: StoredWebhook,
    once: Once,
    body: Json<TestWebhook>,
) -> Result<Response, Rejection> {
    let org = apps.context.store.of(&scope.organization);
    let read = || org.webhook_with_secrets(&scope.app, id);
    let accepted = |(delivery, change)| accepted(scope.may_see, delivery, change);
    let decide = |stored| ready(super::test(&apps.context, scope, id, stored, body.input).map(accepted));
    let (response, created) = once.attempt(&apps.context, body.fingerprint).run_with(stored, read, decide).await?;
    super::send(apps, scope, created).await;
    Ok(response)
}

/// Returns the response, and the delivery to queue once it is stored.
fn accepted(may_see: MaySee, delivery: Delivery, change: Change) -> (Planned<DeliveryView>, Delivery) {
    let view = may_see.view(DeliveryView::from(delivery.clone()));
    (Planned { change, answer: Answer::accepted(view) }, delivery)
}

/// Returns the page that the query asks for. Errors of the query are reported before those of app and webhook.
pub(super) fn page(
    organization: &OrganizationId,
    webhook: &WebhookId,
    list: &ListBy<DeliveryFilters>,
) -> Result<PageRequest, Failure> {
    list.query.page(organization, &list.filters.list_of(webhook))
}

pub(super) async fn list(
    context: &Context,
    scope: &AppScope,
    webhook: &WebhookId,
    filters: &DeliveryFilters,
    page: &PageRequest,
) -> Result<List<DeliveryView>, Failure> {
    let page =
        context.store.of(&scope.organization).deliveries(webhook, &filters.filter(), page, context.now()).await?;
    let views = page.map(|delivery| scope.may_see.view(DeliveryView::from(delivery)));
    List::new(views, &scope.organization, &filters.list_of(webhook), |delivery| delivery.id.ksuid())
}

/// Returns the delivery with its attempts and the event, which is read by the delivery's outbox id.
pub(super) async fn details(
    context: &Context,
    scope: &AppScope,
    webhook: Result<Webhook, Failure>,
    delivery: Result<Option<Delivery>, Failure>,
) -> Result<Response, Failure> {
    webhook?;
    let delivery = super::kept(delivery?, context)?;
    let event = context.store.of(&scope.organization).outbox_event(&delivery.outbox_id).await?;
    let details = DeliveryDetailsView::of(scope, &delivery, event.as_ref())?;
    Ok(Answer::ok(scope.may_see.view(details)).into_response())
}

/// The result of reading a webhook and one of its deliveries.
pub(super) type StoredDelivery = (StoredWebhook, Result<Option<Delivery>, Failure>);

pub(super) async fn redelivered(
    apps: &AppsContext,
    scope: &AppScope,
    webhook: &WebhookId,
    id: &DeliveryId,
    stored: StoredDelivery,
    once: Once,
) -> Result<Response, Rejection> {
    let org = apps.context.store.of(&scope.organization);
    let read = || join(org.webhook_with_secrets(&scope.app, webhook), org.delivery(webhook, id));
    let accepted = |(delivery, change)| accepted(scope.may_see, delivery, change);
    let decide =
        |(stored, delivery)| ready(super::redeliver(&apps.context, scope, webhook, stored, delivery).map(accepted));
    let (response, created) = once.attempt(&apps.context, String::new()).run_with(stored, read, decide).await?;
    super::send(apps, scope, created).await;
    Ok(response)
}
