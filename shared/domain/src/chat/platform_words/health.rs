//! The platform's codes inside of a health status. They say why something is blocked or limited.

use super::{Words, words};

pub(super) const WORDS: &[Words] = &[
    words(141_000, "Phone number disconnected", "The number is not connected with WhatsApp. Register it."),
    words(
        141_002,
        "Message templates can only be sent out if they are approved.",
        "The template was not approved. Edit it, or appeal against the decision in WhatsApp Manager.",
    ),
    words(
        141_006,
        "There is an error with the payment method.",
        "The account cannot begin conversations until its owner adds a payment method in WhatsApp Manager.",
    ),
    words(
        141_010,
        "The Business has not passed business verification.",
        "The business is not verified, so it can write to few people a day. Verify it at Meta.",
    ),
];
