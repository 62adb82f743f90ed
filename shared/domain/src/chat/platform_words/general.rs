//! The platform's codes for access tokens, permissions, rate limits and requests of any kind.

use super::{Words, words};

pub(super) const WORDS: &[Words] = &[
    words(
        0,
        "AuthException",
        "WhatsApp could not authenticate the account: its access token is no longer valid. Connect the account again.",
    ),
    words(1, "API Unknown", "WhatsApp failed, or could not read the request."),
    words(2, "API Service", "WhatsApp was overloaded or unavailable."),
    words(
        3,
        "API Method",
        "The Meta app lacks a capability or a permission for this request. Its owner must request the permission in \
         App Review.",
    ),
    words(4, "API Too Many Calls", "The Meta app made too many calls, so WhatsApp rejected this one."),
    words(
        10,
        "Permission Denied",
        "The access token lacks a permission, or it was removed. The feature may also be closed to this account.",
    ),
    words(17, "User request limit reached", "The account's user made too many calls, so WhatsApp rejected this one."),
    words(32, "Page request limit reached", "The account's page made too many calls, so WhatsApp rejected this one."),
    words(33, "Parameter value is not valid", "The number no longer exists at WhatsApp: it was deleted there."),
    words(
        100,
        "Invalid parameter",
        "WhatsApp rejected a parameter of the request, or does not know it. WhatsApp's message says which one.",
    ),
    words(
        102,
        "Session key invalid or no longer valid",
        "The session of the access token has ended. A new signup of the account makes a new token.",
    ),
    words(
        104,
        "Incorrect signature",
        "The call had no access token, or a wrong proof of the app's secret. The operator must check the secret of the \
         Meta app.",
    ),
    words(190, "Access token has expired", "The account's access token has expired. Connect the account again."),
    words(
        192,
        "Invalid phone number",
        "WhatsApp could not read the phone number of the request. Write it in E.164 format.",
    ),
    words(
        200,
        "API Permission",
        "The access token has no permission for this object. Assign the account to the token's user with full control.",
    ),
    words(
        341,
        "Application limit reached",
        "Meta limits the app for a short time, because it is busy or the app calls it too often. Try again later.",
    ),
    words(
        368,
        "Temporarily blocked for policies violations",
        "WhatsApp has restricted or disabled the account for violating a policy.",
    ),
    words(
        506,
        "Duplicate Post",
        "Meta received the same content twice in a row. Change it, or leave the second request out.",
    ),
    words(
        613,
        "Calls to this api have exceeded the rate limit",
        "There were too many calls of this kind, so WhatsApp rejected this one.",
    ),
    words(
        803,
        "Some of the aliases you requested do not exist",
        "Meta has no object with this id, or the token cannot see it. Check the id of the account or number.",
    ),
    words(1013, "Recipient is not a valid user", "The recipient has no WhatsApp account."),
    words(80_007, "Rate limit issues", "The business account reached WhatsApp's rate limit."),
    words(80_008, "Rate limit issues", "The business account made too many calls, so WhatsApp rejected this one."),
    words(
        1_609_005,
        "Error posting link",
        "Meta could not read the page that a link leads to. Check that the address is public.",
    ),
];
