//! Webhooks, and separately their secrets, which only webhook management and delivery may read.

use std::collections::HashMap;

use domain::attention::NeedKind;
use domain::events::event::EventName;
use domain::events::webhook::{WEBHOOKS_PER_APP, Webhook, WebhookSecrets};
use domain::id::{AppId, Identifier as _, WebhookId};
use domain::{Failure, Open, Timestamp};
use futures_util::future::try_join;

use crate::attention::Needing as _;
use crate::engine::change::{Change, Refused, absent_or, fail_with};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{Item, entities, entity, key_of, number, value};
use crate::engine::page::{Page, PageRequest, sort_key};
use crate::engine::table::Range;
use crate::identity::app::no_such_app;
use crate::keys::KeyClass;
use crate::{OrganizationStore, Reads, keys};

fn no_such_webhook() -> Failure {
    Failure::not_found("webhookId", "webhook")
}

/// The fields that an update supplies.
#[derive(Default)]
pub struct WebhookUpdate<'a> {
    pub url: Option<&'a str>,
    pub events: Option<&'a [Open<EventName>]>,
    pub secrets: Option<&'a WebhookSecrets>,
}

impl Reads {
    /// Returns a webhook with its secrets. If it does not exist, the error names the app if that does not exist either.
    pub async fn webhook_with_secrets(
        &self,
        app: &AppId,
        id: &WebhookId,
    ) -> Result<(Webhook, WebhookSecrets), Failure> {
        let items = self
            .table
            .get_all(&[keys::webhook(&self.organization, app, id), keys::webhook_secrets(&self.organization, app, id)])
            .await?;
        let (mut webhook, mut secrets) = (None, None);
        for item in items {
            if key_of(&item).and_then(|key| key.class()) == Some(KeyClass::WebhookSecrets) {
                secrets = Some(entity::<WebhookSecrets>(item)?);
            } else {
                webhook = Some(entity::<Webhook>(item)?);
            }
        }
        // The keys contain only the ksuid, so the id of the other mode leads to the same items.
        match webhook.filter(|webhook| webhook.id == *id).zip(secrets) {
            Some(found) => Ok(found),
            None if self.app(app).await?.is_none() => Err(no_such_app()),
            None => Err(no_such_webhook()),
        }
    }
}

impl Reads {
    /// Returns a webhook without its secrets. If it does not exist, the error names the app if that does not exist either.
    pub async fn webhook(&self, app: &AppId, id: &WebhookId) -> Result<Webhook, Failure> {
        let item = self.table.get(&keys::webhook(&self.organization, app, id)).await?;
        // The keys contain only the ksuid, so the id of the other mode leads to the same items.
        match item.map(entity::<Webhook>).transpose()?.filter(|webhook| webhook.id == *id) {
            Some(found) => Ok(found),
            None if self.app(app).await?.is_none() => Err(no_such_app()),
            None => Err(no_such_webhook()),
        }
    }
}

impl OrganizationStore {
    /// Returns a page of an app's webhooks, without their secrets.
    pub async fn webhooks(&self, app: &AppId, page: &PageRequest) -> Result<Page<Webhook>, Failure> {
        self.table.page(vec![keys::webhooks(&self.organization, app)], page).await
    }

    /// Returns a page of an app's webhooks with their secrets, which have the same sort keys and are read at the same
    /// time. A webhook that is created or deleted at the same time can lack them.
    pub async fn webhooks_with_secrets(
        &self,
        app: &AppId,
        page: &PageRequest,
    ) -> Result<Page<(Webhook, Option<WebhookSecrets>)>, Failure> {
        let secrets = self.table.page_of_items(vec![keys::webhooks_secrets(&self.organization, app)], page);
        let (webhooks, secrets) = try_join(self.webhooks(app, page), secrets).await?;
        let of_webhook = |item: Item| Ok((sort_key(&item).to_owned(), entity(item)?));
        let mut secrets: HashMap<String, WebhookSecrets> =
            secrets.items.into_iter().map(of_webhook).collect::<Result<_, Failure>>()?;
        Ok(webhooks.map(|webhook| {
            let found = secrets.remove(webhook.id.ksuid());
            (webhook, found)
        }))
    }

    /// Returns all webhooks of an app. The limit keeps the list short.
    pub async fn webhooks_of_app(&self, app: &AppId) -> Result<Vec<Webhook>, Failure> {
        entities(self.table.query(Range::whole(keys::webhooks(&self.organization, app))).await?)
    }
}

impl Change {
    /// Creates a webhook with its secrets, unless the app has reached the limit.
    pub fn create_webhook(&mut self, webhook: &Webhook, secrets: &WebhookSecrets) -> Result<(), Failure> {
        let message = format!("An app may have at most {WEBHOOKS_PER_APP} webhooks. Delete a webhook first.");
        self.count_under_app(&webhook.app_id, "webhooks", WEBHOOKS_PER_APP, message);
        self.create_entity(&keys::webhook(&self.organization, &webhook.app_id, &webhook.id), webhook)?;
        self.create_entity(&keys::webhook_secrets(&self.organization, &webhook.app_id, &webhook.id), secrets)?;
        if webhook.listens_to_organization() {
            self.update_organization_list(webhook)?;
        }
        Ok(())
    }

