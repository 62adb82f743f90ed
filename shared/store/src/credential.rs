//! Credentials by the SHA-256 of their value.

use domain::Failure;
use domain::credential::Bearer;
use domain::key::Credential;

use crate::change::Change;
use crate::item::{NewItem, entity};
use crate::{Store, keys};

impl Store {
    /// What this credential proves, if it is known. Expiry is for the caller to judge.
    pub async fn credential(&self, bearer: &Bearer) -> Result<Option<Credential>, Failure> {
        let item = self.table.get(&keys::credential(&bearer.secret.sha256())).await?;
        item.map(entity).transpose()
    }
}

impl Change {
    pub fn create_credential(&mut self, sha256: &str, credential: &Credential) -> Result<(), Failure> {
        let key = keys::credential(sha256);
        let mut item = NewItem::new(&key, credential)?;
        if let Some(at) = credential.expires_at {
            item = item.expiring(at);
        }
        self.create(item, crate::change::fail_with(|| Failure::internal("a fresh credential exists already")));
        Ok(())
    }

    pub fn delete_credential(&mut self, sha256: &str) {
        self.delete_any(keys::credential(sha256));
    }
}
