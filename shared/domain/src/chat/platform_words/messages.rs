//! The platform's codes for messages, and for accounts that may not send them.

use super::{Words, words};

pub(super) const WORDS: &[Words] = &[
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
    words(
        130_501,
        "Unsupported message type",
        "WhatsApp does not carry messages of this type here, for example in groups.",
    ),
    words(131_000, "Something went wrong", "WhatsApp failed without giving a reason."),
    words(
        131_005,
        "Access denied",
        "The access token lacks a permission for this number. Connect the account again, and grant both permissions.",
    ),
    words(
        131_008,
        "Required parameter is missing",
        "A required parameter of the message is missing. WhatsApp's message names it.",
    ),
    words(
        131_009,
        "Parameter value is not valid",
        "WhatsApp rejected the value of a parameter, for example a reaction to a message older than 30 days.",
    ),
    words(131_016, "Service unavailable", "A WhatsApp service was unavailable."),
    words(
        131_021,
        "Recipient cannot be sender",
        "The message was sent to the number that it came from. Choose another recipient.",
    ),
    words(
        131_026,
        "Message undeliverable",
        "WhatsApp cannot deliver to this recipient, who may have no WhatsApp account, use an old version of the app, \
         or not have accepted the terms.",
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
        131_043,
        "Message expired",
        "WhatsApp could not deliver the message within the time that it was valid. Send it again if it is still of \
         use.",
    ),
    words(131_045, "Incorrect certificate", "The number is not registered correctly with WhatsApp. Register it again."),
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
        "WhatsApp chose not to deliver this marketing message, because the recipient gets many of them. Wait at least \
         a day before the next one.",
    ),
    words(
        131_050,
        "User has stopped marketing messages",
        "The recipient has stopped marketing messages from this business.",
    ),
    words(131_051, "Unsupported message type", "WhatsApp does not support messages of this type here."),
    words(
        131_052,
        "Media download error",
        "WhatsApp could not provide the medium, or it is too large. Ask the sender to send it in another way.",
    ),
    words(
        131_053,
        "Media upload error",
        "WhatsApp could not download the medium of the message, or does not accept its type or size. Check the file.",
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
        "Business-scoped User ID (BSUID) recipients are not supported for this message.",
        "Messages of this kind, such as one-time codes, need the recipient's phone number: the user id is not enough.",
    ),
    words(
        131_064,
        "Message limit reached due to template classification violations",
        "WhatsApp limits the account for a time, because its templates are in the wrong category. Correct their \
         categories.",
    ),
    words(
        134_011,
        "WhatsApp Payments terms of service has not been accepted",
        "The account has not accepted the terms of WhatsApp Payments. WhatsApp's message has the link to them.",
    ),
    words(
        135_000,
        "Generic user error",
        "WhatsApp rejected the parameters of the request without saying which. Compare them with Meta's reference.",
    ),
    words(
        137_000,
        "Recipient identity key hash mismatch",
        "The recipient's identity has changed, for example with a new phone. Make sure who it is before you write \
         again.",
    ),
];
