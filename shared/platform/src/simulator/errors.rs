//! The errors of the simulated platform: those that a caller requests by its values, and that for an unknown object.

use domain::provider::Provider;

use crate::error::PlatformResult;
use crate::{PlatformError, failure_of_code};

/// The number of digits in the platform's longest error code.
pub const LONGEST_CODE: usize = 7;
/// The fewest digits of an error code that ends a text.
const SHORTEST_CODE_IN_TEXT: usize = 3;

/// Fails with the platform's error 131026 if the value ends in `-131026`, and likewise for other codes.
pub(crate) fn requested_error(value: &str) -> PlatformResult<()> {
    let digits = value.rsplit_once('-').map(|(_, code)| code).filter(|code| code.len() <= LONGEST_CODE);
    let code = digits.and_then(|code| code.parse().ok());
    code.map_or(Ok(()), |code: i64| Err(failure_of_code(code)))
}

/// Fails like [`requested_error`], but only with codes of three digits or more: a text may end in `9-5`.
pub(crate) fn requested_error_in_text(text: &str) -> PlatformResult<()> {
    let has_code = text.rsplit_once('-').is_some_and(|(_, code)| code.len() >= SHORTEST_CODE_IN_TEXT);
    if has_code { requested_error(text) } else { Ok(()) }
}

/// Accepts every id that consists of digits, as the platform's ids do.
pub(super) fn require_account(account: &str) -> PlatformResult<()> {
    let is_id = (1..=20).contains(&account.len()) && account.bytes().all(|byte| byte.is_ascii_digit());
    if is_id { Ok(()) } else { Err(PlatformError::Rejected(no_such_object())) }
}

/// Returns the error for an object that does not exist, or that the token has no permission for.
pub(super) fn no_such_object() -> Provider {
    Provider::platform(100, "Unsupported request: no such object, or no permission for it (simulated).", None)
}
