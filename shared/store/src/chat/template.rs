//! Message templates, and the records of recently deleted ones.

use std::time::Duration;

use domain::chat::Template;
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::{Failure, Timestamp};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::change::{Change, stale};
use crate::expression::{Condition, Update};
use crate::item::{Item, NewItem, entity, number};
use crate::page::{Page, PageRequest};
use crate::table::Range;
use crate::{Reads, keys};

/// A template with its internal fields.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTemplate {
    pub template: Template,
    /// The platform's timestamp of the status. Older updates are ignored, here and for the next two fields.
    pub status_at: Timestamp,
    pub quality_at: Timestamp,
    pub category_at: Timestamp,
    pub revision: u64,
}

/// The record of a deleted template, kept as long as the platform may repeat updates about it.
#[derive(Serialize, Deserialize)]
struct Buried {
    at: Timestamp,
}

const BURIED_KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

/// The item of a template. The components are JSON that the platform produced. They are kept as text, because DynamoDB
/// would limit the precision of numbers and the depth.
#[skip_serializing_none]
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TemplateItem {
    id: String,
    chat_business_profile_id: ChatBusinessProfileId,
    name: String,
    language: String,
    category: String,
    status: String,
    components: String,
    parameter_format: Option<String>,
    quality_score: Option<String>,
    rejected_reason: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
    status_at: Timestamp,
    quality_at: Timestamp,
    category_at: Timestamp,
    revision: u64,
}

impl From<&StoredTemplate> for TemplateItem {
    fn from(stored: &StoredTemplate) -> Self {
        let template = stored.template.clone();
        TemplateItem {
            id: template.id,
            chat_business_profile_id: template.chat_business_profile_id,
            name: template.name,
            language: template.language,
            category: template.category,
            status: template.status,
            components: template.components.to_string(),
            parameter_format: template.parameter_format,
            quality_score: template.quality_score,
            rejected_reason: template.rejected_reason,
            created_at: template.created_at,
            updated_at: template.updated_at,
            status_at: stored.status_at,
            quality_at: stored.quality_at,
            category_at: stored.category_at,
            revision: stored.revision,
        }
    }
}

impl TryFrom<Item> for StoredTemplate {
    type Error = Failure;

    fn try_from(item: Item) -> Result<Self, Failure> {
        let item: TemplateItem = entity(item)?;
        Ok(StoredTemplate {
            status_at: item.status_at,
            quality_at: item.quality_at,
            category_at: item.category_at,
            revision: item.revision,
            template: Template {
                id: item.id,
                chat_business_profile_id: item.chat_business_profile_id,
                name: item.name,
                language: item.language,
                category: item.category,
                status: item.status,
                components: serde_json::from_str(&item.components).map_err(Failure::internal)?,
                parameter_format: item.parameter_format,
                quality_score: item.quality_score,
                rejected_reason: item.rejected_reason,
                created_at: item.created_at,
                updated_at: item.updated_at,
            },
        })
    }
}

impl Reads {
    pub async fn template(&self, profile: &ChatBusinessProfileId, id: &str) -> Result<Option<StoredTemplate>, Failure> {
        self.table
            .get(&keys::template(&self.organization, profile, id))
            .await?
            .map(StoredTemplate::try_from)
            .transpose()
    }

    /// Returns when the platform deleted the template, if it reported that recently.
    pub async fn template_buried_at(
        &self,
        profile: &ChatBusinessProfileId,
        id: &str,
    ) -> Result<Option<Timestamp>, Failure> {
        let item = self.table.get(&keys::buried_template(&self.organization, profile, id)).await?;
        Ok(item.map(entity::<Buried>).transpose()?.map(|buried| buried.at))
    }

    /// Returns all templates of a profile. The partitions are read concurrently.
    pub async fn all_templates(&self, profile: &ChatBusinessProfileId) -> Result<Vec<StoredTemplate>, Failure> {
        let ranges = partitions(&self.organization, profile)
            .into_iter()
            .map(|partition| self.table.query(Range::whole(partition)));
        try_join_all(ranges).await?.into_iter().flatten().map(StoredTemplate::try_from).collect()
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

fn partitions(organization: &OrganizationId, profile: &ChatBusinessProfileId) -> Vec<String> {
    (0..keys::TEMPLATE_PARTITIONS).map(|partition| keys::templates(organization, profile, partition)).collect()
}

impl Change {
    /// Creates a template. Stale if it has been created concurrently.
    pub fn create_template(&mut self, stored: &StoredTemplate) -> Result<(), Failure> {
        let template = &stored.template;
        let key = keys::template(&self.organization, &template.chat_business_profile_id, &template.id);
        self.create(NewItem::new(&key, &TemplateItem::from(stored))?, stale());
        Ok(())
    }

    /// Writes the differences between two states of a template. Stale if its revision has changed.
    pub fn update_template(&mut self, before: &StoredTemplate, after: &StoredTemplate) -> Result<(), Failure> {
        let key = keys::template(&self.organization, &before.template.chat_business_profile_id, &before.template.id);
        let update = Update::between(key, &TemplateItem::from(before), &TemplateItem::from(after), &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.revision));
        self.update(update, stale());
        Ok(())
    }

    /// Records that a template was deleted, so that late updates do not bring it back.
    pub fn bury_template(
        &mut self,
        (profile, id): (&ChatBusinessProfileId, &str),
        at: Timestamp,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let item = NewItem::new(&keys::buried_template(&self.organization, profile, id), &Buried { at })?;
        self.put(item.expiring(now.plus(BURIED_KEPT)));
        Ok(())
    }

    /// Deletes a template. Stale if its revision has changed.
    pub fn delete_template(&mut self, seen: &StoredTemplate) {
        let key = keys::template(&self.organization, &seen.template.chat_business_profile_id, &seen.template.id);
        let as_seen = Condition::new("#revision = :seenRevision").value(":seenRevision", number(seen.revision));
        self.delete(key, as_seen, stale());
    }
}
