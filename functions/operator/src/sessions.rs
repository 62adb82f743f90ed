//! Sessions of an organization: creating, listing and revoking them.

use std::time::Duration;

use domain::audit::{Entry, TargetKind};
use domain::id::{OrganizationId, SessionId};
use domain::identity::credential::{Bearer, Secret};
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::{Holder, Session};
use domain::identity::key::LONGEST_SESSION_SECONDS;
use domain::{Failure, Mode};
use store::{Change, PageRequest, packed};

use crate::{ListedSession, Operator, Reply};

/// Sessions per page of the list.
const PAGE: usize = 100;

impl Operator {
    /// Returns a new session and its token.
    pub(crate) fn session(
        &self,
        organization: &OrganizationId,
        expires_in: Option<u64>,
    ) -> Result<(Secret, Session), Failure> {
        let seconds = expires_in.unwrap_or(LONGEST_SESSION_SECONDS);
        if !(1..=LONGEST_SESSION_SECONDS).contains(&seconds) {
            let message = format!("expiresIn must be from 1 to {LONGEST_SESSION_SECONDS} seconds.");
            return Err(Failure::invalid("expiresIn", message));
        }
        let now = self.clock.now();
        let bearer = Bearer::mint(CredentialKind::Session, organization, self.random.as_ref());
        let session = Session {
            id: SessionId::mint(now, self.random.as_ref()),
            value_hash: bearer.secret.sha256(),
            expires_at: now.plus(Duration::from_secs(seconds)),
            created_at: now,
        };
        Ok((bearer.secret, session))
    }

    fn session_entry(&self, action: &'static str, session: &SessionId) -> Entry {
        self.entry(action, Mode::Live).about(TargetKind::Session, session)
    }

    pub(crate) async fn create_session(
        &self,
        organization: &OrganizationId,
        expires_in: Option<u64>,
    ) -> Result<Reply, Failure> {
        let (token, session) = self.session(organization, expires_in)?;
        let mut change = Change::new(organization);
        change.require_organization();
        change.create_session(&session)?;
        change.enter(&self.session_entry("operator.createSession", &session.id))?;
        self.store.commit(&change).await?;
        let Session { id, expires_at, .. } = session;
        Ok(Reply::Session { id, session_token: token.expose().to_owned(), expires_at })
    }

    pub(crate) async fn list_sessions(
        &self,
        organization: &OrganizationId,
        before: Option<SessionId>,
    ) -> Result<Reply, Failure> {
        let now = self.clock.now();
        let mut request = PageRequest { limit: PAGE, before: before.map(|id| id.ksuid().to_owned()) };
        loop {
            let page = self.store.of(organization).sessions(&request).await?;
            let valid = page.items.into_iter().filter(|session| session.expires_at > now);
            let listed = |Session { id, created_at, expires_at, .. }| ListedSession { id, created_at, expires_at };
            let sessions: Vec<_> = valid.map(listed).collect();
            // The caller continues after the last session of the reply, so only the last reply can be empty.
            if !sessions.is_empty() || page.next.is_none() {
                return Ok(Reply::Sessions { sessions, has_more: page.next.is_some() });
            }
            request.before = page.next;
        }
    }

    /// Succeeds for unknown tokens too, so that revoking is idempotent.
    pub(crate) async fn revoke_session(&self, token: &str) -> Result<Reply, Failure> {
        let bearer = Bearer::parse(token).filter(|bearer| bearer.kind == CredentialKind::Session);
        let bearer = bearer.ok_or_else(|| Failure::invalid("sessionToken", "sessionToken must be a session token."))?;
        if let Some(credential) = self.store.credential(&bearer).await?
            && let Holder::Session { session_id } = &credential.holder
        {
            let mut change = Change::new(&credential.organization_id);
            change.delete_session(session_id, &bearer.secret.sha256());
            change.enter(&self.session_entry("operator.revokeSession", session_id))?;
            self.store.commit(&change).await?;
        }
        Ok(Reply::Message { message: "Session revoked" })
    }

    pub(crate) async fn revoke_session_by_id(
        &self,
        organization: &OrganizationId,
        id: &SessionId,
    ) -> Result<Reply, Failure> {
        let session = self.store.of(organization).session(id).await?;
        let session = session.ok_or_else(|| Failure::not_found("sessionId", "session"))?;
        let mut change = Change::new(organization);
        change.delete_session(&session.id, &session.value_hash);
        change.enter(&self.session_entry("operator.revokeSessions", &session.id))?;
        self.store.commit(&change).await?;
        Ok(Reply::Revoked { revoked: 1 })
    }

    /// Revokes every session, page by page. If this is interrupted, repeating it revokes the rest.
    pub(crate) async fn revoke_all_sessions(&self, organization: &OrganizationId) -> Result<Reply, Failure> {
        let (mut revoked, mut next) = (0, PageRequest { limit: PAGE, before: None });
        loop {
            let page = self.store.of(organization).sessions(&next).await?;
            let deleted = page.items.iter().map(|session| {
                let mut change = Change::new(organization);
                change.delete_session(&session.id, &session.value_hash);
                change.enter(&self.session_entry("operator.revokeSessions", &session.id))?;
                Ok(change)
            });
            for change in packed(deleted.collect::<Result<Vec<_>, Failure>>()?) {
                self.store.commit(&change).await?;
            }
            revoked += page.items.len();
            let Some(before) = page.next else { return Ok(Reply::Revoked { revoked }) };
            next.before = Some(before);
        }
    }
}
