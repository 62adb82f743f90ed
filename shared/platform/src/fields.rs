//! The webhook fields of the platform that this installation uses.

/// The fields whose values name a phone number.
pub const NUMBER_FIELDS: [&str; 11] = [
    "messages",
    "smb_message_echoes",
    "smb_app_state_sync",
    HISTORY_FIELD,
    "user_id_update",
    "user_preferences",
    "group_lifecycle_update",
    "group_participants_update",
    OTHER_PARTICIPANTS_UPDATE,
    "group_settings_update",
    "group_status_update",
];

/// Another spelling of `group_participants_update` in the platform's documentation. Updates can have it, but it is not
/// subscribed to.
const OTHER_PARTICIPANTS_UPDATE: &str = "group_participant_update";

/// The field of the messages that the business app had before the account was connected.
pub const HISTORY_FIELD: &str = "history";

pub const COMPONENTS_UPDATE: &str = "message_template_components_update";

/// The fields that concern a whole account.
pub const ACCOUNT_FIELDS: [&str; 8] = [
    "account_update",
    "account_review_update",
    "phone_number_quality_update",
    "phone_number_name_update",
    "message_template_status_update",
    "message_template_quality_update",
    "template_category_update",
    COMPONENTS_UPDATE,
];

/// The field without which no message is received.
pub const MESSAGES_FIELD: &str = NUMBER_FIELDS[0];

/// Returns the fields to which the installation's app must be subscribed.
pub fn subscribed_fields() -> impl Iterator<Item = &'static str> {
    NUMBER_FIELDS.into_iter().chain(ACCOUNT_FIELDS).filter(|field| *field != OTHER_PARTICIPANTS_UPDATE)
}
