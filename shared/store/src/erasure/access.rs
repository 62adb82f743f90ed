//! The deletion of all credentials of an organization, of each kind by itself.

use domain::id::AppId;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::member::MemberSession;
use domain::identity::person::Person;
use domain::{Failure, Mode};
use serde::Deserialize;

use crate::engine::change::{Change, stale};
use crate::engine::expression::Condition;
use crate::engine::item::{entity, key_of, number, value};
use crate::{OrganizationStore, keys};

/// The part of a member that a deletion reads: damage to other fields does not matter.
#[derive(Deserialize)]
struct SignedIn {
    email: String,
    person: Option<Person>,
    #[serde(default)]
    sessions: Vec<MemberSession>,
    revision: u64,
}

impl OrganizationStore {
    /// Deletes a page of admin keys with their credentials, and returns whether there were any.
    pub async fn delete_admin_keys(&self, mode: Mode) -> Result<bool, Failure> {
        let partition = keys::admin_keys(&self.organization, mode);
        self.delete_credentials(partition, CredentialKind::AdminKey, "valueHash").await
    }

    /// Deletes a page of an app's keys with their credentials, and returns whether there were any.
    pub async fn delete_app_keys(&self, app: &AppId) -> Result<bool, Failure> {
        let partition = keys::app_keys(&self.organization, app);
        self.delete_credentials(partition, CredentialKind::AppKey(app.mode()), "valueHash").await
    }

    /// Deletes a page of sessions with their credentials, and returns whether there were any.
    pub async fn delete_sessions(&self) -> Result<bool, Failure> {
        self.delete_credentials(keys::sessions(&self.organization), CredentialKind::Session, "valueHash").await
    }

    /// Deletes a page of members with the credentials of their sessions, and returns whether there were any. A member who
    /// signs in meanwhile is read again.
    pub async fn delete_members(&self) -> Result<bool, Failure> {
        let items = self.first(keys::members(&self.organization)).await?;
        for item in &items {
            let key = key_of(item).ok_or_else(|| Failure::internal("a member has no key"))?;
            let member: SignedIn = entity(item.clone())?;
            let mut change = Change::new(&self.organization);
            let as_seen = Condition::new("#revision = :seen").value(":seen", number(member.revision));
            change.delete(key, as_seen, stale());
            change.delete_any(keys::member_address(&self.organization, &member.email));
            if let Some(person) = &member.person {
                change.delete_any(keys::membership(&self.organization, person));
            }
            change.end_sessions(&member.sessions);
            self.table.commit(&change).await?;
        }
        Ok(!items.is_empty())
    }

    /// Deletes a page of onboarding links with their credentials, and returns whether there were any.
    pub async fn delete_onboarding_links(&self, mode: Mode) -> Result<bool, Failure> {
        let partition = keys::onboarding_links(&self.organization, mode);
        self.delete_credentials(partition, CredentialKind::OnboardingLink, "tokenHash").await
    }

    /// Deletes the places of open onboarding links.
    pub async fn delete_open_links(&self) -> Result<(), Failure> {
        let mut change = Change::new(&self.organization);
        change.delete_any(keys::open_onboarding_links(&self.organization));
        self.table.commit(&change).await.map(|_| ())
    }

    /// Deletes a page of items with the credentials whose hashes they contain, except for those that have others meanwhile, which
    /// the next call deletes. It reads nothing else of the items, so that the credential of an otherwise damaged item does not stay
    /// valid.
    async fn delete_credentials(&self, partition: String, kind: CredentialKind, name: &str) -> Result<bool, Failure> {
        let items = self.first(partition).await?;
        let deleted = items.iter().map(|item| {
            let hash = item.get(name).and_then(|hash| hash.as_s().ok());
            let (key, hash) = key_of(item).zip(hash).ok_or_else(|| Failure::internal("a key has no credential"))?;
            let mut change = Change::new(&self.organization);
            let as_seen = Condition::new(&format!("attribute_not_exists(PK) OR #{name} = :seen"));
            change.delete(key, as_seen.value(":seen", value(hash)?), stale());
            change.delete_credential(kind, hash);
            // The value before a rotation, which may still work.
            let previous =
                item.get("previous").and_then(|previous| previous.as_m().ok()?.get("valueHash")?.as_s().ok());
            if let Some(previous) = previous {
                change.delete_credential(kind, previous);
            }
            Ok(change)
        });
        self.table.commit_packed(deleted.collect::<Result<Vec<_>, Failure>>()?).await?;
        Ok(!items.is_empty())
    }
}
