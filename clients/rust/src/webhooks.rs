//! Webhooks and their deliveries.

use crate::Pages;
use crate::types::{
    CreateWebhook, CreatedWebhook, EventName, RecoverWebhook, SendTestEvent, Webhook, WebhookDelivery,
    WebhookDeliveryDetails, WebhookRecovery,
};
use crate::{Client, Error, Response, segment};

/// Whose webhooks: those of the app of an app key, or those of any app, with an admin key.
#[derive(Clone, Debug)]
pub enum Scope {
    OwnApp,
    App(String),
}

impl Scope {
    /// Returns the path of the app's webhooks.
    pub fn webhooks(&self) -> String {
        match self {
            Scope::OwnApp => "/v1/webhooks".to_owned(),
            Scope::App(id) => format!("/v1/organization/apps/{}/webhooks", segment(id)),
        }
    }

    /// Returns the path of the app's feed of events.
    pub fn events(&self) -> String {
        match self {
            Scope::OwnApp => "/v1/events".to_owned(),
            Scope::App(id) => format!("/v1/organization/apps/{}/events", segment(id)),
        }
    }

    fn webhook(&self, id: &str) -> String {
        format!("{}/{}", self.webhooks(), segment(id))
    }
}

impl Client {
    pub fn webhooks(&self, scope: &Scope) -> Pages<'_> {
        self.get(&scope.webhooks()).pages()
    }

    /// The response contains the signing secret, which is shown only once.
    pub async fn create_webhook(
        &self,
        scope: &Scope,
        webhook: &CreateWebhook,
    ) -> Result<Response<CreatedWebhook>, Error> {
        self.post(&scope.webhooks()).json(webhook).send().await
    }

    pub async fn webhook(&self, scope: &Scope, id: &str) -> Result<Response<Webhook>, Error> {
        self.get(&scope.webhook(id)).send().await
    }

    /// Sends a sample event. The response is the delivery, which is made later.
    pub async fn test_webhook(
        &self,
        scope: &Scope,
        id: &str,
        event: Option<EventName>,
    ) -> Result<Response<WebhookDelivery>, Error> {
        self.post(&format!("{}/test", scope.webhook(id))).json(&SendTestEvent { event }).send().await
    }

    pub fn deliveries(&self, scope: &Scope, webhook_id: &str, status: Option<&str>) -> Pages<'_> {
        self.get(&format!("{}/deliveries", scope.webhook(webhook_id))).query_opt("status", status).pages()
    }

    /// Returns a delivery with the body that was sent, and the headers and the response of each attempt.
    pub async fn delivery(
        &self,
        scope: &Scope,
        webhook_id: &str,
        id: &str,
    ) -> Result<Response<WebhookDeliveryDetails>, Error> {
        self.get(&format!("{}/deliveries/{}", scope.webhook(webhook_id), segment(id))).send().await
    }

    /// Begins to attempt failed and skipped deliveries again. The response is the recovery, which goes on by itself.
    pub async fn recover_webhook(
        &self,
        scope: &Scope,
        id: &str,
        wanted: &RecoverWebhook,
    ) -> Result<Response<WebhookRecovery>, Error> {
        self.post(&format!("{}/recover", scope.webhook(id))).json(wanted).send().await
    }

    pub async fn recovery(
        &self,
        scope: &Scope,
        webhook_id: &str,
        id: &str,
    ) -> Result<Response<WebhookRecovery>, Error> {
        self.get(&format!("{}/recoveries/{}", scope.webhook(webhook_id), segment(id))).send().await
    }

    /// Sends the event of a delivery once more.
    pub async fn redeliver(
        &self,
        scope: &Scope,
        webhook_id: &str,
        delivery_id: &str,
    ) -> Result<Response<WebhookDelivery>, Error> {
        let path = format!("{}/deliveries/{}/redeliver", scope.webhook(webhook_id), segment(delivery_id));
        self.post(&path).send().await
    }
}
