//! The platform's codes for its interfaces to marketing messages, which this service does not call.

use super::{Words, words};

pub(super) const WORDS: &[Words] = &[
    words(
        131_055,
        "Method not allowed",
        "Only marketing templates can be sent through this interface; for calls, the number uses SIP.",
    ),
    words(
        131_063,
        "Marketing templates disabled for Cloud API",
        "The account's owner has switched off marketing templates outside Meta's marketing interface. Switch them on \
         again.",
    ),
    words(
        134_100,
        "Only marketing messages supported",
        "Meta's marketing interface sends marketing templates only. Send this one as an ordinary message.",
    ),
    words(
        134_101,
        "Your template is still syncing",
        "Meta does not know the new template everywhere yet. Wait ten minutes before you send it.",
    ),
    words(
        134_102,
        "Template unavailable for use",
        "The template or the account is not ready for Meta's marketing interface. Check in WhatsApp Manager whether it \
         was set up.",
    ),
    words(
        1_752_041,
        "Duplicate Request",
        "A partner has already invited this business to Meta's marketing interface. Nothing more is needed.",
    ),
    words(2_494_164, "SIGNUP_NOT_FOUND", "There is no such link with which people sign up for messages."),
    words(
        2_494_165,
        "SIGNUPS_API_NOT_AVAILABLE",
        "WhatsApp does not offer sign-up links for messages to this account.",
    ),
    words(
        2_494_166,
        "SIGNUP_UNKNOWN_PLACEHOLDER",
        "The confirmation that a sign-up link sends has a placeholder that WhatsApp does not know.",
    ),
    words(
        2_494_167,
        "SIGNUP_MISSING_PLACEHOLDER_VALUE",
        "The confirmation that a sign-up link sends mentions a code for a discount, but there is none.",
    ),
    words(
        2_494_168,
        "SIGNUP_TOS_NOT_ACCEPTED",
        "The business has not accepted the terms of sign-up links. The first link must accept them.",
    ),
    words(
        2_494_176,
        "SIGNUP_TOS_ALREADY_ACCEPTED",
        "The business has accepted the terms of sign-up links before. Create the link without them.",
    ),
    words(2_494_177, "SIGNUP_TOS_URL_NOT_ALLOWED", "The terms of a sign-up link must be those that Meta publishes."),
    words(2_494_179, "SIGNUP_WEBSITE_URL_SCHEME_NOT_ALLOWED", "The website of a sign-up link must begin with https."),
];
