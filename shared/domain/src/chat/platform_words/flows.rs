//! The platform's codes for flows, the forms inside of chats.

use super::{Words, words};

pub(super) const WORDS: &[Words] = &[
    words(
        132_068,
        "Flow is blocked",
        "WhatsApp has blocked the flow of the message. Correct the flow in WhatsApp Manager.",
    ),
    words(
        132_069,
        "Flow is throttled",
        "WhatsApp lets only ten messages an hour go out with this flow, because it fails too often. Repair its \
         endpoint.",
    ),
    words(
        139_000,
        "Blocked by Integrity",
        "The business does not meet WhatsApp's requirements for flows, such as a verified business.",
    ),
    words(
        139_001,
        "Flow can't be updated",
        "The flow is published, or its definition could not be processed. Change a copy of it.",
    ),
    words(
        139_002,
        "Flow can't be published",
        "The flow has errors, no reachable endpoint or no app. WhatsApp's message says what is missing.",
    ),
    words(139_003, "Flow can't be deprecated", "The flow was never published, or is deprecated already."),
    words(139_004, "Flow can't be deleted", "A published flow cannot be deleted. Deprecate it instead."),
    words(
        139_006,
        "Metrics threshold not reached",
        "The flow was used fewer than 250 times, which is too little for figures about it.",
    ),
];
