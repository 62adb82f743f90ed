//! What was acknowledged, and so must be there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

#[derive(Clone, Debug)]
pub(crate) struct Number {
    pub(crate) number: String,
    pub(crate) apps: BTreeSet<String>,
}

/// Objects by their ids.
#[derive(Default)]
pub(crate) struct Known {
    /// The main app, its key, webhook and numbers, through which messages go.
    pub(crate) app: String,
    pub(crate) key: String,
    pub(crate) key_id: String,
    pub(crate) webhook: String,
    pub(crate) system: String,
    pub(crate) chat_number: String,
    /// Names of apps.
    pub(crate) apps: BTreeMap<String, String>,
    /// Values of keys, by app.
    pub(crate) keys: BTreeMap<String, BTreeMap<String, String>>,
    /// Events of webhooks, by app.
    pub(crate) webhooks: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    pub(crate) callings: BTreeMap<String, u64>,
    /// Names of admin keys, and values of those that were made here.
    pub(crate) admin_keys: BTreeMap<String, String>,
    pub(crate) values: BTreeMap<String, String>,
    pub(crate) numbers: BTreeMap<String, Number>,
    pub(crate) retention: Option<u64>,
    /// Playground users, and those of them that have written.
    pub(crate) users: Vec<String>,
    pub(crate) wrote: BTreeSet<String>,
    /// Texts of chat messages.
    pub(crate) chat: BTreeMap<String, String>,
    pub(crate) sms: BTreeSet<String>,
    pub(crate) media: BTreeMap<String, Vec<u8>>,
    /// Subjects of groups.
    pub(crate) groups: BTreeMap<String, String>,
    /// Paths of what was deleted, with a credential that may ask; `None` is the main app's.
    pub(crate) gone: Vec<(String, Option<String>)>,
    /// Credentials that were revoked, with a path that they opened.
    pub(crate) revoked: Vec<(String, String)>,
    /// What the receiver must hear of, and since when: event and id of the object, or `test` and the id of the event.
    pub(crate) awaited: BTreeMap<(String, String), f64>,
    /// The key of the last request for a number, and its number.
    pub(crate) last_number: Option<(String, String)>,
}

impl Known {
    pub(crate) fn spare_apps(&self) -> Vec<String> {
        self.apps.keys().filter(|app| **app != self.app).cloned().collect()
    }

    /// Those that may have phone numbers.
    pub(crate) fn spare_live_apps(&self) -> Vec<String> {
        self.spare_apps().into_iter().filter(|app| !app.starts_with("app_test_")).collect()
    }

    pub(crate) fn await_event(&mut self, kind: &str, id: &str) {
        self.awaited.insert((kind.to_owned(), id.to_owned()), crate::time::wall());
    }
}

/// The string in a field; nothing where there is none.
pub(crate) fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}
