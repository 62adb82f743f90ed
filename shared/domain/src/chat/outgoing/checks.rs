//! Validation of a message's parameters. Texts are sent as the caller wrote them: they are validated, never trimmed.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::{Failure, text};

/// The longest reference of a client, in characters.
pub const CLIENT_REFERENCE_LENGTH: usize = 255;

/// Validates the caller's own reference.
pub(crate) fn client_reference(reference: String) -> Result<String, Failure> {
    line(&reference, "clientReference", CLIENT_REFERENCE_LENGTH)?;
    Ok(reference)
}

/// Validates one line of 1 to `most` characters.
pub(super) fn line(value: &str, param: &str, most: usize) -> Result<(), Failure> {
    text::bounded(value, param, most)?;
    if value.chars().any(char::is_control) {
        return Err(Failure::invalid(param, format!("{param} must not contain control characters.")));
    }
    expect_length(value, param, most)
}

/// Validates a text of 1 to `most` characters, which may contain line breaks and tabs.
pub(super) fn lines(value: &str, param: &str, most: usize) -> Result<(), Failure> {
    text::message_text(value, param, most).map(|_| ())
}

/// Validates an identifier of 1 to `most` characters that the platform or a webhook returns unchanged.
pub(super) fn token(value: &str, param: &str, most: usize) -> Result<(), Failure> {
    line(value, param, most)?;
    if value.trim() != value {
        return Err(Failure::invalid(param, format!("{param} must not begin or end with white space.")));
    }
    Ok(())
}

/// Validates an https URL.
pub(super) fn url(value: &str, param: &str) -> Result<(), Failure> {
    token(value, param, text::STRING_LENGTH)?;
    text::https_url(value, param)?;
    if value.starts_with("https://") && value.is_ascii() {
        return Ok(());
    }
    let message =
        format!("{param} must begin with https:// in lower case, and be ASCII. Percent-encode other characters.");
    Err(Failure::invalid(param, message))
}

/// Applies a validation to an optional value.
pub(super) fn optional(
    value: Option<&String>,
    param: &str,
    check: impl Fn(&str, &str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    value.map_or(Ok(()), |value| check(value, param))
}

/// Validates the number of entries of a list.
pub(super) fn count(entries: usize, param: &str, allowed: &RangeInclusive<usize>) -> Result<(), Failure> {
    if allowed.contains(&entries) {
        return Ok(());
    }
    let (least, most) = (allowed.start(), allowed.end());
    Err(Failure::invalid(param, format!("{param} must have {least} to {most} entries. This one has {entries}.")))
}

/// Remembers a value that must be unique in its message.
pub(super) fn unique<'a>(seen: &mut BTreeSet<&'a str>, value: &'a str, param: &str) -> Result<(), Failure> {
    if seen.insert(value) {
        return Ok(());
    }
    Err(Failure::invalid(param, format!("{param} repeats the value of another entry. Make each unique.")))
}

fn expect_length(value: &str, param: &str, most: usize) -> Result<(), Failure> {
    let length = value.chars().count();
    if length <= most {
        return Ok(());
    }
    Err(Failure::invalid(param, format!("{param} may have at most {most} characters. This one has {length}.")))
}
