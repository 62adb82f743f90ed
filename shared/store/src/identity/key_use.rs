//! When keys were last used, to the hour. Each has an item of its own, so that keys and credentials are written only when they
//! change.

use std::collections::HashMap;

use domain::id::AppId;
use domain::identity::holder::Holder;
use domain::identity::key::DAYS_OF_USE;
use domain::{Failure, Timestamp};
use serde::Deserialize;

use crate::engine::expression::Update;
use crate::engine::item::{SORT, TTL, VERSION, entity, number, value};
use crate::engine::table::Range;
use crate::{OrganizationStore, keys};

/// The last uses of an app's keys, or of the admin keys of an organization.
#[derive(Debug)]
pub struct KeyUses(HashMap<String, Timestamp>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyUse {
    last_used_at: Timestamp,
}

impl KeyUses {
    /// Returns when the key with an id of this ksuid was last used, if that is known.
    pub fn of(&self, ksuid: &str) -> Option<Timestamp> {
        self.0.get(ksuid).copied()
    }
}

impl OrganizationStore {
    /// Records that a holder's key was used. The item of a deleted key ends by itself.
    pub async fn record_key_use(&self, holder: &Holder, at: Timestamp) -> Result<(), Failure> {
        let Some(key) = keys::key_use(&self.organization, holder) else { return Ok(()) };
        let ends = at.plus_days(DAYS_OF_USE);
        let write = Update::new(key)
            .set_value(VERSION, number(1))
            .set("lastUsedAt", &at)?
            .set_value(TTL, number(ends.seconds()))
            .when("attribute_not_exists(#lastUsedAt) OR #lastUsedAt < :at")
            .value(":at", value(&at)?);
        // Another process has recorded a later use if the condition fails.
        self.table.try_update(write).await.map(|_| ())
    }

    /// Returns the last uses of an app's keys, or of the admin keys.
    pub async fn key_uses(&self, app: Option<&AppId>) -> Result<KeyUses, Failure> {
        let [from, before] = keys::key_uses_of(app);
        let range =
            Range { from: Some(&from), before: Some(&before), ..Range::whole(keys::key_uses(&self.organization)) };
        let mut uses = HashMap::new();
        for item in self.table.query(range).await? {
            let place = item.get(SORT).and_then(|place| place.as_s().ok()?.strip_prefix(&from));
            if let Some(ksuid) = place.map(str::to_owned) {
                uses.insert(ksuid, entity::<KeyUse>(item)?.last_used_at);
            }
        }
        Ok(KeyUses(uses))
    }
}
