//! Access for the operator's programs, to be used while no function runs: whole-table reads, and writes without the
//! API's conditions. It cannot be reached from a `Store`, and no function has the permission to scan the table.
//!
//! It is needed after the table was restored to an earlier time: credentials that were deleted since are revoked, media
//! without bytes are hidden, counters are compared with the items that they count (`counters.rs`), and records of
//! requests that sent a message are carried over, so that no message is sent again (`sends.rs`).

mod attention;
mod counters;
mod items;
mod members;
mod scan;
mod sends;
mod usage;

use std::collections::BTreeSet;
use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use domain::attention::NeedKind;
use domain::due::DueClass;
use domain::events::webhook::{Webhook, WebhookSecrets};
use domain::id::{ChatMessageId, Identifier as _, MediaId, OrganizationId};
use domain::identity::app::App;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::{Credential, Holder};
use domain::identity::key::{AdminKey, AppKey};
use domain::media::{Media, MediaState};
use domain::{Failure, Mode, Timestamp};

use crate::InboundRecord;
use crate::attention::Needing as _;
use crate::engine::change::{Change, never};
use crate::engine::commit::Committed;
use crate::engine::dynamodb_error::failure;
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{DUE_AT, entities, entity, number, value};
use crate::engine::operation::Operation;
use crate::engine::table::{Range, Table};
use crate::engine::transaction::transact_item;
use crate::events::organization_webhook;
use crate::identity::app::system_number_keys;
use crate::identity::deleted_app::AppToDelete;
use crate::keys::{self, Key, KeyClass};

pub use counters::{Miscount, miscounts};
pub use items::{Found, Items};

/// How many items are read at once.
const KEYS: usize = 1000;

/// The operator's access to the table.
pub struct Maintenance {
    client: Client,
    name: Arc<str>,
    table: Table,
}

impl Maintenance {
    pub fn new(client: Client, table: &str) -> Self {
        Maintenance { table: Table::new(client.clone(), table.to_owned()), client, name: table.into() }
    }

    /// Returns the items under those of `keys` that exist.
    pub async fn existing(&self, keys: &[Key]) -> Result<Items, Failure> {
        let mut found = Vec::new();
        for keys in keys.chunks(KEYS) {
            found.extend(self.table.get_all(keys).await?);
        }
        Items::new(found)
    }

    /// Returns the keys, apps, webhooks and members of an organization.
    pub async fn access_of(&self, organization: &OrganizationId) -> Result<Items, Failure> {
        let mut items = Vec::new();
        for mode in Mode::ALL {
            let apps = self.table.query(Range::whole(keys::apps(organization, mode))).await?;
            for app in entities::<App>(apps.clone())? {
                items.extend(self.table.query(Range::whole(keys::app_keys(organization, &app.id))).await?);
                items.extend(self.table.query(Range::whole(keys::webhooks(organization, &app.id))).await?);
            }
            items.extend(apps);
            items.extend(self.table.query(Range::whole(keys::admin_keys(organization, mode))).await?);
        }
        items.extend(self.table.query(Range::whole(keys::members(organization))).await?);
        Items::new(items)
    }

    /// Deletes an app as the API does. The sweep clears the remaining references to it.
    pub async fn remove_app(
        &self,
        organization: &OrganizationId,
        app: App,
        keys: Vec<AppKey>,
        webhooks: Vec<Webhook>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let simulated_number = match &app.simulated_chat_number {
            Some(own) => self.table.get(&keys::chat_phone_number(organization, &own.id)).await?,
            None => None,
        };
        let simulated_number = simulated_number.map(entity).transpose()?;
        let system_numbers = entities(self.table.get_all(&system_number_keys(organization, &app)).await?)?;

        let mut change = Change::new(organization);
        change.delete_app(&AppToDelete { app, keys, webhooks, simulated_number, system_numbers }, now)?;
        match self.table.commit(&change).await? {
            Committed::Stale => {
                Err(Failure::conflict("An app was changed while it was being deleted. Stop all functions first."))
            }
            _ => Ok(()),
        }
    }

    /// Deletes an admin key and its credential. Counters are not changed.
    pub async fn revoke_admin_key(&self, organization: &OrganizationId, key: &AdminKey) -> Result<(), Failure> {
        let credential = keys::credential(CredentialKind::AdminKey, &key.state.value_hash);
        let entries = attention::entries(organization, &[NeedKind::KeyEnds], key.id.as_str());
        self.erase([keys::admin_key(organization, &key.id), credential].into_iter().chain(entries)).await
    }

    /// Deletes an app key and its credential. Counters are not changed.
    pub async fn revoke_app_key(&self, organization: &OrganizationId, key: &AppKey) -> Result<(), Failure> {
        let credential = keys::credential(CredentialKind::AppKey(key.app_id.mode()), &key.state.value_hash);
        let entries = attention::entries(organization, &[NeedKind::KeyEnds], key.id.as_str());
        self.erase([keys::app_key(organization, &key.app_id, &key.id), credential].into_iter().chain(entries)).await
    }

    pub async fn revoke_credential(&self, found: &Found<Credential>) -> Result<(), Failure> {
        let session = match &found.entity.holder {
            Holder::Session { session_id } => Some(keys::session(&found.entity.organization_id, session_id)),
            Holder::AdminKey { .. }
            | Holder::AppKey { .. }
            | Holder::MemberSession { .. }
            | Holder::OnboardingLink { .. }
            | Holder::SignInLink { .. } => None,
        };
        self.erase([found.key.clone()].into_iter().chain(session)).await
    }

