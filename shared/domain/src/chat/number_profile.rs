//! The profile of a chat phone number, which users see in the chat. The limits are those that the platform documents.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::schema::NumberVertical;

/// The longest texts, in characters.
pub const ABOUT_LENGTH: usize = 139;
pub const ADDRESS_LENGTH: usize = 256;
pub const PROFILE_DESCRIPTION_LENGTH: usize = 512;
pub const EMAIL_LENGTH: usize = 128;
pub const WEBSITE_LENGTH: usize = 256;
/// The highest number of websites.
pub const WEBSITES: usize = 2;

/// The public profile of a WhatsApp number, which users see in the chat.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatNumberProfile)]
pub struct NumberProfile {
    /// The line of text below the name.
    pub about: Option<String>,
    /// The address of the business.
    pub address: Option<String>,
    /// The description of the business.
    pub description: Option<String>,
    /// The email address of the business.
    pub email: Option<String>,
    /// The websites of the business.
    #[serde(default)]
    #[schema(required)]
    pub websites: Vec<String>,
    #[schema(value_type = Option<NumberVertical>)]
    pub vertical: Option<String>,
    /// The URL of the profile picture at WhatsApp.
    pub profile_picture_url: Option<String>,
}

/// A change of a profile. Absent fields keep their values; an empty string or an empty list of websites removes the value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberProfileChange {
    pub about: Option<String>,
    pub address: Option<String>,
    pub description: Option<String>,
    pub email: Option<String>,
    pub websites: Option<Vec<String>>,
    pub vertical: Option<Vertical>,
    /// The platform's handle of an uploaded picture.
    pub picture_handle: Option<String>,
}

/// The industry of a business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = ChatNumberVertical)]
pub enum Vertical {
    Alcohol,
    Apparel,
    Auto,
    Beauty,
    Edu,
    Entertain,
    EventPlan,
    Finance,
    Govt,
    Grocery,
    Health,
    Hotel,
    Nonprofit,
    OnlineGambling,
    OtcDrugs,
    Other,
    PhysicalGambling,
    ProfServices,
    Restaurant,
    Retail,
    Travel,
}
