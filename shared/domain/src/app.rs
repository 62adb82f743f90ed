//! Apps: what keys, webhooks and phone numbers belong to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::calling::CallingSettings;
use crate::id::AppId;
use crate::playground::SimulatedChatNumber;
use crate::{E164, Timestamp};

pub const APPS_PER_ORGANIZATION: u32 = 100;
pub const NUMBERS_PER_APP: u32 = 50;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct App {
    pub id: AppId,
    pub name: String,
    pub slug: String,
    /// The playground's SMS numbers; a live app has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub system_numbers: Vec<E164>,
    /// A live app has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated_chat_number: Option<SimulatedChatNumber>,
    /// Ids of the assigned `ph_` and `wapn_` numbers.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub numbers: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calling: Option<CallingSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calling_created_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calling_updated_at: Option<Timestamp>,
    /// Counts every change of the app, its keys, webhooks and numbers, so that deletion can notice what it did not see.
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
