//! The platform's codes for the list of blocked users.

use super::{Words, words};

pub(super) const WORDS: &[Words] = &[
    words(
        139_100,
        "Failed to block/unblock some users",
        "Some of the users could not be blocked or unblocked. The response has the reason for each of them.",
    ),
    words(
        139_101,
        "Blocklist limit reached",
        "The number has blocked 64,000 users, which is as many as WhatsApp allows. Unblock some first.",
    ),
    words(
        139_102,
        "Blocklist concurrent update",
        "The list of blocked users changed while it was read. Read it again from the start.",
    ),
    words(139_103, "Internal error", "WhatsApp could not change the block list. Send the same request again."),
];
