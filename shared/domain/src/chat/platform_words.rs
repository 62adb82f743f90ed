//! The texts of the platform's error codes: the platform's own, with which the simulated platform reports them, and
//! this API's, for a message that failed with the code. docs/error-codes.md lists them.

/// The texts of one code.
pub struct Words {
    pub code: i64,
    /// The platform's title.
    pub title: &'static str,
    /// This API's explanation.
    pub explanation: &'static str,
}

const fn words(code: i64, title: &'static str, explanation: &'static str) -> Words {
    Words { code, title, explanation }
}

/// The codes that have a translation, and others that the platform documents for messages, numbers and accounts.
pub const WORDS: &[Words] = &[
    words(0, "AuthException", "WhatsApp could not authenticate the account: its access token is no longer valid."),
    words(1, "API Unknown", "WhatsApp failed, or could not read the request."),
    words(2, "API Service", "WhatsApp was overloaded or unavailable."),
    words(3, "API Method", "The Meta app lacks a capability or a permission for this request."),
    words(4, "API Too Many Calls", "The Meta app made too many calls, so WhatsApp rejected this one."),
    words(10, "Permission Denied", "The access token lacks a permission, or it was removed."),
    words(17, "User request limit reached", "The account's user made too many calls, so WhatsApp rejected this one."),
    words(32, "Page request limit reached", "The account's page made too many calls, so WhatsApp rejected this one."),
    words(33, "Parameter value is not valid", "The number no longer exists at WhatsApp: it was deleted there."),
    words(100, "Invalid parameter", "WhatsApp rejected a parameter of the request, or does not know it."),
    words(190, "Access token has expired", "The account's access token has expired. Connect the account again."),
    words(
        368,
        "Temporarily blocked for policies violations",
        "WhatsApp has restricted or disabled the account for violating a policy.",
    ),
    words(
        613,
        "Calls to this api have exceeded the rate limit",
        "There were too many calls of this kind, so WhatsApp rejected this one.",
    ),
    words(1013, "Recipient is not a valid user", "The recipient has no WhatsApp account."),
    words(80_007, "Rate limit issues", "The business account reached WhatsApp's rate limit."),
    words(80_008, "Rate limit issues", "The business account made too many calls, so WhatsApp rejected this one."),
    words(
        130_403,
        "The business has blocked this user",
        "The number has blocked this user. Unblock the user to write to them.",
    ),
    words(130_429, "Rate limit hit", "The number sent more messages per second than WhatsApp accepts."),
    words(
        130_472,
        "User's number is part of an experiment",
        "WhatsApp does not deliver marketing messages to this user, who takes part in an experiment.",
    ),
    words(
        130_497,
        "Business account is restricted from messaging users in this country",
        "WhatsApp does not allow this account to write to the recipient's country.",
    ),
    words(131_000, "Something went wrong", "WhatsApp failed without giving a reason."),
    words(131_005, "Access denied", "The access token lacks a permission for this number."),
    words(131_008, "Required parameter is missing", "A required parameter of the message is missing."),
    words(
        131_009,
        "Parameter value is not valid",
        "WhatsApp rejected the value of a parameter, for example a reaction to a message older than 30 days.",
    ),
    words(131_016, "Service unavailable", "A WhatsApp service was unavailable."),
    words(131_021, "Recipient cannot be sender", "The message was sent to the number that it came from."),
    words(
        131_026,
        "Message undeliverable",
        "WhatsApp cannot deliver to this recipient, who may have no WhatsApp account, use an old version of the app, or not have accepted the terms.",
    ),
    words(
        131_030,
        "Recipient phone number not in allowed list",
        "The number is one of WhatsApp's test numbers, and the recipient is not on its list of allowed recipients.",
    ),
    words(131_031, "Business Account has been locked", "WhatsApp has locked the business account."),
    words(
        131_037,
        "The number needs display name approval before a message can be sent",
        "WhatsApp has not approved the display name of the number.",
    ),
    words(131_042, "Business eligibility payment issue", "The business account has a problem with its payment method."),
    words(
        131_045,
        "Message failed to send due to an unknown error",
        "The number is not registered correctly with WhatsApp.",
    ),
    words(
        131_047,
        "Re-engagement message",
        "More than 24 hours have passed since the recipient last wrote, so WhatsApp accepts only a template.",
    ),
    words(
        131_048,
        "Spam rate limit hit",
        "WhatsApp limits the number, because too many of its messages were blocked or reported as spam.",
    ),
    words(
        131_049,
        "This message was not delivered to maintain healthy ecosystem engagement.",
        "WhatsApp chose not to deliver this marketing message, because the recipient gets many of them. Wait at least a day before the next one.",
    ),
    words(
        131_050,
        "User has stopped marketing messages",
        "The recipient has stopped marketing messages from this business.",
    ),
    words(131_051, "Unsupported message type", "WhatsApp does not support messages of this type here."),
    words(131_052, "Media download error", "WhatsApp could not provide the medium, or it is too large."),
    words(
        131_053,
        "Media upload error",
        "WhatsApp could not download the medium of the message, or does not accept its type or size.",
    ),
    words(
        131_056,
        "(Business Account, Consumer Account) pair rate limit hit",
        "Too many messages were sent to this recipient in a short time.",
    ),
    words(
        131_057,
        "Account in maintenance mode",
        "The account is in maintenance mode, and WhatsApp accepts no messages from it.",
    ),
    words(
        131_062,
        "Recipient user id is not allowed",
        "Messages of this kind, such as one-time codes, need the recipient's phone number: the user id is not enough.",
    ),
    words(131_208, "Group rate limit hit", "There were too many messages or changes of groups in a short time."),
    words(131_213, "No such join request", "The request to join the group no longer exists."),
    words(131_214, "Groups are not available for this number", "WhatsApp does not allow this number to use groups."),
    words(
        131_215,
        "Groups are not available for this business",
        "WhatsApp does not allow this business to use groups.",
    ),
    words(
        132_000,
        "Number of parameters does not match the expected number of params",
        "The template expects a different number of parameters.",
    ),
    words(
        132_001,
        "Template name does not exist in the translation",
        "There is no approved template with this name in this language.",
    ),
    words(132_005, "Translated text too long", "The template's text with these parameters is too long."),
    words(132_007, "Template format character policy violated", "The template's text violates a WhatsApp policy."),
    words(
        132_012,
        "Parameter format does not match format in the created template",
        "A parameter has a different format than the template expects.",
    ),
    words(132_015, "Template is paused", "The template is paused because of its low quality."),
    words(132_016, "Template is disabled", "The template was disabled after it had been paused too often."),
    words(132_018, "Template parameters are invalid", "The template's parameters are invalid."),
    words(
        133_004,
        "Server temporarily unavailable",
        "WhatsApp was temporarily unavailable, and did not accept the message.",
    ),
    words(133_010, "Phone number not registered", "The number is not registered with WhatsApp."),
    words(137_000, "Recipient identity key hash mismatch", "The recipient's identity has changed."),
    words(139_103, "Block list internal error", "WhatsApp could not change the block list."),
    words(2_388_019, "Message template limit exceeded", "The account has as many templates as WhatsApp allows."),
];

