//! Reactions to messages, and pins of messages in groups.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::checks;
use super::reference::MessageRef;
use crate::Failure;
use crate::schema::MessageReference;

/// The longest emoji, in characters: the longest sequence that Unicode defines has ten.
pub const EMOJI_LENGTH: usize = 32;
/// How long a message may be pinned, in days.
pub const PIN_DAYS: RangeInclusive<i64> = 1..=30;

/// A reaction to a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reaction {
    pub message_id: MessageRef,
    /// Empty to remove the reaction.
    pub emoji: String,
}

/// A reaction to a message, as requests have it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ChatReaction)]
pub struct ReactionObject {
    /// A message of the same number: its id in this API (`msg_wa_...`) or at WhatsApp.
    #[schema(value_type = MessageReference)]
    message_id: String,
    /// One emoji. An empty string removes the reaction.
    #[schema(max_length = 32)]
    emoji: String,
}

impl ReactionObject {
    pub fn reaction(self) -> Result<Reaction, Failure> {
        let message_id = MessageRef::in_param(&self.message_id, "reaction.messageId")?;
        Ok(Reaction { message_id, emoji: self.emoji })
    }
}

impl Reaction {
    pub(super) fn check(&self, at: &str) -> Result<(), Failure> {
        let param = format!("{at}.emoji");
        if self.emoji.chars().any(|c| c.is_ascii_alphabetic() || c.is_whitespace()) {
            return Err(Failure::invalid(
                &param,
                format!("{param} must be one emoji, or \"\" to remove the reaction."),
            ));
        }
        if self.emoji.is_empty() { Ok(()) } else { checks::line(&self.emoji, &param, EMOJI_LENGTH) }
    }
}

/// Whether a message is pinned or unpinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ChatPinAction)]
pub enum PinAction {
    Pin,
    Unpin,
}

/// Pins a message of a group, or unpins it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pin {
    pub message_id: MessageRef,
    pub action: PinAction,
    pub expiration_days: Option<i64>,
}

impl Pin {
    pub(super) fn check(&self, at: &str) -> Result<(), Failure> {
        let param = format!("{at}.expirationDays");
        match (self.expiration_days, self.action) {
            (Some(days), _) if !PIN_DAYS.contains(&days) => {
                let (least, most) = (*PIN_DAYS.start(), *PIN_DAYS.end());
                Err(Failure::invalid(&param, format!("{param} must be from {least} to {most} days.")))
            }
            (Some(_), PinAction::Unpin) => {
                Err(Failure::invalid(&param, format!("{param} is for the action pin only. Omit it.")))
            }
            _ => Ok(()),
        }
    }
}
