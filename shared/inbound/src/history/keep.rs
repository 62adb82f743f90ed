//! Keeps the messages of a history until they are imported, and imports them. A part of a history has up to 100 messages
//! and is one item of the table, so that a notification with thousands of messages is stored within a moment.

use std::collections::BTreeMap;

use aws::queue::chunks;
use domain::Failure;
use domain::id::{ChatPhoneNumberId, OrganizationId};
use domain::identity::credential::hex;
use domain::job::Job;
use ring::digest::{SHA256, digest};
use store::HistoryPart;

use crate::apply::Inbox;
use crate::route::Routed;

/// The highest number of messages in a part, and their highest total size in bytes. A larger message is a part of its own.
const MESSAGES: usize = 100;
const BYTES: usize = 200 * 1024;

impl Inbox {
    /// Stores the messages of histories among the updates, and returns the other updates. Repeating it stores nothing twice.
    pub async fn keep_history(&self, updates: Vec<Routed>) -> Result<Vec<Routed>, Failure> {
        let (history, others): (Vec<_>, Vec<_>) =
            updates.into_iter().partition(|routed| routed.update.history.is_some());
        let mut of_number: BTreeMap<(OrganizationId, ChatPhoneNumberId), Vec<String>> = BTreeMap::new();
        for routed in history {
            let Some(number) = routed.route.number_id.clone() else { continue };
            let text = serde_json::to_string(&routed).map_err(Failure::internal)?;
            of_number.entry((routed.route.organization_id, number)).or_default().push(text);
        }
        for ((organization, number), updates) in of_number {
            let org = self.context.store.of(&organization);
            org.keep_history(&number, parts(updates), self.context.now()).await?;
        }
        Ok(others)
    }

    /// Imports a message of a history. Returns the job that fetches its medium, if it has one.
    pub async fn import(&self, text: &str) -> Result<Option<Job>, Failure> {
        let routed: Routed = serde_json::from_str(text)
            .map_err(|error| Failure::permanent(format!("the message is malformed: {:?}", error.classify())))?;
        let routed = &routed;
        let decide = |is_first| async move { self.handler(routed, is_first).decide().await };
        let (_, job) = self.commit(decide).await?;
        Ok(job)
    }

    /// Returns the lane of a kept message: messages of one chat are imported in sequence.
    pub fn lane_of_history(text: &str) -> String {
        serde_json::from_str::<Routed>(text).map(|routed| routed.update.lane()).unwrap_or_default()
    }
}

fn parts(updates: Vec<String>) -> Vec<HistoryPart> {
    let sizes: Vec<usize> = updates.iter().map(String::len).collect();
    let mut left = updates.into_iter();
    let part = |count| {
        let updates: Vec<String> = left.by_ref().take(count).collect();
        HistoryPart { id: hex(digest(&SHA256, updates.join("\n").as_bytes()).as_ref()), updates }
    };
    chunks(&sizes, MESSAGES, BYTES).into_iter().map(part).collect()
}
