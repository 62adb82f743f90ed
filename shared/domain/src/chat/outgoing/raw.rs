//! Content in the platform's own format.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chat::ChatMessageType;

/// A type and its object, in the platform's own format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Raw {
    /// The platform's name of the type.
    pub kind: String,
    pub object: Value,
}

impl Raw {
    /// Returns the type that the log shows. Types that the platform and this API share have the same name in both.
    pub(super) fn message_type(&self) -> ChatMessageType {
        let known = serde_json::from_value(Value::from(self.kind.clone()));
        known.unwrap_or(ChatMessageType::Unknown)
    }
}
