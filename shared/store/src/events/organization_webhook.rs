//! The list of webhooks that listen to events of the whole organization. It is separate from the webhooks, so that one
//! query finds them all.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::events::webhook::{WEBHOOKS_OF_ORGANIZATION, Webhook};
use domain::id::{AppId, Identifier as _, OrganizationId, WebhookId};
use domain::{Failure, Mode};
use serde::{Deserialize, Serialize};

use crate::engine::change::{Change, Refused, never};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{Item, NewItem, entities, number, value};
use crate::engine::table::Range;
use crate::limits::doubt::Doubt;
use crate::{OrganizationStore, keys};

/// The attributes of the counters' item that hold the ids of these webhooks, one for each mode. They are sets, so that
/// removing an id is idempotent. Earlier versions kept the ids of both modes under the name of the live ones.
const LIVE: &str = "organizationWebhooks";
const TEST: &str = "testOrganizationWebhooks";

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

/// Frees the places of these webhooks.
pub(crate) fn leave<'a>(organization: &OrganizationId, ids: impl IntoIterator<Item = &'a WebhookId>) -> Update {
    let ids: Vec<&WebhookId> = ids.into_iter().collect();
    let update = Update::new(keys::counters(organization));
    let update = update.remove_members(LIVE, ids.iter().map(ToString::to_string).collect());
    let of_test: Vec<String> = ids.iter().filter(|id| id.mode().is_test()).map(ToString::to_string).collect();
    if of_test.is_empty() { update } else { update.remove_members(TEST, of_test) }
}

/// Returns the places of live webhooks that test webhooks occupy.
fn of_test(places: &[String]) -> Vec<String> {
    let is_test = |id: &&String| id.parse::<WebhookId>().is_ok_and(|id| id.mode().is_test());
    places.iter().filter(is_test).cloned().collect()
}

/// Moves test webhooks that occupy these places of live ones to places of their own, unless the places have changed.
fn sorted(organization: &OrganizationId, places: &[String]) -> Update {
    let moved = of_test(places);
    Update::new(keys::counters(organization))
        .remove_members(LIVE, moved.clone())
        .add_members(TEST, moved)
        .when("#organizationWebhooks = :seen")
        .value(":seen", AttributeValue::Ss(places.to_vec()))
}

/// Returns the verdict when no place is free. If test webhooks occupy places of live ones, they are moved first.
fn full(organization: &OrganizationId, mode: Mode, counters: Option<&Item>) -> Refused {
    let message = format!(
        "An organization may have at most {WEBHOOKS_OF_ORGANIZATION} webhooks in {} mode that subscribe to template or \
         account events. Delete one, or remove these events from another.",
        mode.as_str()
    );
    let refusal = Failure::limit("events", message);
    let places = counters.and_then(|counters| counters.get(LIVE)?.as_ss().ok()).filter(|_| !mode.is_test());
    match places.filter(|places| !of_test(places).is_empty()) {
        Some(places) => {
            Refused::Doubtful(Box::new(Doubt::of_what_is_corrected_by(sorted(organization, places), refusal)))
        }
        None => Refused::With(refusal),
    }
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
        let mode = id.mode();
        let places = if mode.is_test() { TEST } else { LIVE };
        let update = Update::new(keys::counters(&self.organization))
            .add_member(places, id.as_str())
            .when(&format!("attribute_not_exists(#{places}) OR size(#{places}) < :most OR contains(#{places}, :id)"))
            .value(":id", value(id)?)
            .value(":most", number(WEBHOOKS_OF_ORGANIZATION));
        let update = if mode.is_test() { update.remove_member(LIVE, id.as_str()) } else { update };
        let organization = self.organization.clone();
        self.update(update, Box::new(move |counters| full(&organization, mode, counters)));
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