    /// Replaces the signing secret; the previous secret keeps signing for a while. `seen` is the webhook as it was
    /// read. Stale if its revision has changed.
    pub fn rotate_webhook_secret(
        &mut self,
        seen: &Webhook,
        secrets: &WebhookSecrets,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let write = Update::new(keys::webhook(&self.organization, &seen.app_id, &seen.id))
            .set("updatedAt", &now)?
            .add("revision", 1)
            .if_present()
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(seen.revision));
        self.update(write, absent_or(no_such_webhook, |_| Refused::Stale));
        let key = keys::webhook_secrets(&self.organization, &seen.app_id, &seen.id);
        let mut write = Update::new(key).set("signingSecret", &secrets.signing_secret)?.if_present();
        write = match (&secrets.previous_secret, &secrets.previous_until) {
            (Some(previous), Some(until)) => write.set("previousSecret", previous)?.set("previousUntil", until)?,
            _ => write.remove("previousSecret").remove("previousUntil"),
        };
        self.update(write, absent_or(no_such_webhook, |_| Refused::Stale));
        Ok(())
    }

    /// Writes the supplied fields and enables the webhook again. `seen` is the webhook as it was read. Stale if its
    /// revision has changed.
    pub fn update_webhook(
        &mut self,
        seen: &Webhook,
        update: &WebhookUpdate<'_>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let mut write = Update::new(keys::webhook(&self.organization, &seen.app_id, &seen.id))
            .set("updatedAt", &now)?
            .remove("disabledAt")
            .remove("disabledReason")
            .add("revision", 1)
            .if_present()
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(seen.revision));

        if let Some(url) = update.url {
            write = write.set("url", &url)?;
        }
        if let Some(events) = update.events {
            write = write.set("events", &events)?;
            let listening = Webhook { events: events.to_vec(), ..seen.clone() };
            self.update_organization_list(&listening)?;
        }

        // An updated webhook is assumed to be repaired, so its receiver starts as healthy.
        self.forget_receiver(&seen.id);
        if let Some(secrets) = update.secrets {
            let names: Vec<&String> = secrets.headers.keys().collect();
            write = write.set("headerNames", &names)?;
        }

        self.update(write, absent_or(no_such_webhook, |_| Refused::Stale));
        if let Some(secrets) = update.secrets {
            let key = keys::webhook_secrets(&self.organization, &seen.app_id, &seen.id);
            let write = Update::new(key).set("headers", &secrets.headers)?.if_present();
            self.update(write, absent_or(no_such_webhook, |_| Refused::Stale));
        }
        Ok(())
    }

    /// Deletes a webhook with its secrets, its health and its entry in the organization's list.
    pub fn delete_webhook(&mut self, app: &AppId, id: &WebhookId) {
        self.uncount_under_app(app, "webhooks");
        let missing = fail_with(no_such_webhook);
        self.delete(keys::webhook(&self.organization, app, id), Condition::present(), missing);
        self.delete_any(keys::webhook_secrets(&self.organization, app, id));
        self.remove_from_organization_list(id);
        self.forget_receiver(id);
    }

    /// Deletes what is known of a webhook's receiver, and what of it needs attention.
    pub(crate) fn forget_receiver(&mut self, id: &WebhookId) {
        self.delete_any(keys::receiver_health(&self.organization, id));
        self.forget_needs(&NeedKind::OF_WEBHOOKS, id.as_str());
    }

    /// Disables a webhook, whose state after that is the given one. Already done if it is disabled, or if its URL has changed
    /// since it was read: that means another receiver, which has not failed.
    pub fn disable_webhook(&mut self, seen: &Webhook, disabled: &Webhook) -> Result<(), Failure> {
        let write = Update::new(keys::webhook(&self.organization, &seen.app_id, &seen.id))
            .set("disabledAt", &disabled.disabled_at)?
            .set("disabledReason", &disabled.disabled_reason)?
            .set("updatedAt", &disabled.updated_at)?
            .add("revision", 1)
            .if_present()
            .when("attribute_not_exists(#disabledAt) AND #url = :attempted")
            .value(":attempted", value(&seen.url)?);
        self.update(write, Box::new(|_| Refused::AlreadyDone));
        self.forget_needs(&[NeedKind::WebhookFailing], seen.id.as_str());
        self.attend(&[], &disabled.needs())
    }

    /// Deletes the health of webhooks and their entries in the organization's list, after the webhooks themselves were
    /// deleted.
    pub fn delete_webhook_leftovers(&mut self, ids: &[WebhookId]) {
        for id in ids {
            self.delete_any(keys::organization_webhook(&self.organization, id));
            self.forget_receiver(id);
        }
        self.leave_organization_webhooks(ids);
    }
}
