//! The groups that name the contact as a member.

use domain::chat::Group;
use domain::erasure::{Erased, Erasure, PER_PAGE, Position, Stage};
use domain::id::ChatPhoneNumberId;
use domain::{E164, Failure};
use store::{Change, PageRequest};

use super::{Page, Run, position};

impl Run<'_> {
    /// Removes the contact from the members of a page of a number's groups.
    pub(super) async fn groups(
        &self,
        erasure: &Erasure,
        number: &ChatPhoneNumberId,
        at: &Position,
    ) -> Result<Page, Failure> {
        let request = PageRequest { limit: PER_PAGE, before: at.after.clone() };
        let page = self.org.groups_of_number(number, &request).await?;
        let mut erased = Erased::default();
        for group in page.items.iter().filter(|group| names(group, &erasure.identities)) {
            self.forget_member(group, &erasure.identities).await?;
            erased.group_mentions += 1;
        }
        let stage = if page.next.is_some() { Stage::Groups } else { Stage::Contact };
        Ok((erased, Some(position(&number.clone().into(), stage, page.next))))
    }

    async fn forget_member(&self, group: &Group, identities: &[String]) -> Result<(), Failure> {
        let (store, organization) = (&self.worker.inbox.context.store, self.org.organization_id());
        let forget = || async move {
            let mut change = Change::new(organization);
            if let Some(before) = self.org.group(&group.id).await? {
                let mut after = before.clone();
                after
                    .members
                    .retain(|member| !is_one_of(member.phone_number.as_ref(), member.user_id.as_deref(), identities));
                after.revision += 1;
                change.update_group(&before, &after, &[])?;
            }
            Ok((change, ()))
        };
        store.settle(forget).await
    }
}

fn names(group: &Group, identities: &[String]) -> bool {
    group.members.iter().any(|member| is_one_of(member.phone_number.as_ref(), member.user_id.as_deref(), identities))
}

/// Returns whether a person with this number and user id is the contact. The user id decides, if there is one.
fn is_one_of(number: Option<&E164>, user_id: Option<&str>, identities: &[String]) -> bool {
    let name = user_id.or(number.map(E164::as_str));
    name.is_some_and(|name| identities.iter().any(|known| known == name))
}
