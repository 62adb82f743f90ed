//! Whose webhooks and events: those of the app of an app key, or those of any app, with an admin key.

use messaging_client::methods::{OrganizationAppsWebhooksApi, WebhooksApi};
use messaging_client::queries::{EventsListQuery, PageQuery, WebhooksDeliveriesListQuery};
use messaging_client::types::{
    CreateWebhook, CreatedWebhook, EventPage, RecoverWebhook, SendTestEvent, WebhookDelivery, WebhookDeliveryDetails,
    WebhookRecovery,
};
use messaging_client::{Client, List, Request};
use serde_json::Value;

#[derive(Debug)]
pub(crate) enum Scope {
    OwnApp(Client),
    App(Client, String),
}

/// The methods of webhooks in either namespace.
enum Either<'a> {
    Own(WebhooksApi),
    Of(OrganizationAppsWebhooksApi, &'a str),
}

impl Scope {
    fn of_webhooks(&self) -> Either<'_> {
        match self {
            Scope::OwnApp(client) => Either::Own(client.webhooks()),
            Scope::App(client, app) => Either::Of(client.organization().apps().webhooks(), app),
        }
    }

    /// Returns a page of events. A position moves on only with the next request, so that a page that was not processed comes again.
    pub(crate) fn events(&self, query: &EventsListQuery) -> Request<EventPage> {
        match self {
            Scope::OwnApp(client) => client.events().list(query),
            Scope::App(client, app) => client.organization().apps().events().list(app, query),
        }
    }

    pub(crate) fn webhooks(&self) -> Request<List<Value>> {
        match self.of_webhooks() {
            Either::Own(webhooks) => webhooks.list(&PageQuery::default()).untyped_list(),
            Either::Of(webhooks, app) => webhooks.list(app, &PageQuery::default()).untyped_list(),
        }
    }

    pub(crate) fn create(&self, webhook: &CreateWebhook) -> Request<CreatedWebhook> {
        match self.of_webhooks() {
            Either::Own(webhooks) => webhooks.create(webhook),
            Either::Of(webhooks, app) => webhooks.create(app, webhook),
        }
    }

    pub(crate) fn test(&self, webhook: &str, event: &SendTestEvent) -> Request<WebhookDelivery> {
        match self.of_webhooks() {
            Either::Own(webhooks) => webhooks.test(webhook, event),
            Either::Of(webhooks, app) => webhooks.test(app, webhook, event),
        }
    }

    pub(crate) fn deliveries(&self, webhook: &str, query: &WebhooksDeliveriesListQuery) -> Request<List<Value>> {
        match self.of_webhooks() {
            Either::Own(webhooks) => webhooks.deliveries().list(webhook, query).untyped_list(),
            Either::Of(webhooks, app) => webhooks.deliveries().list(app, webhook, query).untyped_list(),
        }
    }

    pub(crate) fn delivery(&self, webhook: &str, delivery: &str) -> Request<WebhookDeliveryDetails> {
        match self.of_webhooks() {
            Either::Own(webhooks) => webhooks.deliveries().get(webhook, delivery),
            Either::Of(webhooks, app) => webhooks.deliveries().get(app, webhook, delivery),
        }
    }

    pub(crate) fn redeliver(&self, webhook: &str, delivery: &str) -> Request<WebhookDelivery> {
        match self.of_webhooks() {
            Either::Own(webhooks) => webhooks.deliveries().redeliver(webhook, delivery),
            Either::Of(webhooks, app) => webhooks.deliveries().redeliver(app, webhook, delivery),
        }
    }

    pub(crate) fn recover(&self, webhook: &str, wanted: &RecoverWebhook) -> Request<WebhookRecovery> {
        match self.of_webhooks() {
            Either::Own(webhooks) => webhooks.recover(webhook, wanted),
            Either::Of(webhooks, app) => webhooks.recover(app, webhook, wanted),
        }
    }

    pub(crate) fn recovery(&self, webhook: &str, recovery: &str) -> Request<WebhookRecovery> {
        match self.of_webhooks() {
            Either::Own(webhooks) => webhooks.recoveries().get(webhook, recovery),
            Either::Of(webhooks, app) => webhooks.recoveries().get(app, webhook, recovery),
        }
    }
}
