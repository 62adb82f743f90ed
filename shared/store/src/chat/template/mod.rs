//! Message templates, and the records of recently deleted ones. A template has two items: the main item under the
//! platform's id, for syncs, notifications and lists; and a copy under its name and language, which is how a send names
//! it. Both are written in one transaction, guarded by the main item's revision.

mod item;

use std::time::Duration;

use domain::chat::profile::PROFILES_PER_ORGANIZATION;
use domain::chat::{ChatBusinessProfile, Template};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::{Failure, Mode, Timestamp};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};

pub use self::item::StoredTemplate;
use self::item::TemplateItem;
use crate::attention::Needing as _;
use crate::engine::change::{Change, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{NewItem, number, value};
use crate::engine::page::{Page, PageRequest};
use crate::engine::table::Range;
use crate::keys::Key;
use crate::{OrganizationStore, keys};

/// The effect of a write of a template on the item of its name and language. On the platform, only one template has a
/// name and language at a time, but updates about a deleted one can arrive after its successor was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameItem {
    /// Writes or deletes it with the template. Stale if a newer template has the name.
    Follows,
    /// Writes or deletes it with the template, whichever template it belonged to: the caller has read all templates of
    /// the name.
    Moves,
    /// Leaves it to the newer template that has the name.
    Stays,
}

impl NameItem {
    /// Returns the effect of a write of `template`, given the template that has its name.
    pub fn of(template: &Template, named: Option<&StoredTemplate>) -> Self {
        let has_newer = named
            .is_some_and(|named| named.template.id != template.id && named.template.created_at > template.created_at);
        if has_newer { NameItem::Stays } else { NameItem::Follows }
    }

    /// Returns the condition of a write of the item; `None` if it is not written.
    fn condition(self, template: &Template) -> Result<Option<Condition>, Failure> {
        Ok(match self {
            NameItem::Follows => {
                let condition = Condition::new("attribute_not_exists(PK) OR #id = :id OR #createdAt <= :createdAt");
                let condition = condition.value(":id", value(&template.id)?);
                Some(condition.value(":createdAt", value(&template.created_at)?))
            }
            NameItem::Moves => Some(Condition::default()),
            NameItem::Stays => None,
        })
    }
}

/// The record of a deleted template, kept as long as the platform may repeat updates about it.
#[derive(Serialize, Deserialize)]
pub(super) struct Buried {
    pub(super) at: Timestamp,
}

/// The highest number of profiles of an organization: the limits of both modes, and the playground profile, which does
/// not count towards them.
const MOST_PROFILES: usize = 2 * PROFILES_PER_ORGANIZATION as usize + 1;
const BURIED_KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

impl OrganizationStore {
    /// Returns all templates of a profile. The partitions are read concurrently.
    pub async fn all_templates(&self, profile: &ChatBusinessProfileId) -> Result<Vec<StoredTemplate>, Failure> {
        let ranges = partitions(&self.organization, profile)
            .into_iter()
            .map(|partition| self.table.query(Range::whole(partition)));
        try_join_all(ranges).await?.into_iter().flatten().map(StoredTemplate::try_from).collect()
    }

    /// Returns the template with this id and its profile, one of the organization's profiles of these modes. Each
    /// profile has to be searched; their number is limited.
    pub async fn template_of_any_profile(
        &self,
        modes: &[Mode],
        id: &str,
    ) -> Result<Option<(ChatBusinessProfile, StoredTemplate)>, Failure> {
        let all = PageRequest { limit: MOST_PROFILES, before: None };
        let profiles = self.chat_business_profiles(modes, &all).await?.items;
        let keys: Vec<Key> =
            profiles.iter().map(|profile| keys::template(&self.organization, &profile.id, id)).collect();
        let Some(found) = self.table.get_all(&keys).await?.into_iter().next() else { return Ok(None) };
        let found = StoredTemplate::try_from(found)?;
        let profile = profiles.into_iter().find(|profile| profile.id == found.template.chat_business_profile_id);
        Ok(profile.map(|profile| (profile, found)))
    }

