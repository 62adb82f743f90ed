//! The acknowledged data, which must exist.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

#[derive(Clone, Debug)]
pub(crate) struct Number {
    pub(crate) number: String,
    pub(crate) apps: BTreeSet<String>,
}

/// Objects, by id.
#[derive(Default)]
pub(crate) struct Known {
    /// The main app with its key, webhook and numbers, which is used for messages.
    pub(crate) app: String,
    pub(crate) key: String,
    pub(crate) key_id: String,
    pub(crate) webhook: String,
    pub(crate) system: String,
    pub(crate) chat_number: String,
    /// Names of apps.
    pub(crate) apps: BTreeMap<String, String>,
    /// Key values, by app.
    pub(crate) keys: BTreeMap<String, BTreeMap<String, String>>,
    /// Subscribed events of webhooks, by app.
    pub(crate) webhooks: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    pub(crate) callings: BTreeMap<String, u64>,
    /// Names of admin keys, and the values of those created during the run.
    pub(crate) admin_keys: BTreeMap<String, String>,
    pub(crate) values: BTreeMap<String, String>,
    pub(crate) numbers: BTreeMap<String, Number>,
    /// The numbers that test apps were created with. They are deleted with their apps.
    pub(crate) system_numbers: BTreeMap<String, Number>,
    pub(crate) retention: Option<u64>,
    /// Playground users, and the users that have sent a message.
    pub(crate) users: Vec<String>,
    pub(crate) wrote: BTreeSet<String>,
    /// Texts of chat messages.
    pub(crate) chat: BTreeMap<String, String>,
    pub(crate) sms: BTreeSet<String>,
    pub(crate) media: BTreeMap<String, Vec<u8>>,
    /// Subjects of groups.
    pub(crate) groups: BTreeMap<String, String>,
    /// Paths of deleted objects, with a credential that may read them; `None` stands for the main app's key.
    pub(crate) gone: Vec<(String, Option<String>)>,
    /// Revoked credentials, with a path that they gave access to.
    pub(crate) revoked: Vec<(String, String)>,
    /// Events that the receiver must get, with the time of the request: event name and object id, or `test` and event id.
    pub(crate) awaited: BTreeMap<(String, String), f64>,
    /// Events that the receiver may get.
    pub(crate) allowed: BTreeSet<(String, String)>,
    /// The `Idempotency-Key` of the last request that created a phone number, and the number.
    pub(crate) last_number: Option<(String, String)>,
}

impl Known {
    pub(crate) fn spare_apps(&self) -> Vec<String> {
        self.apps.keys().filter(|app| **app != self.app).cloned().collect()
    }

    /// The apps that may have phone numbers.
    pub(crate) fn spare_live_apps(&self) -> Vec<String> {
        self.spare_apps().into_iter().filter(|app| !app.starts_with("app_test_")).collect()
    }

    pub(crate) fn number(&self, id: &str) -> &Number {
        self.numbers.get(id).unwrap_or_else(|| &self.system_numbers[id])
    }

    pub(crate) fn await_event(&mut self, kind: &str, id: &str) {
        self.awaited.insert((kind.to_owned(), id.to_owned()), crate::time::wall());
    }

    pub(crate) fn allow_event(&mut self, kind: &str, id: &str) {
        self.allowed.insert((kind.to_owned(), id.to_owned()));
    }
}

/// The string value of a field; empty if the field is missing.
pub(crate) fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}