    /// Deletes a webhook with its secrets, its health, and its entry and place in the organization's list. Counters are
    /// not changed, and its deliveries stay.
    pub async fn remove_webhook(&self, organization: &OrganizationId, webhook: &Webhook) -> Result<(), Failure> {
        let (app, id) = (&webhook.app_id, &webhook.id);
        let keys = [
            keys::webhook(organization, app, id),
            keys::webhook_secrets(organization, app, id),
            keys::organization_webhook(organization, id),
            keys::receiver_health(organization, id),
        ];
        let entries = attention::entries(organization, &NeedKind::OF_WEBHOOKS, id.as_str());
        let place = webhook.listens_to_organization().then(|| organization_webhook::leave(organization, [id]));
        let deleted = keys.into_iter().chain(entries).map(delete);
        self.write(deleted.chain(place.map(Operation::Update))).await
    }

    /// Deletes all of these items or none. Items that do not exist are ignored.
    async fn erase(&self, keys: impl IntoIterator<Item = Key>) -> Result<(), Failure> {
        let distinct: BTreeSet<Key> = keys.into_iter().collect();
        self.write(distinct.into_iter().map(delete)).await
    }

    async fn write(&self, operations: impl Iterator<Item = Operation>) -> Result<(), Failure> {
        let writes: Result<Vec<_>, _> = operations.map(|operation| transact_item(&self.name, operation)).collect();
        let call = self.client.transact_write_items().set_transact_items(Some(writes.map_err(Failure::internal)?));
        call.send().await.map(|_| ()).map_err(failure)
    }

    /// Writes the differences between two states of a webhook's secrets.
    pub async fn replace_secrets(
        &self,
        key: &Key,
        before: &WebhookSecrets,
        after: &WebhookSecrets,
    ) -> Result<(), Failure> {
        self.update(Update::between(key.clone(), before, after, &[])?.if_present()).await
    }

    /// Disables a webhook with `reason`, which the API shows.
    pub async fn disable_webhook(
        &self,
        key: &Key,
        before: &Webhook,
        reason: &str,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let (disabled_at, disabled_reason) = (Some(now), Some(reason.to_owned()));
        let revision = before.revision + 1;
        let after = Webhook { disabled_at, disabled_reason, updated_at: now, revision, ..before.clone() };
        let mut change = Change::new(&items::organization_of(key)?);
        change.update(Update::between(key.clone(), before, &after, &[])?.if_present(), never());
        change.forget_needs(&[NeedKind::WebhookFailing], before.id.as_str());
        change.attend(&before.needs(), &after.needs())?;
        self.table.commit(&change).await.map(|_| ())
    }

    /// Sets a counter to the number of items that it counts.
    pub async fn correct(&self, miscount: &Miscount) -> Result<(), Failure> {
        let update = Update::new(miscount.key.clone()).set_value(miscount.counter, number(miscount.counted));
        self.update(update).await
    }

    async fn update(&self, update: Update) -> Result<(), Failure> {
        self.table
            .update(update, || Failure::internal("an item was deleted while it was being changed"))
            .await
            .map(|_| ())
    }

    /// Hides a medium from all readers at once and makes it due, so that the sweep deletes it. `false` if it was
    /// changed concurrently.
    pub async fn hide_media(
        &self,
        organization: &OrganizationId,
        seen: &Media,
        now: Timestamp,
    ) -> Result<bool, Failure> {
        let key = keys::media(organization, &seen.id);
        let update = Update::new(key)
            .due(DueClass::Media, now)
            .set("state", &MediaState::Deleted)?
            .set("expiresAt", &now)?
            .when("#expiresAt = :seen")
            .value(":seen", value(&seen.expires_at)?);
        Ok(self.table.try_update(update).await?.is_ok())
    }

    /// Hides the file of a message at once and makes it due, so that the sweep deletes it. `false` if the message was
    /// changed concurrently.
    pub async fn hide_inbound(
        &self,
        organization: &OrganizationId,
        message: &ChatMessageId,
        seen: &InboundRecord,
        now: Timestamp,
    ) -> Result<bool, Failure> {
        let Some(media) = seen.reported.inbound_media.clone() else { return Ok(false) };
        let hidden = crate::InboundMedia { expires_at: Some(now), ..media };
        let update = Update::new(keys::message(KeyClass::Message, organization, message))
            .due(DueClass::Media, now)
            .set("inboundMedia", &hidden)?
            .add("revision", 1)
            .when("#revision = :seen")
            .value(":seen", number(seen.revision));
        Ok(self.table.try_update(update).await?.is_ok())
    }

    /// Makes all items of these classes due now that would become due later. Returns how many were changed.
    pub async fn make_due(&self, classes: &[KeyClass], now: Timestamp) -> Result<usize, Failure> {
        let mut made = 0;
        for key in self.scan(classes).await?.due_after(now) {
            let update = Update::new(key).set_value(DUE_AT, number(now.millis())).when("#dueAt > :now");
            let update = update.value(":now", number(now.millis()));
            made += usize::from(self.table.try_update(update).await?.is_ok());
        }
        Ok(made)
    }

    pub fn media_key(organization: &OrganizationId, id: &MediaId) -> Key {
        keys::media(organization, id)
    }

    pub fn message_key(organization: &OrganizationId, id: &ChatMessageId) -> Key {
        keys::message(KeyClass::Message, organization, id)
    }

    pub fn secrets_key(organization: &OrganizationId, webhook: &Webhook) -> Key {
        keys::webhook_secrets(organization, &webhook.app_id, &webhook.id)
    }

    /// Returns the key of the credential of an admin key or app key.
    pub fn credential_key(sha256: &str) -> Key {
        keys::credential(CredentialKind::AdminKey, sha256)
    }
}

fn delete(key: Key) -> Operation {
    Operation::Delete(key, Condition::default())
}
