//! What the stand-in holds, and what it has received.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use super::{Misbehave, Seen};

#[derive(Clone, Debug, Default)]
pub struct Account {
    pub name: String,
    pub numbers: Vec<Value>,
    pub templates: Vec<Value>,
}

#[derive(Default)]
pub struct State {
    pub accounts: BTreeMap<String, Account>,
    /// The bytes of each media id.
    pub media: BTreeMap<String, Vec<u8>>,
    pub seen: Vec<Seen>,
    /// How long each request took, from the connection or the previous response to the end of the response.
    pub times: Vec<Duration>,
    /// Faults for requests whose path contains the text, with the number of times to inject them.
    pub misbehave: Vec<(String, Misbehave, u32)>,
    pub page_delay: Duration,
    pub spent_codes: BTreeSet<String>,
    /// The PIN with which each number was registered.
    pub registered: BTreeMap<String, String>,
    /// The two-step PINs of numbers that have one.
    pub pins: BTreeMap<String, String>,
    /// The verification codes that were sent to numbers.
    pub codes: BTreeMap<String, String>,
    /// How many groups were created.
    pub(super) groups: u32,
    /// The users that each number has blocked, by their digits or their user ids.
    pub blocked: BTreeMap<String, BTreeSet<String>>,
    /// The codes with which blocking or unblocking users fails, by the users' digits or user ids.
    pub unblockable: BTreeMap<String, i64>,
    /// The profile of each number.
    pub profiles: BTreeMap<String, Value>,
    /// What the platform says of tokens, accounts, numbers and the app, where it differs from what it says by default: the
    /// fields to replace, by token, or by the id of the account, number or app. A field that is `null` is left out.
    pub said: BTreeMap<String, Value>,
    /// The accounts that send their notifications to the app, with the callback URL that replaces the app's own.
    pub subscribed: BTreeMap<String, Option<String>>,
    /// The open requests to join each group.
    pub join_requests: BTreeMap<String, Vec<Value>>,
    pub(super) connections: u64,
    /// How many messages were accepted.
    pub(super) sent: u32,
}
