//! Credentials, stored under the SHA-256 of their value.

use domain::Failure;
use domain::identity::credential::Bearer;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::key::Credential;

use crate::engine::change::{Change, fail_with};
use crate::engine::item::{NewItem, entity};
use crate::{Store, keys};

impl Store {
    /// Returns the stored credential of a bearer, if there is one. It may be expired: the caller checks that.
    pub async fn credential(&self, bearer: &Bearer) -> Result<Option<Credential>, Failure> {
        let item = self.table.get(&keys::credential(bearer.kind, &bearer.secret.sha256())).await?;
        item.map(entity).transpose()
    }
}

impl Change {
    /// Stores a credential under the SHA-256 of its value.
    pub fn create_credential(&mut self, sha256: &str, credential: &Credential) -> Result<(), Failure> {
        let key = keys::credential(credential.holder.kind(), sha256);
        let mut item = NewItem::new(&key, credential)?;
        if let Some(at) = credential.expires_at {
            item = item.expiring(at);
        }
        self.create(item, fail_with(|| Failure::internal("a newly minted credential already exists")));
        Ok(())
    }

    pub fn delete_credential(&mut self, kind: CredentialKind, sha256: &str) {
        self.delete_any(keys::credential(kind, sha256));
    }
}
