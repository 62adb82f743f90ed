//! Members with their sessions, and the tokens of sign-in links. A member's item lists all credentials of its sessions, so
//! that one transaction ends them all.

use domain::id::MemberId;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::{Credential, Holder, OnBehalf};
use domain::identity::member::{MEMBERS_PER_ORGANIZATION, Member, MemberSession, Proof, SessionKey};
use domain::{Failure, Mode};

use crate::engine::change::{Change, Refused, absent_or, fail_with, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{Item, NewItem, TTL, entities, entity, number, value};
use crate::engine::page::{Page, PageRequest};
use crate::engine::table::Range;
use crate::limits::counter::count_in;
use crate::{OrganizationStore, Reads, keys};

/// The counters of members and of active owners.
pub(crate) const MEMBERS: &str = "members";
pub(crate) const OWNERS: &str = "owners";

/// By how much the numbers of members and of active owners change.
#[derive(Clone, Copy)]
struct Counts {
    members: i64,
    owners: i64,
}

fn no_such_member() -> Failure {
    Failure::not_found("memberId", "member")
}

fn last_owner() -> Failure {
    let message = "This is the organization's only active owner. Make another member an owner first.";
    Failure::conflict(message).with_param("memberId")
}

impl Reads {
    pub async fn member(&self, id: &MemberId) -> Result<Option<Member>, Failure> {
        self.table.get(&keys::member(&self.organization, id)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    /// Returns a page of members, newest first.
    pub async fn members(&self, page: &PageRequest) -> Result<Page<Member>, Failure> {
        self.table.page(vec![keys::members(&self.organization)], page).await
    }

    /// Returns the id of the member with an address.
    pub async fn member_with_address(&self, email: &str) -> Result<Option<MemberId>, Failure> {
        let claim = self.table.get(&keys::member_address(&self.organization, email)).await?;
        let id = claim.as_ref().and_then(|claim| claim.get("memberId")?.as_s().ok());
        id.map(|id| id.parse().map_err(|_| Failure::internal("a claim names no member"))).transpose()
    }

    /// Returns all members. The limit keeps the list short.
    pub async fn all_members(&self) -> Result<Vec<Member>, Failure> {
        entities(self.table.query(Range::whole(keys::members(&self.organization))).await?)
    }
}

impl Change {
    /// Creates a member, unless the organization has reached the limit or has a member with this address.
    pub fn create_member(&mut self, member: &Member) -> Result<(), Failure> {
        self.count_members(Counts { members: 1, owners: i64::from(member.is_active_owner()) });
        self.create_entity(&keys::member(&self.organization, &member.id), member)?;
        let claim = NewItem::marker(&keys::member_address(&self.organization, &member.email))
            .with("memberId", value(&member.id)?);
        let taken = || Failure::already_exists("email", "The organization already has a member with this address.");
        self.create(claim, fail_with(taken));
        Ok(())
    }

    /// Writes a member. Stale if the member has changed since it was read. The last active owner stays one.
    pub fn update_member(&mut self, before: &Member, after: &Member) -> Result<(), Failure> {
        let owners = i64::from(after.is_active_owner()) - i64::from(before.is_active_owner());
        if owners != 0 {
            self.count_members(Counts { members: 0, owners });
        }
        let write = Update::between(keys::member(&self.organization, &before.id), before, after, &[])?
            .when("#revision = :seen")
            .value(":seen", number(before.revision));
        self.update(write, absent_or(no_such_member, |_| Refused::Stale));
        Ok(())
    }

    /// Removes a member with all sessions. Stale if the member has changed since it was read.
    pub fn remove_member(&mut self, member: &Member) {
        self.count_members(Counts { members: -1, owners: -i64::from(member.is_active_owner()) });
        let as_seen = Condition::new("#revision = :seen").value(":seen", number(member.revision));
        let key = keys::member(&self.organization, &member.id);
        self.delete(key, as_seen, absent_or(no_such_member, |_| Refused::Stale));
        self.delete_any(keys::member_address(&self.organization, &member.email));
        if let Some(person) = &member.person {
            self.delete_any(keys::membership(&self.organization, person));
        }
        self.end_sessions(&member.sessions);
    }

    /// Requires that a member exists and has the role and status with which a credential was made.
    pub fn require_standing(&mut self, member: &OnBehalf) {
        let as_seen = Condition::new("#standing = :standing").value(":standing", number(member.standing));
        self.require(keys::member(&self.organization, &member.id), as_seen, fail_with(Failure::credential_ended));
    }

    /// Ends sessions with their keys.
    pub fn end_sessions(&mut self, sessions: &[MemberSession]) {
        let credentials: Vec<_> = sessions.iter().flat_map(MemberSession::credentials).collect();
        for (kind, hash) in credentials {
            self.delete_credential(kind, hash);
        }
    }

    /// Ends keys of a session.
    pub fn end_session_keys(&mut self, ended: &[SessionKey]) {
        ended.iter().for_each(|key| self.delete_credential(CredentialKind::AdminKey, &key.value_hash));
    }

    /// Stores the credential of a session.
    pub fn create_member_session(&mut self, session: &MemberSession, member: &Member) -> Result<(), Failure> {
        let on_behalf = OnBehalf::of(member);
        let person = match &session.proof {
            Proof::Issuer { person } => Some(person.clone()),
            Proof::Link { .. } => None,
        };
        let holder = Holder::MemberSession { session_id: session.id.clone(), member: on_behalf, person };
        let expires_at = Some(session.expires_at());
        let mut credential = Credential::without_limits(self.organization.clone(), holder, expires_at);
        credential.grant.scopes = member.role.scopes(Mode::Live);
        self.create_credential(&session.value_hash, &credential)
    }

    /// Moves the end of a session. Stale if the session has ended.
    pub fn prolong_session(&mut self, session: &MemberSession) -> Result<(), Failure> {
        let end = session.expires_at();
        let write = Update::new(keys::credential(CredentialKind::Session, &session.value_hash))
            .set("expiresAt", &end)?
            .set_value(TTL, number(end.seconds()))
            .if_present();
        self.update(write, stale());
        Ok(())
    }

    /// Uses up the token of a sign-in link. `gone` is the failure if another request has used it.
    pub fn use_sign_in_link(&mut self, token_hash: &str, gone: fn() -> Failure) {
        let key = keys::credential(CredentialKind::SignInLink, token_hash);
        self.delete(key, Condition::present(), fail_with(gone));
    }

    fn count_members(&mut self, counts: Counts) {
        let mut update =
            Update::new(keys::counters(&self.organization)).add(MEMBERS, counts.members).add(OWNERS, counts.owners);
        if counts.members > 0 {
            update = update
                .when(&format!("attribute_not_exists(#{MEMBERS}) OR #{MEMBERS} < :most"))
                .value(":most", number(MEMBERS_PER_ORGANIZATION));
        }
        if counts.owners < 0 {
            update = update.when(&format!("#{OWNERS} > :one")).value(":one", number(1));
        }

        let refuse = move |counters: Option<&Item>| {
            let owners = counters.map_or(0, |counters| count_in(counters, OWNERS));
            match counts.owners < 0 && owners <= 1 {
                true => Refused::With(last_owner()),
                false => Refused::With(Failure::limit(
                    "members",
                    format!("An organization may have at most {MEMBERS_PER_ORGANIZATION} members."),
                )),
            }
        };
        self.update(update, Box::new(refuse));
    }
}
