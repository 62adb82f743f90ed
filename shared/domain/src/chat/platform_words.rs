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
    words(0, "AuthException", "The platform could not authenticate the account: its access token is no longer valid."),
    words(1, "API Unknown", "The platform failed, or could not read the request."),
    words(2, "API Service", "The platform was overloaded or down."),
    words(3, "API Method", "The platform's app lacks a capability or a permission for this request."),
    words(4, "API Too Many Calls", "The platform's app made too many calls, so the platform rejected this one."),
    words(10, "Permission Denied", "The access token lacks a permission, or it was removed."),
    words(
        17,
        "User request limit reached",
        "The account's user made too many calls, so the platform rejected this one.",
    ),
    words(
        32,
        "Page request limit reached",
        "The account's page made too many calls, so the platform rejected this one.",
    ),
    words(33, "Parameter value is not valid", "The platform does not know the number any more: it was deleted there."),
    words(100, "Invalid parameter", "The platform rejected a parameter of the request, or does not know it."),
    words(190, "Access token has expired", "The account's access token has expired. Connect the account again."),
    words(
        368,
        "Temporarily blocked for policies violations",
        "The platform has restricted or disabled the account for violating a policy.",
    ),
    words(
        613,
        "Calls to this api have exceeded the rate limit",
        "There were too many calls of this kind, so the platform rejected this one.",
    ),
    words(1013, "Recipient is not a valid user", "The recipient has no account on the chat platform."),
    words(80_007, "Rate limit issues", "The business account reached the platform's rate limit."),
    words(80_008, "Rate limit issues", "The business account made too many calls, so the platform rejected this one."),
    words(
        130_403,
        "The business has blocked this user",
        "The number has blocked this user. Unblock the user to write to them.",
    ),
    words(130_429, "Rate limit hit", "The number sent more messages per second than the platform accepts."),
    words(
        130_472,
        "User's number is part of an experiment",
        "The platform does not deliver marketing messages to this user, who takes part in an experiment.",
    ),
    words(
        130_497,
        "Business account is restricted from messaging users in this country",
        "The platform does not allow this account to write to the recipient's country.",
    ),
    words(131_000, "Something went wrong", "The platform failed, and did not say why."),
    words(131_005, "Access denied", "The access token lacks a permission for this number."),
    words(131_008, "Required parameter is missing", "The platform misses a parameter of the message."),
    words(
        131_009,
        "Parameter value is not valid",
        "The platform rejected the value of a parameter, for example a reaction to a message older than 30 days.",
    ),
    words(131_016, "Service unavailable", "A service of the platform was unavailable."),
    words(131_021, "Recipient cannot be sender", "The message was sent to the number that it came from."),
    words(
        131_026,
        "Message undeliverable",
        "The platform cannot deliver to this recipient: the number may have no account there, an old version of the app, or terms that were not accepted.",
    ),
    words(
        131_030,
        "Recipient phone number not in allowed list",
        "The number is one of the platform's test numbers, and the recipient is not on its list of allowed recipients.",
    ),
    words(131_031, "Business Account has been locked", "The platform has locked the business account."),
    words(
        131_037,
        "The number needs display name approval before a message can be sent",
        "The platform has not approved the display name of the number.",
    ),
    words(131_042, "Business eligibility payment issue", "The business account has a problem with its payment method."),
    words(
        131_045,
        "Message failed to send due to an unknown error",
        "The number is not registered correctly with the platform.",
    ),
    words(
        131_047,
        "Re-engagement message",
        "More than 24 hours have passed since the recipient last wrote, so the platform accepts only a template.",
    ),
    words(
        131_048,
        "Spam rate limit hit",
        "The platform limits the number, because too many of its messages were blocked or reported as spam.",
    ),
    words(
        131_049,
        "This message was not delivered to maintain healthy ecosystem engagement.",
        "The platform chose not to deliver this marketing message: the recipient gets many of them. Wait at least a day before the next one.",
    ),
    words(
        131_050,
        "User has stopped marketing messages",
        "The recipient has stopped marketing messages of this business.",
    ),
    words(131_051, "Unsupported message type", "The platform does not support messages of this type here."),
    words(131_052, "Media download error", "The platform could not provide the medium, or it is too large."),
    words(
        131_053,
        "Media upload error",
        "The platform could not fetch the medium of the message, or does not accept its type or size.",
    ),
    words(
        131_056,
        "(Business Account, Consumer Account) pair rate limit hit",
        "Too many messages were sent to this recipient in a short time.",
    ),
    words(
        131_057,
        "Account in maintenance mode",
        "The platform is maintaining the account, and takes no messages meanwhile.",
    ),
    words(
        131_062,
        "Recipient user id is not allowed",
        "Messages of this kind, such as one-time codes, need the recipient's phone number: the user id is not enough.",
    ),
    words(131_208, "Group rate limit hit", "There were too many messages or changes of groups in a short time."),
    words(131_213, "No such join request", "The request to join the group does not exist any more."),
    words(
        131_214,
        "Groups are not available for this number",
        "The platform does not allow this number to use groups.",
    ),
    words(
        131_215,
        "Groups are not available for this business",
        "The platform does not allow this business to use groups.",
    ),
    words(
        132_000,
        "Number of parameters does not match the expected number of params",
        "The template expects another number of parameters.",
    ),
    words(
        132_001,
        "Template name does not exist in the translation",
        "There is no approved template with this name in this language.",
    ),
    words(132_005, "Translated text too long", "The template's text with these parameters is too long."),
    words(
        132_007,
        "Template format character policy violated",
        "The template's text violates a policy of the platform.",
    ),
    words(
        132_012,
        "Parameter format does not match format in the created template",
        "A parameter has another format than the template expects.",
    ),
    words(132_015, "Template is paused", "The template is paused because of its low quality."),
    words(132_016, "Template is disabled", "The template was disabled after it had been paused too often."),
    words(132_018, "Template parameters are invalid", "The template's parameters are invalid."),
    words(
        133_004,
        "Server temporarily unavailable",
        "The platform was temporarily unavailable, and did not take the message.",
    ),
    words(133_010, "Phone number not registered", "The number is not registered with the platform."),
    words(137_000, "Recipient identity key hash mismatch", "The recipient's identity has changed."),
    words(139_103, "Block list internal error", "The platform could not change the block list."),
    words(2_388_019, "Message template limit exceeded", "The account has as many templates as the platform allows."),
];

/// The explanation of codes that are not listed.
const OTHER: &str =
    "The platform reported an error that has no code of its own here. Its own code and words are in `provider`.";

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