/// The explanation of codes that are not listed.
const OTHER: &str =
    "WhatsApp reported an error that has no code of its own here. Its own code and message are in `provider`.";

fn find(platform: i64) -> Option<&'static Words> {
    WORDS.iter().find(|words| words.code == platform)
}

/// Returns the platform's title of one of its codes, as the simulated platform reports it in statuses.
pub fn title(platform: i64) -> &'static str {
    find(platform).map_or("Unknown error", |words| words.title)
}

/// Returns the message with which the platform responds with one of its codes.
pub fn message(platform: i64) -> String {
    format!("(#{platform}) {}", title(platform))
}

/// Returns the explanation that a message shows as its error if it failed with one of the platform's codes.
pub fn explanation(platform: i64) -> &'static str {
    find(platform).map_or(OTHER, |words| words.explanation)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::chat::platform_error::TRANSLATIONS;

    #[test]
    fn each_code_is_explained_once_in_its_own_words() {
        let codes: BTreeSet<i64> = WORDS.iter().map(|words| words.code).collect();
        let texts: BTreeSet<&str> = WORDS.iter().map(|words| words.explanation).chain([OTHER]).collect();
        assert_eq!((codes.len(), texts.len()), (WORDS.len(), WORDS.len() + 1));
        let translated = TRANSLATIONS.iter().flat_map(|(translated, ..)| translated.iter());
        assert_eq!(translated.filter(|code| !codes.contains(code)).collect::<Vec<_>>(), Vec::<&i64>::new());
        assert_eq!((title(-1), explanation(-1)), ("Unknown error", OTHER));
    }
}
