//! Members of a restored table, as a later table has them.

use domain::Failure;
use domain::id::OrganizationId;
use domain::identity::member::{Member, MemberSession};

use super::{Maintenance, delete};
use crate::engine::expression::Update;
use crate::engine::operation::Operation;
use crate::keys;

impl Maintenance {
    /// Deletes a member with all sessions. Counters are not changed.
    pub async fn remove_member(&self, organization: &OrganizationId, member: &Member) -> Result<(), Failure> {
        let own = [keys::member(organization, &member.id), keys::member_address(organization, &member.email)];
        let membership = member.person.as_ref().map(|person| delete(keys::membership(organization, person)));
        self.write(own.map(delete).into_iter().chain(membership).chain(ended(&member.sessions))).await
    }

    /// Writes a member and ends all sessions. Counters are not changed.
    pub async fn replace_member(
        &self,
        organization: &OrganizationId,
        before: &Member,
        after: &Member,
    ) -> Result<(), Failure> {
        let write = Update::between(keys::member(organization, &before.id), before, after, &[])?.if_present();
        self.write([Operation::Update(write)].into_iter().chain(ended(&before.sessions))).await
    }
}

fn ended(sessions: &[MemberSession]) -> Vec<Operation> {
    let credentials = sessions.iter().flat_map(MemberSession::credentials);
    credentials.map(|(kind, hash)| delete(keys::credential(kind, hash))).collect()
}
