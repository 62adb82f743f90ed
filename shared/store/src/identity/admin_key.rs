//! Admin keys, each with the credential under which its value is looked up.

use domain::id::AdminKeyId;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::Holder;
use domain::identity::key::AdminKey;
use domain::{Failure, Mode, Timestamp};

use crate::attention::Needing as _;
use crate::engine::change::{Change, Refused, absent_or, fail_with, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{entities, entity};
use crate::engine::page::{Page, PageRequest};
use crate::engine::table::Range;
use crate::identity::credential::has_value;
use crate::limits::counter::Counter;
use crate::{OrganizationStore, Reads, keys};

impl Reads {
    pub async fn admin_key(&self, id: &AdminKeyId) -> Result<Option<AdminKey>, Failure> {
        self.table.get(&keys::admin_key(&self.organization, id)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    pub async fn admin_keys(&self, modes: &[Mode], page: &PageRequest) -> Result<Page<AdminKey>, Failure> {
        self.table.page(modes.iter().map(|&mode| keys::admin_keys(&self.organization, mode)).collect(), page).await
    }
}

impl OrganizationStore {
    /// Returns all admin keys of a mode. The limit keeps the list short.
    pub async fn all_admin_keys(&self, mode: Mode) -> Result<Vec<AdminKey>, Failure> {
        entities(self.table.query(Range::whole(keys::admin_keys(&self.organization, mode))).await?)
    }
}

impl Change {
    /// Creates an admin key and its credential, unless the organization has reached the limit.
    pub fn create_admin_key(&mut self, key: &AdminKey) -> Result<(), Failure> {
        self.count(Counter::AdminKeys, key.id.mode());
        self.add_admin_key(key)
    }

    /// Creates admin keys for the operator. They are counted but not limited, because they restore access when all
    /// other keys are lost.
    pub fn create_admin_keys_without_limit(&mut self, keys: &[&AdminKey]) -> Result<(), Failure> {
        self.count_without_limit(Counter::AdminKeys, keys.iter().map(|key| key.id.mode()));
        keys.iter().try_for_each(|key| self.add_admin_key(key))
    }

    fn add_admin_key(&mut self, key: &AdminKey) -> Result<(), Failure> {
        self.create_entity(&keys::admin_key(&self.organization, &key.id), key)?;
        self.attend(&[], &key.needs())?;
        let holder = Holder::AdminKey { key_id: key.id.clone(), mode: key.id.mode(), member: None };
        self.create_key_credential(holder, &key.state, None)
    }

    /// Changes the name or the limits of an admin key.
    pub fn update_admin_key(&mut self, before: &AdminKey, after: &AdminKey, now: Timestamp) -> Result<(), Failure> {
        let write = Update::between(keys::admin_key(&self.organization, &before.id), before, after, &[])?;
        let verdict = absent_or(|| Failure::not_found("id", "admin key"), |_| Refused::Stale);
        self.attend(&before.needs(), &after.needs())?;
        self.change_key(write, verdict, CredentialKind::AdminKey, (&before.state, &after.state), now)
    }

    /// Gives an admin key another value.
    pub fn rotate_admin_key(&mut self, before: &AdminKey, after: &AdminKey) -> Result<(), Failure> {
        let key = keys::admin_key(&self.organization, &before.id);
        let write = Update::between(key, before, after, &[])?;
        let holder = Holder::AdminKey { key_id: before.id.clone(), mode: before.id.mode(), member: None };
        let verdict = absent_or(|| Failure::not_found("id", "admin key"), |_| Refused::Stale);
        self.rotate(write, verdict, holder, (&before.state, &after.state), None)?;
        self.attend(&before.needs(), &after.needs())
    }

    /// Deletes the key together with its credentials, so that the next request with this key is rejected. Stale if the key has
    /// another value meanwhile, whose credential would stay.
    pub fn delete_admin_key(&mut self, key: &AdminKey) -> Result<(), Failure> {
        let verdict = absent_or(|| Failure::not_found("id", "admin key"), |_| Refused::Stale);
        self.delete(keys::admin_key(&self.organization, &key.id), has_value(&key.state)?, verdict);
        self.delete_key_credentials(CredentialKind::AdminKey, &key.state);
        self.uncount(Counter::AdminKeys, key.id.mode());
        self.attend(&key.needs(), &[])
    }

    /// Deletes keys with their credentials. Stale if one of them has changed or is gone.
    pub fn revoke_admin_keys(&mut self, revoked: &[AdminKey]) -> Result<(), Failure> {
        for key in revoked {
            self.delete(keys::admin_key(&self.organization, &key.id), has_value(&key.state)?, stale());
            self.delete_key_credentials(CredentialKind::AdminKey, &key.state);
            self.attend(&key.needs(), &[])?;
        }
        self.uncount_each(Counter::AdminKeys, revoked.iter().map(|key| key.id.mode()));
        Ok(())
    }

    /// Requires that an admin key exists.
    pub fn require_admin_key(&mut self, id: &AdminKeyId) {
        self.require(
            keys::admin_key(&self.organization, id),
            Condition::present(),
            fail_with(Failure::credential_ended),
        );
    }
}
