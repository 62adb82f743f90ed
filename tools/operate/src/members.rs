//! Members who were removed since the restore point stay removed, those who were suspended or have another role stay so, and
//! whom the identity provider knows is not forgotten.

use std::collections::BTreeSet;
use std::io::Write;

use domain::Failure;
use domain::identity::member::{Member, MemberSession};
use store::keys::{Key, KeyClass};
use store::maintenance::{Found, Maintenance};

use crate::Reconciliation;

impl<W: Write> Reconciliation<W> {
    /// Gives each member the role, the status and the person of the old table. Sessions that have ended there end with their credentials.
    pub(crate) async fn follow_members(&mut self, kept: &BTreeSet<String>) -> Result<(), Failure> {
        let Some(old) = &self.old else { return Ok(()) };
        let members = self.items.all::<Member>(KeyClass::Member)?;
        let members: Vec<_> =
            members.into_iter().filter(|member| !kept.contains(&member.entity.id.to_string())).collect();
        let keys: Vec<Key> = members.iter().map(|member| member.key.clone()).collect();
        let in_old = old.existing(&keys).await?;

        for found in members {
            match in_old.get::<Member>(&found.key)? {
                None => self.remove_member(&found).await?,
                Some(newer) => self.follow_member(&found, &newer).await?,
            }
        }
        Ok(())
    }

    async fn remove_member(&mut self, found: &Found<Member>) -> Result<(), Failure> {
        let what = format!("remove member {}", found.entity.id);
        self.steps.take(&what, self.table.remove_member(&found.organization()?, &found.entity)).await?;
        self.items.remove(&found.key);
        self.forget_sessions(&found.entity.sessions);
        Ok(())
    }

    async fn follow_member(&mut self, found: &Found<Member>, newer: &Member) -> Result<(), Failure> {
        let before = &found.entity;
        let is_bound = before.person.is_some() || newer.person.is_none();
        if (before.role, before.suspended_at) == (newer.role, newer.suspended_at) && is_bound {
            return Ok(());
        }

        let (mut after, ended) = before.advanced(self.now).standing_as(newer.role, newer.suspended_at);
        after.person = before.person.clone().or_else(|| newer.person.clone());
        let what = format!("give member {} the role, status and identity of the previous table", before.id);
        let organization = found.organization()?;
        self.steps.take(&what, self.table.replace_member(&organization, (before, &after), &ended)).await?;
        self.items.replace(&found.key, &after)?;
        self.forget_sessions(&ended);
        Ok(())
    }

    fn forget_sessions(&mut self, ended: &[MemberSession]) {
        for hash in hashes(ended) {
            self.items.remove(&Maintenance::credential_key(&hash));
        }
    }

    /// Returns the credentials of all sessions of members.
    pub(crate) fn of_sessions(&self) -> Result<Vec<Key>, Failure> {
        let members = self.items.all::<Member>(KeyClass::Member)?;
        let hashes = members.iter().flat_map(|member| hashes(&member.entity.sessions));
        Ok(hashes.map(|hash| Maintenance::credential_key(&hash)).collect())
    }
}

fn hashes(sessions: &[MemberSession]) -> Vec<String> {
    sessions.iter().flat_map(MemberSession::credentials).map(|(_, hash)| hash.to_owned()).collect()
}
