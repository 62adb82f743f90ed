//! The platform's codes for calls, which this service does not make.

use super::{Words, words};

pub(super) const WORDS: &[Words] = &[
    words(
        131_044,
        "Business eligibility payment issue",
        "Somebody called the number, but the account has no valid payment method for calls.",
    ),
    words(
        138_000,
        "Calling not enabled",
        "Calls are not switched on for the number. Switch them on in WhatsApp Manager.",
    ),
    words(
        138_001,
        "Receiver Uncallable",
        "The recipient cannot be called, for the same reasons for which messages may not arrive.",
    ),
    words(138_002, "Concurrent Calls limit", "The number has 1,000 calls at once, and WhatsApp allows no more."),
    words(138_003, "Duplicate call", "There is a call with this person already. Wait until it has ended."),
    words(138_004, "Connection error", "The call could not be connected. Check its connection data, and call again."),
    words(138_005, "Call rate limit exceeded", "The number started more calls than WhatsApp allows in this time."),
    words(
        138_006,
        "No approved call permission found",
        "The recipient has not allowed calls from this number. Ask for the permission first.",
    ),
    words(138_007, "Connect Timeout error", "The call's answer came too late, so that it could not be connected."),
    words(
        138_009,
        "Call Permission Request Limit Hit",
        "This person was asked for the permission to call too often: once a day and twice a week are allowed.",
    ),
    words(
        138_012,
        "Business Initiated Calls Limit Hit",
        "This person was called as often as WhatsApp allows in 24 hours. WhatsApp's message says when the next call is \
         possible.",
    ),
    words(
        138_013,
        "Business-initiated calling is not available",
        "The number cannot start calls, because WhatsApp does not offer that in its country.",
    ),
    words(
        138_014,
        "Calling is temporarily disabled",
        "WhatsApp stops the calls of the number for a time, because of its low quality.",
    ),
    words(138_015, "Calling cannot be enabled", "Calls need a number that may write to at least 2,000 people a day."),
    words(
        138_017,
        "Call permission request can't be sent because a permanent permission already exists.",
        "The recipient has allowed calls for good. There is no need to ask.",
    ),
    words(
        138_018,
        "WhatsApp Business calling cannot be enabled because technical pre-requisites are not met.",
        "Calls need SIP, or an app that receives the notifications about them.",
    ),
    words(138_019, "Call setup failed", "The recipient's WhatsApp could not set up the call. Call again later."),
    words(
        138_020,
        "Relay connection failed",
        "The recipient's WhatsApp could not reach the server that carries the sound.",
    ),
    words(138_021, "Media receive timeout", "The call ended because no sound came from the business."),
    words(138_022, "Media transmit timeout", "The call ended because no sound came from the recipient."),
    words(
        138_023,
        "Call accepted but terminated with no media signals",
        "The call was accepted, and ended without any sign that sound was carried.",
    ),
    words(138_024, "SIP is not enabled", "The number cannot receive calls over SIP. Messages are not concerned."),
];
