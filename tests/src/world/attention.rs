//! What needs attention.

use std::collections::BTreeSet;

use serde_json::Value;
use store::maintenance::Maintenance;

use super::World;
use crate::request::{Call, text};
use crate::settings::TABLE;
use crate::world::Service as _;

/// Kinds that follow from what happens, and not from the state of an object.
const OF_EVENTS: [&str; 2] = ["WEBHOOK_FAILING", "SPEND_LIMIT_REACHED"];

impl World {
    /// What needs attention of the world's organization.
    pub async fn attention(&self) -> Vec<Value> {
        let list = self.admin(Call::get("/v1/organization/attention?limit=100")).await.expect(200);
        assert_eq!(list["nextCursor"], Value::Null);
        list["data"].as_array().unwrap().clone()
    }

    /// The kinds of what needs attention, with the ids of the objects. The list is what all objects need.
    pub async fn needs(&self) -> Vec<(String, String)> {
        let found =
            self.attention().await.iter().map(|need| (text(need, "kind"), text(&need["target"], "id"))).collect();
        self.expect_complete_attention().await;
        found
    }

    /// Expects that the entries are those that would be listed anew from the states of all objects.
    pub async fn expect_complete_attention(&self) {
        let entries = self.entries().await;
        for item in self.account.stored_items().await {
            if entries.contains(&(item["PK"].as_s().unwrap().clone(), item["SK"].as_s().unwrap().clone())) {
                self.account.remove_item(&item).await;
            }
        }
        Maintenance::new(self.account.dynamodb.clone(), TABLE).list_needs().await.unwrap();
        assert_eq!(self.entries().await, entries);
    }

    /// The keys of the entries that follow from the states of objects.
    async fn entries(&self) -> BTreeSet<(String, String)> {
        let keys = self.account.items().await.into_iter().map(|item| (item["PK"].clone(), item["SK"].clone()));
        let is_of_event = |place: &str| OF_EVENTS.iter().any(|kind| place.contains(kind));
        keys.filter(|(partition, place)| partition.starts_with("NEED#") && !is_of_event(place)).collect()
    }
}
