//! The failure for a parameter that does not match its template, and the comparisons that both forms of parameters share.

use std::collections::BTreeSet;

use domain::{ErrorCode, Failure};

use super::expected::ExpectedButton;

pub(super) fn mismatch(param: &str, message: String) -> Failure {
    Failure::of_code(ErrorCode::TemplateParameterMismatch, message).with_param(param)
}

/// Validates that the template has a button of this kind at this index.
pub(super) fn check_button(
    index: i64,
    kind: &str,
    expected: &[Option<ExpectedButton>],
    index_param: &str,
    kind_param: &str,
) -> Result<(), Failure> {
    let Some(button) = usize::try_from(index).ok().and_then(|index| expected.get(index)) else {
        let message =
            format!("{index_param} is not expected: this template has {} buttons, counted from 0.", expected.len());
        return Err(mismatch(index_param, message));
    };
    match button {
        Some(button) if button.kind != kind => {
            let message =
                format!("{kind_param} is not expected: button {index} of this template is of kind {}.", button.kind);
            Err(mismatch(kind_param, message))
        }
        Some(button) if kind == "url" && !button.is_required => Err(mismatch(
            kind_param,
            format!("{kind_param} is not expected: the URL of button {index} has no variable."),
        )),
        _ => Ok(()),
    }
}

pub(super) fn expect_required(
    given: BTreeSet<i64>,
    expected: &[Option<ExpectedButton>],
    at: &str,
) -> Result<(), Failure> {
    for (index, button) in (0_i64..).zip(expected) {
        if let Some(button) = button.as_ref().filter(|button| button.is_required && !given.contains(&index)) {
            let message =
                format!("{at} must have a parameter for button {index} of this template, of kind {}.", button.kind);
            return Err(mismatch(at, message));
        }
    }
    Ok(())
}

/// Fails if a message has another number of cards than its template.
pub(super) fn expect_count(given: usize, expected: Option<usize>, at: &str) -> Result<(), Failure> {
    match expected {
        Some(expected) if expected != given => {
            let message =
                format!("{at} must have {expected} entries, the cards of this template. This one has {given}.");
            Err(mismatch(at, message))
        }
        _ => Ok(()),
    }
}
