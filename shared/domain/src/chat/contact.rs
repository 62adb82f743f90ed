//! Contacts of a chat phone number.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::id::{ChatPhoneNumberId, ContactId};
use crate::{E164, Timestamp};

/// A WhatsApp user who has written to a WhatsApp number, who is a contact in its WhatsApp Business app, or who has
/// chosen whether to receive its marketing messages.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatContact)]
pub struct Contact {
    pub id: ContactId,
    pub chat_phone_number_id: ChatPhoneNumberId,
    /// Omitted if WhatsApp supplies only a user id.
    pub phone_number: Option<E164>,
    /// The WhatsApp user id.
    pub user_id: Option<String>,
    /// The name in the person's profile.
    pub name: Option<String>,
    /// The WhatsApp username, if the user has chosen one.
    pub username: Option<String>,
    /// The user's latest choice about marketing messages of the number. Omitted if the user has made none.
    pub marketing_opt_out: Option<MarketingOptOut>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A user's choice about the marketing messages of a WhatsApp number. WhatsApp rejects those that the user does not
/// want.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatContactMarketingOptOut)]
pub struct MarketingOptOut {
    /// `true` if the user has stopped marketing messages, `false` if the user has resumed them or signed up for them.
    pub opted_out: bool,
    /// When the user made this choice.
    pub since: Timestamp,
}

impl Contact {
    /// Records a choice, unless a later one is known. Of two choices in the same second, the opt-out counts, because
    /// the platform's times are whole seconds. Returns whether the contact has changed.
    pub fn note_choice(&mut self, choice: MarketingOptOut) -> bool {
        let rank = |choice: MarketingOptOut| (choice.since, choice.opted_out);
        let is_news = self.marketing_opt_out.is_none_or(|known| rank(choice) > rank(known));
        if is_news {
            self.marketing_opt_out = Some(choice);
        }
        is_news
    }
}
