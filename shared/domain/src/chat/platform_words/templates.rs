//! The platform's codes for templates: sending, creating and measuring them.

use super::{Words, words};

pub(super) const WORDS: &[Words] = &[
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
    words(
        132_007,
        "Template format character policy violated",
        "The template's text violates a WhatsApp policy. Change the text, and have it reviewed again.",
    ),
    words(
        132_008,
        "Template parameter value is invalid",
        "A parameter of the template has a value that WhatsApp does not accept.",
    ),
    words(
        132_012,
        "Parameter format does not match format in the created template",
        "A parameter has a different format than the template expects.",
    ),
    words(132_015, "Template is paused", "The template is paused because of its low quality."),
    words(132_016, "Template is disabled", "The template was disabled after it had been paused too often."),
    words(132_018, "Template validation error", "The template's parameters are invalid."),
    words(
        200_002,
        "HSM Template creation failed",
        "WhatsApp could not create the template. Read WhatsApp's message, and correct the component that it names.",
    ),
    words(
        200_005,
        "Template insights unavailable",
        "WhatsApp does not yet measure the templates of this account. They can be sent all the same.",
    ),
    words(
        200_006,
        "Cannot disable template insights",
        "Once an account's templates are measured, that cannot be switched off.",
    ),
    words(
        200_007,
        "Template Insights not enabled",
        "The templates of this account are not measured. Switch it on in WhatsApp Manager.",
    ),
    words(
        2_388_019,
        "Message template limit exceeded",
        "The account has as many templates as WhatsApp allows. Delete some that are no longer used.",
    ),
    words(
        2_388_024,
        "Content in This Language Already Exists",
        "The account has a template with this name in this language, or deleted one recently. Choose another name.",
    ),
    words(
        2_388_039,
        "Message template status can't be changed",
        "A template in review cannot be edited, and others only a few times. Wait for the review, or edit it later.",
    ),
    words(
        2_388_040,
        "Character limit exceeded",
        "A text of the template is too long. WhatsApp's message names the field and its limit.",
    ),
    words(
        2_388_047,
        "Message header format is incorrect",
        "The header of the template has a wrong form. It can have one parameter, and no formatting.",
    ),
    words(
        2_388_072,
        "Message body format is incorrect",
        "The body of the template has a wrong form, for example parameters that are not numbered in order.",
    ),
    words(
        2_388_073,
        "Message footer format is incorrect",
        "The footer of the template has a wrong form. It cannot have parameters.",
    ),
    words(
        2_388_293,
        "Parameters words ratio exceeds limit",
        "The template has too many parameters for its length. Write more text, or use fewer of them.",
    ),
    words(
        2_388_299,
        "Leading or trailing parameters not allowed",
        "The text of a template cannot begin or end with a parameter. Put words before and after it.",
    ),
];
