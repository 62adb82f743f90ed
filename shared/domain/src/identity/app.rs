//! Apps: the owners of app keys, webhooks and phone numbers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::calling::CallingSettings;
use crate::id::{AppId, PhoneNumberId};
use crate::identity::rate::RateLimit;
use crate::testing::playground::SimulatedChatNumber;
use crate::{E164, Timestamp};

pub const APPS_PER_ORGANIZATION: u32 = 100;
pub const NUMBERS_PER_APP: u32 = 50;

/// An app of an organization.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct App {
    pub id: AppId,
    pub name: String,
    pub slug: String,
    /// The SMS numbers that were created for a test app in the playground, including those that it no longer has. A
    /// live app has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub system_numbers: Vec<E164>,
    /// The ids of these numbers, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub system_number_ids: Vec<PhoneNumberId>,
    /// The simulated chat number of a test app. A live app has none.
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
    /// Whether the app's events are added to its feed. The feed's head, which is written in the same transactions,
    /// repeats this.
    #[serde(default)]
    pub event_feed: bool,
    /// How many requests all keys of the app together may make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Counts all changes of the app and of its keys, webhooks and numbers, so that deletion can detect concurrent
    /// changes.
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What the credentials of an app's keys repeat from the app, which saves reading it.
#[derive(Clone, Debug, Default)]
pub struct SharedByKeys {
    /// The simulated number of a test app.
    pub simulated_chat_number: Option<SimulatedChatNumber>,
    pub rate_limit: Option<RateLimit>,
}

impl App {
    pub fn shared_by_keys(&self) -> SharedByKeys {
        SharedByKeys { simulated_chat_number: self.simulated_chat_number.clone(), rate_limit: self.rate_limit }
    }
}
