//! The list of webhooks that listen to events of the whole organization. It is separate from the webhooks, so that one
//! query finds them all.

use domain::id::{AppId, Identifier as _, OrganizationId, WebhookId};
use domain::webhook::Webhook;
use domain::{Failure, Mode};
use serde::{Deserialize, Serialize};

use crate::change::{Change, fail_with, never};
use crate::expression::{Condition, Update};
use crate::item::{NewItem, entities, number, value};
use crate::table::Range;
use crate::{OrganizationStore, keys};

/// The attribute of the counters' item that holds the ids of these webhooks. It is a set, so that removing an id is
/// idempotent.
const ORGANIZATION_WEBHOOKS: &str = "organizationWebhooks";
/// The highest number of these webhooks, limited because each event of the organization goes to all of them.
const ORGANIZATION_WEBHOOKS_MOST: usize = 40;

/// An entry of the list, which the dispatcher reads.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WebhookReference {
    webhook_id: WebhookId,
    app_id: AppId,
}

impl OrganizationStore {
    /// Returns the webhooks of all apps of the mode that listen to events of the organization.
    pub async fn organization_webhooks(&self, mode: Mode) -> Result<Vec<Webhook>, Failure> {
        let range = Range::whole(keys::organization_webhooks(&self.organization, mode));
        let references: Vec<WebhookReference> = entities(self.table.query(range).await?)?;
        let keys: Vec<_> = references
            .iter()
            .map(|reference| keys::webhook(&self.organization, &reference.app_id, &reference.webhook_id))
            .collect();
        entities(self.table.get_all(&keys).await?)
    }
}

/// Frees the places that these webhooks have among those of the organization.
pub(crate) fn leave<'a>(organization: &OrganizationId, ids: impl IntoIterator<Item = &'a WebhookId>) -> Update {
    let ids = ids.into_iter().map(ToString::to_string).collect();
    Update::new(keys::counters(organization)).remove_members(ORGANIZATION_WEBHOOKS, ids)
}

impl Change {
    /// Adds a webhook to the list, or removes it if none of its events belongs to the organization.
    pub(crate) fn update_organization_list(&mut self, webhook: &Webhook) -> Result<(), Failure> {
        let key = keys::organization_webhook(&self.organization, &webhook.id);
        if webhook.listens_to_organization() {
            let reference = WebhookReference { webhook_id: webhook.id.clone(), app_id: webhook.app_id.clone() };
            self.put(NewItem::new(&key, &reference)?);
            self.join_organization_webhooks(&webhook.id)
        } else {
            self.delete(key, Condition::default(), never());
            self.leave_organization_webhooks(std::slice::from_ref(&webhook.id));
            Ok(())
        }
    }

    fn join_organization_webhooks(&mut self, id: &WebhookId) -> Result<(), Failure> {
        let update = Update::new(keys::counters(&self.organization))
            .add_member(ORGANIZATION_WEBHOOKS, id.as_str())
            .when("attribute_not_exists(#organizationWebhooks) OR size(#organizationWebhooks) < :most OR contains(#organizationWebhooks, :id)")
            .value(":id", value(id)?)
            .value(":most", number(ORGANIZATION_WEBHOOKS_MOST));
        let message = "An organization may have at most 40 webhooks that listen to template or account events. Delete \
                       one, or remove these events from another.";
        self.update(update, fail_with(move || Failure::limit("events", message)));
        Ok(())
    }

    pub(crate) fn leave_organization_webhooks(&mut self, ids: &[WebhookId]) {
        if !ids.is_empty() {
            self.update(leave(&self.organization, ids), never());
        }
    }

    pub(crate) fn remove_from_organization_list(&mut self, id: &WebhookId) {
        self.delete_any(keys::organization_webhook(&self.organization, id));
        self.leave_organization_webhooks(std::slice::from_ref(id));
    }
}
