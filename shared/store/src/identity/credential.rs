//! Credentials, stored under the SHA-256 of their value.

use domain::identity::credential::Bearer;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::{Credential, Holder};
use domain::identity::key::{AppKey, KeyState};
use domain::identity::rate::RateLimit;
use domain::{Failure, Timestamp};

use crate::engine::change::{Change, Verdict, fail_with, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{NewItem, TTL, entity, number, value};
use crate::{Store, keys};

impl Store {
    /// Returns the stored credential of a bearer, if there is one. It may be expired: the caller checks that.
    pub async fn credential(&self, bearer: &Bearer) -> Result<Option<Credential>, Failure> {
        let item = self.table.get(&keys::credential(bearer.kind, &bearer.secret.sha256())).await?;
        item.map(entity).transpose()
    }
}

fn has_ended() -> Failure {
    Failure::conflict("This key has ended. Create another one.")
}

/// The condition that a key has the value that was read.
pub(crate) fn has_value(seen: &KeyState) -> Result<Condition, Failure> {
    Ok(Condition::new("#valueHash = :seenHash").value(":seenHash", value(&seen.value_hash)?))
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

    /// Stores the credential of a key's present value. An app key also carries the limit of its app.
    pub(crate) fn create_key_credential(
        &mut self,
        holder: Holder,
        state: &KeyState,
        app_rate_limit: Option<RateLimit>,
    ) -> Result<(), Failure> {
        let KeyState { value_hash, expires_at, grant, rate_limit, identity, ancestor, .. } = state;
        let credential = Credential {
            organization_id: self.organization.clone(),
            holder,
            expires_at: *expires_at,
            grant: grant.clone(),
            rate_limit: *rate_limit,
            app_rate_limit,
            identity: identity.clone(),
            ancestor: ancestor.clone(),
        };
        self.create_credential(value_hash, &credential)
    }

    /// Changes the name or the limits of a key: `write` changes its item, unless another request has replaced its value first.
    pub(crate) fn change_key(
        &mut self,
        write: Update,
        verdict: Verdict,
        kind: CredentialKind,
        (before, after): (&KeyState, &KeyState),
        now: Timestamp,
    ) -> Result<(), Failure> {
        if write.changes_nothing() {
            return Ok(());
        }
        let write = write.if_present().when("#valueHash = :seenHash").value(":seenHash", value(&before.value_hash)?);
        self.update(write, verdict);
        if before == after {
            return Ok(());
        }
        self.limit_credential(kind, &after.value_hash, after.expires_at, after)?;
        // The credential of a value that has ended may be gone.
        if let Some(previous) = after.previous.as_ref().filter(|previous| previous.expires_at > now) {
            self.limit_credential(kind, &previous.value_hash, Some(previous.expires_at), after)?;
        }
        Ok(())
    }

    /// Gives a credential other limits.
    fn limit_credential(
        &mut self,
        kind: CredentialKind,
        hash: &str,
        expires_at: Option<Timestamp>,
        state: &KeyState,
    ) -> Result<(), Failure> {
        let write = Update::new(keys::credential(kind, hash));
        let write = match expires_at {
            Some(at) => write.set("expiresAt", &at)?.set_value(TTL, number(at.seconds())),
            None => write.remove("expiresAt").remove(TTL),
        };
        let write = match &state.grant.allowed_ips {
            Some(networks) => write.set("allowedIps", networks)?,
            None => write.remove("allowedIps"),
        };
        let write = match &state.rate_limit {
            Some(limit) => write.set("rateLimit", limit)?,
            None => write.remove("rateLimit"),
        };
        self.update(write.if_present(), fail_with(has_ended));
        Ok(())
    }

    /// Gives the credentials of an app's key the limit of the app. Stale if the key has another value meanwhile.
    pub(crate) fn limit_app_of_key(
        &mut self,
        key: &AppKey,
        limit: Option<RateLimit>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let kind = CredentialKind::AppKey(key.app_id.mode());
        let previous = key.state.previous.as_ref().filter(|previous| previous.expires_at > now);
        let is_working = key.state.expires_at.is_none_or(|at| at > now);
        let working = [Some(&key.state.value_hash), previous.map(|previous| &previous.value_hash)];
        for hash in working.into_iter().flatten().filter(|_| is_working) {
            let write = Update::new(keys::credential(kind, hash));
            let write = match &limit {
                Some(limit) => write.set("appRateLimit", limit)?,
                None => write.remove("appRateLimit"),
            };
            self.update(write.if_present(), stale());
        }
        Ok(())
    }

    /// Replaces the value of a key: `write` changes its item, unless another request has replaced the value first. The value of
    /// before works until its end; one before that ends now.
    pub(crate) fn rotate(
        &mut self,
        write: Update,
        verdict: Verdict,
        holder: Holder,
        (before, after): (&KeyState, &KeyState),
        app_rate_limit: Option<RateLimit>,
    ) -> Result<(), Failure> {
        let kind = holder.kind();
        let write = write.if_present().when("#valueHash = :seenHash").value(":seenHash", value(&before.value_hash)?);
        self.update(write, verdict);
        self.create_key_credential(holder, after, app_rate_limit)?;
        if let Some(older) = &before.previous {
            self.delete_credential(kind, &older.value_hash);
        }
        match &after.previous {
            None => self.delete_credential(kind, &before.value_hash),
            Some(ending) => {
                let write =
                    Update::new(keys::credential(kind, &before.value_hash)).set("expiresAt", &ending.expires_at)?;
                let write = write.set_value(TTL, number(ending.expires_at.seconds())).if_present();
                self.update(write, fail_with(has_ended));
            }
        }
        Ok(())
    }

    /// Deletes the credentials of a key's values.
    pub(crate) fn delete_key_credentials(&mut self, kind: CredentialKind, state: &KeyState) {
        self.delete_credential(kind, &state.value_hash);
        if let Some(previous) = &state.previous {
            self.delete_credential(kind, &previous.value_hash);
        }
    }

    pub fn delete_credential(&mut self, kind: CredentialKind, sha256: &str) {
        self.delete_any(keys::credential(kind, sha256));
    }
}
