//! The header, the body and the footer of a template.

use super::ParameterFormat;
use super::fields::{Fields, line};
use super::sample;
use super::shapes::Rules;
use super::variables::{ExampleFields, check_examples, expect_text_around, variables};
use crate::{Failure, text};

pub const HEADER_LENGTH: usize = 60;
pub const FOOTER_LENGTH: usize = 60;
const HEADER_VARIABLES: usize = 1;

const HEADER_EXAMPLES: ExampleFields =
    ExampleFields { positional: "header_text", named: "header_text_named_params", is_nested: false };
const BODY_EXAMPLES: ExampleFields =
    ExampleFields { positional: "body_text", named: "body_text_named_params", is_nested: true };

pub(super) fn check_header(header: &Fields<'_>, rules: Rules) -> Result<(), Failure> {
    let sent = header.one_of("format", rules.shape.header_formats())?;
    if ["GIF", "PRODUCT"].contains(&sent) {
        rules.expect_marketing(&header.param("format"), &format!("a header of format {sent}"))?;
    }
    match sent {
        "TEXT" => {
            header.expect_only(&["type", "format", "text", "example"])?;
            let (sent, param) = (header.required_text("text")?, header.param("text"));
            line(sent, &param, HEADER_LENGTH)?;
            let variables = variables(sent, &param, rules.format)?;
            if variables.len() > HEADER_VARIABLES {
                let message =
                    format!("{param} may have {HEADER_VARIABLES} variable. This one has {}.", variables.len());
                return Err(Failure::invalid(&param, message));
            }
            check_examples(header, &variables, rules.format, &HEADER_EXAMPLES)
        }
        "LOCATION" | "PRODUCT" => header.expect_only(&["type", "format"]),
        _ => sample::check_header(header),
    }
}

/// Validates a body of at most `most` characters.
pub(super) fn check_body(body: &Fields<'_>, most: usize, format: ParameterFormat) -> Result<(), Failure> {
    body.expect_only(&["type", "text", "example"])?;
    let (sent, param) = (body.required_text("text")?, body.param("text"));
    text::message_text(sent, &param, most)?;
    let variables = variables(sent, &param, format)?;
    expect_text_around(sent, &param)?;
    check_examples(body, &variables, format, &BODY_EXAMPLES)
}

pub(super) fn check_footer(footer: &Fields<'_>) -> Result<(), Failure> {
    footer.expect_only(&["type", "text"])?;
    footer.plain_line("text", FOOTER_LENGTH).map(|_| ())
}
