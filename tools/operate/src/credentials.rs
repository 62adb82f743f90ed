//! Removes credentials, keys, apps and webhooks that were deleted since the restore point.

use std::collections::BTreeSet;
use std::io::Write;

use domain::Failure;
use domain::events::webhook::{Webhook, WebhookSecrets};
use domain::identity::app::App;
use domain::identity::holder::{Credential, Holder};
use domain::identity::key::{AdminKey, AppKey, KeyState};
use store::keys::{Key, KeyClass};
use store::maintenance::{Found, Maintenance};

use crate::Reconciliation;

const DISABLED: &str = "The table was restored to an earlier time. Any change of the webhook enables it again.";

fn holder(credential: &Credential) -> String {
    match &credential.holder {
        Holder::AdminKey { key_id, .. } => key_id.to_string(),
        Holder::AppKey { key_id, .. } => key_id.to_string(),
        Holder::Session { session_id } | Holder::MemberSession { session_id, .. } => session_id.to_string(),
        Holder::OnboardingLink { link_id } => link_id.to_string(),
        Holder::SignInLink { member_id, .. } => member_id.to_string(),
    }
}

fn app_of(credential: &Credential) -> Option<String> {
    match &credential.holder {
        Holder::AppKey { app_id, .. } => Some(app_id.to_string()),
        Holder::AdminKey { .. }
        | Holder::Session { .. }
        | Holder::MemberSession { .. }
        | Holder::OnboardingLink { .. }
        | Holder::SignInLink { .. } => None,
    }
}

impl<W: Write> Reconciliation<W> {
    /// Returns all credentials: keys, sessions, and the tokens of links.
    fn credentials(&self) -> Result<Vec<Found<Credential>>, Failure> {
        let mut found = self.items.all(KeyClass::Credential)?;
        found.extend(self.items.all(KeyClass::OnboardingToken)?);
        found.extend(self.items.all(KeyClass::SignInToken)?);
        Ok(found)
    }

    /// Removes apps first, because their keys, credentials and webhooks are removed with them.
    pub(crate) async fn revoke_what_the_old_table_lacks(&mut self, kept: &BTreeSet<String>) -> Result<(), Failure> {
        let Some(old) = &self.old else { return Ok(()) };
        let judged = self.judged(kept)?;
        let existing = old.existing(&judged).await?;
        let gone: BTreeSet<Key> = judged.into_iter().filter(|key| !existing.contains(key)).collect();
        for app in self.items.all::<App>(KeyClass::App)?.into_iter().filter(|app| gone.contains(&app.key)) {
            self.remove_app(app).await?;
        }
        for key in self.items.all::<AdminKey>(KeyClass::AdminKey)?.into_iter().filter(|key| gone.contains(&key.key)) {
            self.revoke_admin_key(&format!("revoke admin key {}", key.entity.id), &key).await?;
        }

        for key in self.items.all::<AppKey>(KeyClass::AppKey)?.into_iter().filter(|key| gone.contains(&key.key)) {
            self.revoke_app_key(&format!("revoke app key {}", key.entity.id), &key).await?;
        }
        for hook in self.items.all::<Webhook>(KeyClass::Webhook)?.into_iter().filter(|hook| gone.contains(&hook.key)) {
            let what = format!("remove webhook {}", hook.entity.id);
            self.steps.take(&what, self.table.remove_webhook(&hook.organization()?, &hook.entity)).await?;
            self.items.remove(&hook.key);
            self.items.remove(&Maintenance::secrets_key(&hook.organization()?, &hook.entity));
        }

        for found in self.credentials()? {
            if gone.contains(&found.key) {
                self.revoke_credential(&format!("revoke the credential of {}", holder(&found.entity)), &found).await?;
            }
        }
        self.keep_rotated_secrets().await
    }

    /// Returns the keys of all items to look up in the old table, without those that the operator keeps.
    fn judged(&self, kept: &BTreeSet<String>) -> Result<Vec<Key>, Failure> {
        let is_kept = |ids: &[String]| ids.iter().any(|id| kept.contains(id));
        let mut judged = Vec::new();
        let mut judge = |key: Key, ids: &[String]| {
            if !is_kept(ids) {
                judged.push(key);
            }
        };
        for Found { key, entity } in self.credentials()? {
            judge(key, &[Some(holder(&entity)), app_of(&entity)].into_iter().flatten().collect::<Vec<_>>());
        }

        for Found { key, entity } in self.items.all::<AdminKey>(KeyClass::AdminKey)? {
            judge(key, &[entity.id.to_string()]);
        }
        for Found { key, entity } in self.items.all::<App>(KeyClass::App)? {
            judge(key, &[entity.id.to_string()]);
        }
        for Found { key, entity } in self.items.all::<AppKey>(KeyClass::AppKey)? {
            judge(key, &[entity.id.to_string(), entity.app_id.to_string()]);
        }

        for Found { key, entity } in self.items.all::<Webhook>(KeyClass::Webhook)? {
            judge(key, &[entity.id.to_string(), entity.app_id.to_string()]);
        }
        Ok(judged)
    }

