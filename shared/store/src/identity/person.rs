//! Who members are to the identity provider. A person is looked for in all organizations: by what the provider knows them by,
//! and the first time by an address for which it vouches.

use domain::Failure;
use domain::id::{MemberId, OrganizationId};
use domain::identity::member::{MEMBERSHIPS_PER_PERSON, Member};
use domain::identity::person::Person;

use crate::engine::change::{Change, fail_with};
use crate::engine::item::{Item, NewItem, SORT, value};
use crate::engine::table::Range;
use crate::{Store, keys};

/// A membership of an organization.
pub type Membership = (OrganizationId, MemberId);

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
        let items = self.table.query(found).await?;
        let memberships: Option<Vec<Membership>> = items.iter().map(membership).collect();
        memberships.ok_or_else(|| Failure::internal("an entry names no member"))
    }
}

fn membership(item: &Item) -> Option<Membership> {
    let text = |name: &str| item.get(name)?.as_s().ok();
    Some((text(SORT)?.parse().ok()?, text("memberId")?.parse().ok()?))
}

impl Change {
    /// Binds a member to a person, whom nobody else in the organization is bound to.
    pub fn bind_member(&mut self, before: &Member, after: &Member, person: &Person) -> Result<(), Failure> {
        self.update_member(before, after)?;
        let item = NewItem::marker(&keys::membership(&self.organization, person)).with("memberId", value(&after.id)?);
        let taken = || Failure::conflict("The organization has another member who signs in as this person.");
        self.create(item, fail_with(taken));
        Ok(())
    }
}
