//! App keys, each with the credential under which its value is looked up. The app counts its keys.

use domain::id::{AppId, AppKeyId};
use domain::identity::app::SharedByKeys;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::Holder;
use domain::identity::key::{AppKey, KEYS_PER_APP};
use domain::{Failure, Timestamp};

use crate::attention::Needing as _;
use crate::engine::change::{Change, Refused, absent_or, stale};
use crate::engine::expression::Update;
use crate::engine::item::{Item, entity, value};
use crate::engine::page::{Page, PageRequest};
use crate::identity::app::no_such_app;
use crate::identity::credential::has_value;
use crate::{OrganizationStore, Reads, keys};

impl Reads {
    pub async fn app_key(&self, app: &AppId, id: &AppKeyId) -> Result<Option<AppKey>, Failure> {
        self.table.get(&keys::app_key(&self.organization, app, id)).await?.map(entity).transpose()
    }
}

/// Adds the condition that the app has the rate limit that the credential of its key repeats.
fn limited_as_seen(app: Update, seen: &SharedByKeys) -> Result<Update, Failure> {
    Ok(match &seen.rate_limit {
        Some(limit) => app.when("#rateLimit = :seenLimit").value(":seenLimit", value(limit)?),
        None => app.when("attribute_not_exists(#rateLimit)"),
    })
}

/// Returns the holder of a key's credential.
fn holder_of(key: &AppKey, shared: &SharedByKeys) -> Holder {
    let simulated_chat_number = shared.simulated_chat_number.clone();
    Holder::AppKey { key_id: key.id.clone(), app_id: key.app_id.clone(), simulated_chat_number, member: None }
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
    /// Creates an app key and its credential. Stale if the app has another rate limit than was seen.
    pub fn create_app_key(&mut self, key: &AppKey, seen: &SharedByKeys) -> Result<(), Failure> {
        let message = format!("An app may have at most {KEYS_PER_APP} keys. Delete a key first.");
        let update = limited_as_seen(self.counting_under_app(&key.app_id, "keys", KEYS_PER_APP), seen)?;
        let limit = seen.rate_limit.as_ref().map(value).transpose()?;
        let refused = move |item: &Item| match item.get("rateLimit") == limit.as_ref() {
            true => Refused::With(Failure::limit("keys", message.clone())),
            false => Refused::Stale,
        };
        self.update(update, absent_or(no_such_app, refused));
        self.create_entity(&keys::app_key(&self.organization, &key.app_id, &key.id), key)?;
        self.attend(&[], &key.needs())?;
        self.create_key_credential(holder_of(key, seen), &key.state, seen.rate_limit)
    }

    /// Changes the name or the limits of an app key.
    pub fn update_app_key(&mut self, before: &AppKey, after: &AppKey, now: Timestamp) -> Result<(), Failure> {
        let key = keys::app_key(&self.organization, &before.app_id, &before.id);
        let write = Update::between(key, before, after, &[])?;
        let verdict = absent_or(|| Failure::not_found("keyId", "app key"), |_| Refused::Stale);
        let kind = CredentialKind::AppKey(before.app_id.mode());
        self.attend(&before.needs(), &after.needs())?;
        self.change_key(write, verdict, kind, (&before.state, &after.state), now)
    }

    /// Gives an app key another value. The app counts the change, so that its deletion and a change of its rate limit notice the
    /// new credential.
    pub fn rotate_app_key(&mut self, before: &AppKey, after: &AppKey, seen: &SharedByKeys) -> Result<(), Failure> {
        let key = keys::app_key(&self.organization, &before.app_id, &before.id);
        let write = Update::between(key, before, after, &[])?;
        let app = Update::new(keys::app(&self.organization, &before.app_id)).add("revision", 1).if_present();
        self.update(limited_as_seen(app, seen)?, absent_or(no_such_app, |_| Refused::Stale));
        let verdict = absent_or(|| Failure::not_found("keyId", "app key"), |_| Refused::Stale);
        self.rotate(write, verdict, holder_of(after, seen), (&before.state, &after.state), seen.rate_limit)?;
        self.attend(&before.needs(), &after.needs())
    }

    /// Deletes the key together with its credentials, so that the next request with this key is rejected. Stale if the key has
    /// another value meanwhile, whose credential would stay.
    pub fn delete_app_key(&mut self, key: &AppKey) -> Result<(), Failure> {
        self.uncount_under_app(&key.app_id, "keys");
        let verdict = absent_or(|| Failure::not_found("keyId", "app key"), |_| Refused::Stale);
        let item = keys::app_key(&self.organization, &key.app_id, &key.id);
        self.delete(item, has_value(&key.state)?, verdict);
        self.delete_key_credentials(CredentialKind::AppKey(key.app_id.mode()), &key.state);
        self.attend(&key.needs(), &[])
    }

    /// Deletes keys of an app with their credentials. Stale if one of them has changed or is gone.
    pub fn revoke_app_keys(&mut self, app: &AppId, revoked: &[AppKey]) -> Result<(), Failure> {
        let gone = i64::try_from(revoked.len()).map_err(Failure::internal)?;
        self.update(self.uncounting_under_app(app, "keys", gone), stale());
        for key in revoked {
            self.delete(keys::app_key(&self.organization, app, &key.id), has_value(&key.state)?, stale());
            self.delete_key_credentials(CredentialKind::AppKey(app.mode()), &key.state);
            self.attend(&key.needs(), &[])?;
        }
        Ok(())
    }
}
