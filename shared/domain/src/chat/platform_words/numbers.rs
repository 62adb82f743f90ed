//! The platform's codes for numbers: registration, migration, the business app and user names.

use super::{Words, words};

pub(super) const WORDS: &[Words] = &[
    words(
        133_000,
        "Incomplete Deregistration",
        "An earlier attempt to deregister the number stopped halfway. Deregister it again before you register it.",
    ),
    words(
        133_004,
        "Server temporarily unavailable",
        "WhatsApp was temporarily unavailable, and did not accept the message.",
    ),
    words(
        133_005,
        "Two step verification PIN Mismatch",
        "The number has another two-step PIN. Its owner can switch the PIN off in WhatsApp Manager.",
    ),
    words(
        133_006,
        "Phone number re-verification needed",
        "The number must be verified by a code before it can be registered. Verify it in WhatsApp Manager.",
    ),
    words(
        133_008,
        "Too Many two step verification PIN Guesses",
        "The two-step PIN was wrong too often. WhatsApp's message says how long to wait.",
    ),
    words(
        133_009,
        "Two step verification PIN Guessed Too Fast",
        "The two-step PIN was tried again too soon. Wait as long as WhatsApp's message says.",
    ),
    words(133_010, "Phone number not registered", "The number is not registered with WhatsApp."),
    words(
        133_015,
        "Please wait a few minutes before attempting to register this phone number",
        "The number was deleted a moment ago. Wait five minutes before you register it.",
    ),
    words(
        133_016,
        "Account register deregister rate limit exceeded",
        "The number was registered or deregistered ten times in 72 hours. WhatsApp takes no further attempt until \
         those have passed.",
    ),
    words(
        147_001,
        "Username not available",
        "Somebody else has this user name, or WhatsApp does not allow it. Choose another one.",
    ),
    words(
        147_002,
        "Account not eligible to request a username",
        "The business cannot have a user name before it may write to more people a day.",
    ),
    words(147_003, "FB Account not linked", "A Facebook page has this user name. Link the number to that page first."),
    words(
        147_004,
        "IG Account not linked",
        "An Instagram account has this user name. Link the number to that account first.",
    ),
    words(
        147_005,
        "Username transfer required",
        "Another number of the business has this user name. Move it in WhatsApp Manager.",
    ),
    words(
        2_388_012,
        "This phone number already exists in your list of phone numbers.",
        "The account has this number already, so it cannot be moved there.",
    ),
    words(
        2_388_091,
        "This phone number isn't eligible to receive a registration code since it is not being migrated.",
        "No code can be requested for a number that is not being moved. Register it as a new one.",
    ),
    words(
        2_388_093,
        "This phone number isn't eligible to verify a registration code since it is not being migrated.",
        "No code can be checked for a number that is not being moved. Add it in WhatsApp Manager.",
    ),
    words(
        2_388_103,
        "Cannot migrate phone number.",
        "The number cannot be moved to this account, for the reason in WhatsApp's message, such as a missing payment \
         method.",
    ),
    words(
        2_494_100,
        "Account is in maintenance mode.",
        "The number is in maintenance mode, and WhatsApp accepts nothing for it. That ends after some minutes.",
    ),
    words(
        2_593_079,
        "WABA already flagged for migration",
        "The account is being moved to another partner already. Wait until that has ended.",
    ),
    words(
        2_593_085,
        "WhatsApp Business Account not eligible for OBO mobility",
        "The account cannot change its owner, because it has the right one, or the owner has not agreed yet.",
    ),
    words(
        2_593_107,
        "Synchronization request limit exceeded",
        "The contacts or the chats of the business app were requested before, which is possible once for each signup.",
    ),
    words(
        2_593_108,
        "Synchronization request made outside of allowed time window",
        "Contacts and chats of the business app can be requested in the first 24 hours only. Disconnect the number, \
         and connect it again.",
    ),
    words(
        2_593_109,
        "History sync is turned off by the business from the WhatsApp Business App",
        "The business does not share the chats of its business app. Its owner can allow it in another signup.",
    ),
];
