//! Who members are to the identity provider. A person is looked for in all organizations: by what the provider knows them by,
//! and the first time by an address for which it vouches.

use domain::id::{MemberId, OrganizationId};
use domain::identity::member::{MEMBERSHIPS_PER_PERSON, Member};
use domain::identity::person::Person;
use domain::{Failure, Timestamp};
use serde::Deserialize;

use crate::engine::change::{Change, fail_with, stale};
use crate::engine::expression::Update;
use crate::engine::item::{Item, NewItem, SORT, entity, value};
use crate::engine::table::Range;
use crate::{Store, keys};

/// A membership of an organization.
#[derive(Clone, Debug)]
pub struct Membership {
    pub organization: OrganizationId,
    pub member: MemberId,
    /// When the person last used it: signed in to it with the provider, or switched to it. An organization cannot change that, so
    /// none draws people to itself.
    pub last_used_at: Option<Timestamp>,
}

/// What an entry of a membership or of a claim on an address says beside its key.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    member_id: MemberId,
    last_used_at: Option<Timestamp>,
}

impl Store {
    /// Returns the memberships of a person.
    pub async fn memberships_of(&self, person: &Person) -> Result<Vec<Membership>, Failure> {
        self.memberships_in(keys::memberships(person)).await
    }

    /// Returns the memberships with an address.
    pub async fn memberships_with_address(&self, email: &str) -> Result<Vec<Membership>, Failure> {
        self.memberships_in(keys::members_with_address(email)).await
    }

    async fn memberships_in(&self, partition: String) -> Result<Vec<Membership>, Failure> {
        let found = Range { limit: Some(MEMBERSHIPS_PER_PERSON), ..Range::whole(partition) };
        self.table.query(found).await?.into_iter().map(membership).collect()
    }
}

fn membership(item: Item) -> Result<Membership, Failure> {
    let organization = item.get(SORT).and_then(|sort| sort.as_s().ok()?.parse().ok());
    let organization = organization.ok_or_else(|| Failure::internal("an entry names no organization"))?;
    let Entry { member_id: member, last_used_at } = entity(item)?;
    Ok(Membership { organization, member, last_used_at })
}

/// Returns the entry of a member's membership, which finds it for a person.
pub(crate) fn new_membership(
    organization: &OrganizationId,
    person: &Person,
    member: &MemberId,
) -> Result<NewItem, Failure> {
    Ok(NewItem::marker(&keys::membership(organization, person)).with("memberId", value(member)?))
}

impl Change {
    /// Binds a member to a person, whom nobody else in the organization is bound to.
    pub fn bind_member(&mut self, before: &Member, after: &Member, person: &Person) -> Result<(), Failure> {
        self.update_member(before, after)?;
        let taken = || Failure::conflict("The organization has another member who signs in as this person.");
        self.create(new_membership(&self.organization, person, &after.id)?, fail_with(taken));
        Ok(())
    }

    /// Records that a person uses a membership. Stale if it is no longer theirs.
    pub fn use_membership(&mut self, person: &Person, now: Timestamp) -> Result<(), Failure> {
        let write = Update::new(keys::membership(&self.organization, person)).set("lastUsedAt", &now)?.if_present();
        self.update(write, stale());
        Ok(())
    }
}
