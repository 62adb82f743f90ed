//! Members of a restored table, as a later table has them.

use domain::Failure;
use domain::id::OrganizationId;
use domain::identity::member::{Member, MemberSession};

use super::{Maintenance, delete};
use crate::engine::expression::{Condition, Update};
use crate::engine::operation::{NewItemWrite, Operation};
use crate::identity::person::new_membership;
use crate::keys;

impl Maintenance {
    /// Deletes a member with all sessions. Counters are not changed.
    pub async fn remove_member(&self, organization: &OrganizationId, member: &Member) -> Result<(), Failure> {
        let own = [keys::member(organization, &member.id), keys::member_address(organization, &member.email)];
        let membership = member.person.as_ref().map(|person| delete(keys::membership(organization, person)));
        self.write(own.map(delete).into_iter().chain(membership).chain(ended(&member.sessions))).await
    }

    /// Writes a member, ends sessions, and lets a person find the member if the member has become theirs. Counters are not
    /// changed.
    pub async fn replace_member(
        &self,
        organization: &OrganizationId,
        (before, after): (&Member, &Member),
        sessions: &[MemberSession],
    ) -> Result<(), Failure> {
        let write = Update::between(keys::member(organization, &before.id), before, after, &[])?.if_present();
        let bound = after.person.as_ref().filter(|_| before.person.is_none());
        let entry = bound.map(|person| new_membership(organization, person, &after.id)).transpose()?;
        let entry = entry.map(|entry| Operation::Put(NewItemWrite { item: entry.0, condition: Condition::default() }));
        self.write([Operation::Update(write)].into_iter().chain(entry).chain(ended(sessions))).await
    }
}

fn ended(sessions: &[MemberSession]) -> Vec<Operation> {
    let credentials = sessions.iter().flat_map(MemberSession::credentials);
    credentials.map(|(kind, hash)| delete(keys::credential(kind, hash))).collect()
}
