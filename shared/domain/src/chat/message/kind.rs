//! The types of a message's content.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The longest text of a message, in characters.
pub const TEXT_LENGTH: usize = 4096;

/// The type of a message's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChatMessageType {
    Text,
    Image,
    Video,
    Audio,
    Document,
    Location,
    Contacts,
    Template,
    Interactive,
    Reaction,
    Sticker,
    Button,
    Order,
    System,
    Pin,
    Unknown,
}