    /// Returns a page of a profile's templates, ordered by platform id, highest and so newest first.
    pub async fn templates(
        &self,
        profile: &ChatBusinessProfileId,
        page: &PageRequest,
    ) -> Result<Page<StoredTemplate>, Failure> {
        let page = self.table.page_of_items(partitions(&self.organization, profile), page).await?;
        let items = page.items.into_iter().map(StoredTemplate::try_from).collect::<Result<_, _>>()?;
        Ok(Page { items, next: page.next })
    }
}

impl OrganizationStore {
    /// Returns a page of the templates of one name, ordered by language, last first.
    pub async fn templates_of_name(
        &self,
        profile: &ChatBusinessProfileId,
        name: &str,
        page: &PageRequest,
    ) -> Result<Page<StoredTemplate>, Failure> {
        let page =
            self.table.page_of_items(vec![keys::templates_named(&self.organization, profile, name)], page).await?;
        let items = page.items.into_iter().map(StoredTemplate::try_from).collect::<Result<_, _>>()?;
        Ok(Page { items, next: page.next })
    }
}

fn partitions(organization: &OrganizationId, profile: &ChatBusinessProfileId) -> Vec<String> {
    (0..keys::TEMPLATE_PARTITIONS).map(|partition| keys::templates(organization, profile, partition)).collect()
}

impl Change {
    fn template_key(&self, template: &Template) -> Key {
        keys::template(&self.organization, &template.chat_business_profile_id, &template.id)
    }

    /// Returns the key of the item by name and language; `None` for templates whose name or language is not known.
    fn template_name_key(&self, template: &Template) -> Option<Key> {
        let Template { chat_business_profile_id, name, language, .. } = template;
        let (name, language) = (name.as_deref()?, language.as_deref()?);
        keys::template_named(&self.organization, chat_business_profile_id, name, language)
    }

    /// Creates a template. Stale if it has been created concurrently.
    pub fn create_template(&mut self, stored: &StoredTemplate, name: NameItem) -> Result<(), Failure> {
        let main = NewItem::new(&self.template_key(&stored.template), &TemplateItem::from(stored))?;
        self.create(main, stale());
        self.attend(&[], &stored.template.needs())?;
        self.write_template_name(stored, name)
    }

    /// Writes the differences between two states of a template. Stale if its revision has changed.
    pub fn update_template(
        &mut self,
        before: &StoredTemplate,
        after: &StoredTemplate,
        name: NameItem,
    ) -> Result<(), Failure> {
        let key = self.template_key(&before.template);
        let update = Update::between(key, &TemplateItem::from(before), &TemplateItem::from(after), &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.revision));
        self.update(update, stale());
        self.attend(&before.template.needs(), &after.template.needs())?;
        if self.template_name_key(&before.template) != self.template_name_key(&after.template) {
            self.delete_template_name(&before.template, name)?;
        }
        self.write_template_name(after, name)
    }

    /// Records that a template was deleted, so that late updates do not bring it back.
    pub fn bury_template(
        &mut self,
        profile: &ChatBusinessProfileId,
        id: &str,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let item = NewItem::new(&keys::buried_template(&self.organization, profile, id), &Buried { at })?;
        self.put(item.expiring(now.plus(BURIED_KEPT)));
        Ok(())
    }

    /// Deletes a template. Stale if its revision has changed.
    pub fn delete_template(&mut self, seen: &StoredTemplate, name: NameItem) -> Result<(), Failure> {
        let as_seen = Condition::new("#revision = :seenRevision").value(":seenRevision", number(seen.revision));
        self.delete(self.template_key(&seen.template), as_seen, stale());
        self.attend(&seen.template.needs(), &[])?;
        self.delete_template_name(&seen.template, name)
    }

    fn write_template_name(&mut self, stored: &StoredTemplate, name: NameItem) -> Result<(), Failure> {
        if let (Some(condition), Some(key)) =
            (name.condition(&stored.template)?, self.template_name_key(&stored.template))
        {
            let copy = Update::overwriting(key, &TemplateItem::from(stored), item::OPTIONAL)?;
            self.update(copy.on(condition), stale());
        }
        Ok(())
    }

    fn delete_template_name(&mut self, template: &Template, name: NameItem) -> Result<(), Failure> {
        if let (Some(condition), Some(key)) = (name.condition(template)?, self.template_name_key(template)) {
            self.delete(key, condition, stale());
        }
        Ok(())
    }
}