    async fn remove_app(&mut self, Found { key, entity: app }: Found<App>) -> Result<(), Failure> {
        let (mut app_keys, mut webhooks) = (Vec::new(), Vec::new());
        let organization = Found { key: key.clone(), entity: () }.organization()?;
        self.items.remove(&key);

        for found in self.items.all::<AppKey>(KeyClass::AppKey)? {
            if found.entity.app_id == app.id {
                self.items.remove(&found.key);
                self.items.remove(&Maintenance::credential_key(&found.entity.state.value_hash));
                app_keys.push(found.entity);
            }
        }
        for found in self.items.all::<Webhook>(KeyClass::Webhook)? {
            if found.entity.app_id == app.id {
                self.items.remove(&found.key);
                self.items.remove(&Maintenance::secrets_key(&organization, &found.entity));
                webhooks.push(found.entity);
            }
        }

        let (keys, hooks) = (app_keys.len(), webhooks.len());
        let what = format!("remove app {} with its {keys} keys and {hooks} webhooks", app.id);
        let removal = self.table.remove_app(&organization, app, app_keys, webhooks, self.now);
        self.steps.take(&what, removal).await.map(|_| ())
    }

    async fn revoke_admin_key(&mut self, what: &str, found: &Found<AdminKey>) -> Result<(), Failure> {
        self.steps.take(what, self.table.revoke_admin_key(&found.organization()?, &found.entity)).await?;
        self.items.remove(&found.key);
        self.items.remove(&Maintenance::credential_key(&found.entity.state.value_hash));
        Ok(())
    }

    async fn revoke_app_key(&mut self, what: &str, found: &Found<AppKey>) -> Result<(), Failure> {
        self.steps.take(what, self.table.revoke_app_key(&found.organization()?, &found.entity)).await?;
        self.items.remove(&found.key);
        self.items.remove(&Maintenance::credential_key(&found.entity.state.value_hash));
        Ok(())
    }

    async fn revoke_credential(&mut self, what: &str, found: &Found<Credential>) -> Result<(), Failure> {
        self.steps.take(what, self.table.revoke_credential(found)).await?;
        self.items.remove(&found.key);
        Ok(())
    }

    /// Copies signing secrets that were rotated since the restore point: receivers may already reject the old one, or it
    /// may have leaked.
    async fn keep_rotated_secrets(&mut self) -> Result<(), Failure> {
        let Some(old) = &self.old else { return Ok(()) };
        let secrets = self.items.all::<WebhookSecrets>(KeyClass::WebhookSecrets)?;
        let newer = old.existing(&secrets.iter().map(|found| found.key.clone()).collect::<Vec<_>>()).await?;
        let webhooks = self.items.all::<Webhook>(KeyClass::Webhook)?;
        for Found { key, entity: before } in secrets {
            let Some(newer) = newer.get::<WebhookSecrets>(&key)? else { continue };
            let signing = |secrets: &WebhookSecrets| {
                (secrets.signing_secret.clone(), secrets.previous_secret.clone(), secrets.previous_until)
            };
            if signing(&before) == signing(&newer) {
                continue;
            }
            let after = WebhookSecrets { headers: before.headers.clone(), ..newer };
            let whose = webhooks.iter().find(|hook| hook.entity.id.ksuid() == key.sort);
            let webhook = whose.map_or(key.sort.clone(), |hook| hook.entity.id.to_string());
            let what = format!("keep the rotated signing secret of webhook {webhook}");
            self.steps.take(&what, self.table.replace_secrets(&key, &before, &after)).await?;
        }
        Ok(())
    }

    pub(crate) async fn revoke_all(&mut self) -> Result<(), Failure> {
        for key in self.items.all::<AdminKey>(KeyClass::AdminKey)? {
            self.revoke_admin_key(&format!("revoke {}", key.entity.id), &key).await?;
        }
        for key in self.items.all::<AppKey>(KeyClass::AppKey)? {
            self.revoke_app_key(&format!("revoke {}", key.entity.id), &key).await?;
        }
        for found in self.credentials()? {
            self.revoke_credential(&format!("revoke the credential of {}", holder(&found.entity)), &found).await?;
        }
        // A webhook that was deleted since must not receive events, and there is no record of which ones were.
        for hook in self.items.all::<Webhook>(KeyClass::Webhook)? {
            if hook.entity.disabled_at.is_none() {
                let what = format!("disable webhook {}", hook.entity.id);
                let disabling = self.table.disable_webhook(&hook.key, &hook.entity, DISABLED, self.now);
                self.steps.take(&what, disabling).await?;
            }
        }
        Ok(())
    }

    /// Removes credentials whose key item is missing: no list shows them, so no caller could revoke them.
    pub(crate) async fn revoke_unlisted(&mut self) -> Result<(), Failure> {
        let admin_keys = self.items.all::<AdminKey>(KeyClass::AdminKey)?.into_iter().map(|key| key.entity.state);
        let app_keys = self.items.all::<AppKey>(KeyClass::AppKey)?.into_iter().map(|key| key.entity.state);
        let hashes = admin_keys.chain(app_keys).flat_map(KeyState::into_hashes);
        let mut listed: BTreeSet<Key> = hashes.map(|hash| Maintenance::credential_key(&hash)).collect();
        listed.extend(self.of_sessions()?);
        for found in self.items.all::<Credential>(KeyClass::Credential)? {
            let is_session = matches!(found.entity.holder, Holder::Session { .. });
            if !is_session && !listed.contains(&found.key) {
                let what = format!("revoke the credential of {}, which no list shows", holder(&found.entity));
                self.revoke_credential(&what, &found).await?;
            }
        }
        Ok(())
    }
}
