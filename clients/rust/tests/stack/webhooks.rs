//! Webhooks, their deliveries and recoveries, by either kind of key.

use messaging_client::queries::{PageQuery, WebhooksDeliveriesListQuery};
use messaging_client::types::{CreateWebhook, RecoverWebhook, RotateWebhookSecret, SendTestEvent, UpdateWebhook};

use crate::recorder::Stack;

fn wanted() -> CreateWebhook {
    let events = vec!["messages.sms.received".to_owned().into()];
    CreateWebhook { url: "https://example.com/a".to_owned(), events, ..Default::default() }
}

fn moved() -> UpdateWebhook {
    UpdateWebhook { url: Some("https://example.com/b".to_owned()), ..Default::default() }
}

fn missed() -> RecoverWebhook {
    RecoverWebhook { since: "2026-01-01T00:00:00Z".to_owned(), dry_run: Some(true), ..Default::default() }
}

pub(crate) async fn of_the_own_app(stack: &Stack) {
    let webhooks = stack.app.webhooks();
    let id = webhooks.create(&wanted()).await.unwrap().value.id;
    webhooks.list(&PageQuery::default()).await.unwrap();
    webhooks.get(&id).await.unwrap();
    webhooks.update(&id, &moved()).await.unwrap();
    webhooks.rotate_secret(&id, &RotateWebhookSecret::default()).await.unwrap();
    let delivery = webhooks.test(&id, &SendTestEvent::default()).await.unwrap().value.id;
    webhooks.deliveries().list(&id, &WebhooksDeliveriesListQuery::default()).await.unwrap();
    webhooks.deliveries().get(&id, &delivery).await.unwrap();
    webhooks.deliveries().redeliver(&id, &delivery).await.unwrap();
    let recovery = webhooks.recover(&id, &missed()).await.unwrap();
    webhooks.recoveries().get(&id, &recovery.id).await.unwrap();
    webhooks.delete(&id).await.unwrap();
}

pub(crate) async fn of_any_app(stack: &Stack) {
    let (webhooks, app) = (stack.admin.organization().apps().webhooks(), &stack.app_id);
    let id = webhooks.create(app, &wanted()).await.unwrap().value.id;
    webhooks.list(app, &PageQuery::default()).await.unwrap();
    webhooks.get(app, &id).await.unwrap();
    webhooks.update(app, &id, &moved()).await.unwrap();
    let soon = RotateWebhookSecret { grace_period_seconds: Some(3600) };
    webhooks.rotate_secret(app, &id, &soon).await.unwrap();
    let event = SendTestEvent { event: Some("messages.sms.received".to_owned().into()) };
    let delivery = webhooks.test(app, &id, &event).await.unwrap().value.id;
    webhooks.deliveries().list(app, &id, &WebhooksDeliveriesListQuery::default()).await.unwrap();
    webhooks.deliveries().get(app, &id, &delivery).await.unwrap();
    webhooks.deliveries().redeliver(app, &id, &delivery).await.unwrap();
    let recovery = webhooks.recover(app, &id, &missed()).await.unwrap();
    webhooks.recoveries().get(app, &id, &recovery.id).await.unwrap();
    webhooks.delete(app, &id).await.unwrap();
}
