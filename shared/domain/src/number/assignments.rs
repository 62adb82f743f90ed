//! When numbers of either kind were assigned to their apps.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::id::AppId;

/// When a number was assigned to each of its apps. An app sees what happens with a number from then on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Assignments(BTreeMap<AppId, Timestamp>);

impl Assignments {
    /// Returns the assignments of a new number.
    pub fn of_new(apps: &BTreeSet<AppId>, now: Timestamp) -> Self {
        Assignments(apps.iter().map(|app| (app.clone(), now)).collect())
    }

    /// Records the assignment of an app.
    pub fn begin(&mut self, app: &AppId, now: Timestamp) {
        self.0.insert(app.clone(), now);
    }

    /// Forgets the assignments of all apps but these.
    pub fn retain(&mut self, apps: &BTreeSet<AppId>) {
        self.0.retain(|app, _| apps.contains(app));
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns since when the number has been assigned to the app. An assignment from before their times were recorded
    /// counts from the creation of the number.
    pub(crate) fn since(&self, apps: &BTreeSet<AppId>, app: &AppId, created_at: Timestamp) -> Option<Timestamp> {
        apps.contains(app).then(|| self.0.get(app).copied().unwrap_or(created_at))
    }
}
