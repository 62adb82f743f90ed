//! Lists, which come in pages.

use serde::{Deserialize, Serialize};

/// One page of a list.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct List<T> {
    pub data: Vec<T>,
    /// The cursor of the next page; `None` on the last one.
    pub next_cursor: Option<String>,
}
