//! What needs attention in a table whose objects are from before it was listed, and the entries of objects that a restore
//! takes away.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_sdk_dynamodb::types::AttributeValue;
use domain::Failure;
use domain::attention::{Need, NeedKind, place};
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::events::webhook::Webhook;
use domain::id::OrganizationId;
use domain::identity::key::{AdminKey, AppKey};
use domain::number::PhoneNumber;

use super::Maintenance;
use super::items::organization_of;
use crate::StoredTemplate;
use crate::attention::Needing;
use crate::engine::change::Change;
use crate::engine::item::{Item, entity, key_of};
use crate::keys::{self, Key, KeyClass};

/// The classes of objects that can need attention.
const CLASSES: [KeyClass; 7] = [
    KeyClass::Webhook,
    KeyClass::Profile,
    KeyClass::ChatNumber,
    KeyClass::Template,
    KeyClass::AdminKey,
    KeyClass::AppKey,
    KeyClass::PhoneNumber,
];

impl Maintenance {
    /// Lists what needs attention in objects that have not changed since it is listed. Returns the number of entries, which may
    /// have been there.
    pub async fn list_needs(&self) -> Result<usize, Failure> {
        let names: Vec<String> = (0..CLASSES.len()).map(|place| format!(":class{place}")).collect();
        let filter: Vec<String> = names.iter().map(|name| format!("begins_with(#pk, {name})")).collect();
        let prefixes = CLASSES.iter().map(|class| AttributeValue::S(class.prefix()));
        let values: HashMap<String, AttributeValue> = names.into_iter().zip(prefixes).collect();

        let listed = AtomicUsize::new(0);
        let list = async |found: Vec<Item>| {
            for item in found {
                let Some(key) = key_of(&item) else { continue };
                let needs = needs_of(&key, item)?;
                if needs.is_empty() {
                    continue;
                }
                let organization = organization_of(&key)?;
                self.write_needs(&organization, &[], &needs).await?;
                // If the object has changed meanwhile, its change did not see the entries. A later one does.
                let now = self.table.get(&key).await?.map(|item| needs_of(&key, item)).transpose()?.unwrap_or_default();
                self.write_needs(&organization, &needs, &now).await?;
                listed.fetch_add(now.len(), Ordering::Relaxed);
            }
            Ok(())
        };
        self.for_pages_where(&filter.join(" OR "), &[], &values, list).await?;
        Ok(listed.into_inner())
    }
}

impl Maintenance {
    async fn write_needs(&self, organization: &OrganizationId, before: &[Need], after: &[Need]) -> Result<(), Failure> {
        let mut change = Change::new(organization);
        change.attend(before, after)?;
        self.table.commit(&change).await.map(|_| ())
    }
}

/// Returns what an object needs.
fn needs_of(key: &Key, item: Item) -> Result<Vec<Need>, Failure> {
    Ok(match key.class() {
        Some(KeyClass::Webhook) => entity::<Webhook>(item)?.needs(),
        Some(KeyClass::Profile) => entity::<ChatBusinessProfile>(item)?.needs(),
        Some(KeyClass::ChatNumber) => entity::<ChatPhoneNumber>(item)?.needs(),
        Some(KeyClass::Template) => StoredTemplate::try_from(item)?.template.needs(),
        Some(KeyClass::AdminKey) => entity::<AdminKey>(item)?.needs(),
        Some(KeyClass::AppKey) => entity::<AppKey>(item)?.needs(),
        Some(KeyClass::PhoneNumber) => entity::<PhoneNumber>(item)?.needs(),
        _ => Vec::new(),
    })
}

/// Returns the keys of entries that an object may have.
pub(super) fn entries(organization: &OrganizationId, kinds: &[NeedKind], target: &str) -> Vec<Key> {
    kinds.iter().map(|kind| keys::need(organization, &place(*kind, target))).collect()
}
