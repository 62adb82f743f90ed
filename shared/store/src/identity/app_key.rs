//! App keys, each with the credential under which its value is looked up. The app counts its keys.

use domain::id::{AppId, AppKeyId};
use domain::identity::credential_kind::CredentialKind;
use domain::identity::key::{AppKey, Holder, KEYS_PER_APP};
use domain::testing::playground::SimulatedChatNumber;
use domain::{Failure, Timestamp};

use crate::engine::change::{Change, Refused, absent_or, fail_with};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::entity;
use crate::engine::page::{Page, PageRequest};
use crate::{OrganizationStore, Reads, keys};

impl Reads {
    pub async fn app_key(&self, app: &AppId, id: &AppKeyId) -> Result<Option<AppKey>, Failure> {
        self.table.get(&keys::app_key(&self.organization, app, id)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    pub async fn app_keys(&self, app: &AppId, page: &PageRequest) -> Result<Page<AppKey>, Failure> {
        self.table.page(vec![keys::app_keys(&self.organization, app)], page).await
    }
}

impl OrganizationStore {
    /// Ends the values that keys of an app had before their last rotation.
    pub async fn end_previous_values(&self, of: &[AppKey]) -> Result<(), Failure> {
        let mut change = Change::new(&self.organization);
        for key in of {
            if let Some(previous) = &key.state.previous {
                change.delete_credential(CredentialKind::AppKey(key.app_id.mode()), &previous.value_hash);
            }
        }
        match change.is_idle() {
            true => Ok(()),
            false => self.table.commit(&change).await.map(|_| ()),
        }
    }
}

impl Change {
    /// Creates an app key and its credential. The credential carries the app's `simulated_chat_number`, which saves
    /// reading the app.
    pub fn create_app_key(
        &mut self,
        key: &AppKey,
        simulated_chat_number: Option<SimulatedChatNumber>,
    ) -> Result<(), Failure> {
        let message = format!("An app may have at most {KEYS_PER_APP} keys. Delete a key first.");
        self.count_under_app(&key.app_id, "keys", KEYS_PER_APP, message);
        self.create_entity(&keys::app_key(&self.organization, &key.app_id, &key.id), key)?;
        let holder = Holder::AppKey { key_id: key.id.clone(), app_id: key.app_id.clone(), simulated_chat_number };
        self.create_key_credential(holder, &key.state)
    }

    /// Changes the name or the limits of an app key.
    pub fn update_app_key(&mut self, before: &AppKey, after: &AppKey, now: Timestamp) -> Result<(), Failure> {
        let key = keys::app_key(&self.organization, &before.app_id, &before.id);
        let write = Update::between(key, before, after, &[])?;
        let verdict = absent_or(|| Failure::not_found("keyId", "app key"), |_| Refused::Stale);
        let kind = CredentialKind::AppKey(before.app_id.mode());
        self.change_key(write, verdict, kind, (&before.state, &after.state), now)
    }

    /// Gives an app key another value.
    pub fn rotate_app_key(
        &mut self,
        before: &AppKey,
        after: &AppKey,
        simulated_chat_number: Option<SimulatedChatNumber>,
    ) -> Result<(), Failure> {
        let key = keys::app_key(&self.organization, &before.app_id, &before.id);
        let write = Update::between(key, before, after, &[])?;
        let (key_id, app_id) = (before.id.clone(), before.app_id.clone());
        let holder = Holder::AppKey { key_id, app_id, simulated_chat_number };
        let verdict = absent_or(|| Failure::not_found("keyId", "app key"), |_| Refused::Stale);
        self.rotate(write, verdict, holder, (&before.state, &after.state))
    }

    /// Deletes the key together with its credential, so that the next request with this key is rejected.
    pub fn delete_app_key(&mut self, key: &AppKey) {
        self.uncount_under_app(&key.app_id, "keys");
        self.delete(
            keys::app_key(&self.organization, &key.app_id, &key.id),
            Condition::present(),
            fail_with(|| Failure::not_found("keyId", "app key")),
        );
        self.delete_key_credentials(CredentialKind::AppKey(key.app_id.mode()), &key.state);
    }
}
