//! Sessions, each with the credential under which its token is looked up. Both are removed when the session expires.

use domain::Failure;
use domain::id::SessionId;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::{Credential, Holder, Session};

use crate::engine::change::{Change, fail_with};
use crate::engine::item::{NewItem, entity};
use crate::engine::page::{Page, PageRequest};
use crate::{OrganizationStore, Reads, keys};

impl Reads {
    /// Returns a session. It may have expired.
    pub async fn session(&self, id: &SessionId) -> Result<Option<Session>, Failure> {
        self.table.get(&keys::session(&self.organization, id)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    /// Returns a page of sessions, newest first. Some of them may have expired.
    pub async fn sessions(&self, page: &PageRequest) -> Result<Page<Session>, Failure> {
        self.table.page(vec![keys::sessions(&self.organization)], page).await
    }
}

impl Change {
    /// Creates a session and its credential.
    pub fn create_session(&mut self, session: &Session) -> Result<(), Failure> {
        let item = NewItem::new(&keys::session(&self.organization, &session.id), session)?.expiring(session.expires_at);
        self.create(item, fail_with(|| Failure::internal("a newly minted session id already exists")));
        let holder = Holder::Session { session_id: session.id.clone() };
        let expires_at = Some(session.expires_at);
        let credential = Credential::without_limits(self.organization.clone(), holder, expires_at);
        self.create_credential(&session.value_hash, &credential)
    }

    /// Deletes a session and its credential, whether or not they exist, so that the next request with its token is
    /// rejected.
    pub fn delete_session(&mut self, id: &SessionId, value_hash: &str) {
        self.delete_any(keys::session(&self.organization, id));
        self.delete_credential(CredentialKind::Session, value_hash);
    }
}
