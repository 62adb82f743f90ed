//! The simulated platform of test mode. It makes no network calls; docs/test-mode.md describes its responses. The
//! folders of the subjects implement the port for it. This module has the shared parts: the state of the simulated
//! platform, and the errors that a caller requests by values in a request.

use std::time::Duration;

use domain::error::provider::Provider;
use domain::identity::credential::{Secret, hex};
use domain::port::random_bytes;
use domain::{Failure, Timestamp};
use ring::rand::SystemRandom;
use store::OrganizationStore;

use crate::error::{PlatformError, PlatformResult, failure_of_code};
use crate::inspection::SimulatedState;

/// The access token of every simulated profile.
pub const SIMULATED_TOKEN: &str = "simulated";
/// The two-step verification PIN of every simulated number.
pub const SIMULATED_PIN: &str = "000000";
/// How long after a contact's last message the simulated platform accepts messages other than templates.
pub(crate) const CONVERSATION_WINDOW: Duration = Duration::from_secs(24 * 3600);
pub(crate) const WINDOW_CLOSED: i64 = 131_047;
/// The number of digits in the platform's longest error code.
pub const LONGEST_CODE: usize = 7;
/// The fewest digits of an error code that ends a text.
const SHORTEST_CODE_IN_TEXT: usize = 3;
/// How the platform's codes for the verification and registration of numbers begin, such as 133005 and 136025.
const CODES_OF_NUMBERS: &str = "13";

/// The simulated platform. Its state is the number of template syncs of the profile, and the stored state of its
/// numbers.
pub struct Simulator {
    pub(crate) syncs: u32,
    /// Whether the business uses its numbers in the business app, too.
    pub(crate) is_coexistence: bool,
    /// The account in whose name messages are sent.
    pub(crate) account: Option<String>,
    pub(crate) memory: Option<Memory>,
    pub(crate) state: Option<SimulatedState>,
}

/// The stored state of the organization's numbers at the simulated platform.
pub(crate) struct Memory {
    pub(crate) organization: OrganizationStore,
    pub(crate) now: Timestamp,
}

impl Simulator {
    /// Returns the platform for a profile that has had this many syncs.
    pub fn new(syncs: u32) -> Self {
        Simulator { syncs, is_coexistence: false, account: None, memory: None, state: None }
    }

    /// Returns the platform with access to the stored state of the organization's numbers.
    #[must_use]
    pub fn remembering(self, organization: OrganizationStore, now: Timestamp) -> Self {
        Simulator { memory: Some(Memory { organization, now }), ..self }
    }

    /// Returns the platform of an account whose business uses its numbers in the business app, too, or of another one.
    #[must_use]
    pub(crate) fn in_coexistence(self, is_coexistence: bool) -> Self {
        Simulator { is_coexistence, ..self }
    }

    /// Returns the platform for messages of this account, which are sent with the account's templates.
    #[must_use]
    pub fn sending_for(self, account: &str) -> Self {
        Simulator { account: Some(account.to_owned()), ..self }
    }

    /// Returns the platform with the state of one account.
    #[must_use]
    pub(crate) fn knowing(self, state: SimulatedState) -> Self {
        Simulator { state: Some(state), ..self }
    }

    pub(crate) fn memory(&self) -> PlatformResult<&Memory> {
        self.memory.as_ref().ok_or_else(|| Failure::internal("the simulated platform remembers nothing here").into())
    }
}

/// Fails with the platform's error 131026 if the value ends in `-131026`, and likewise for other codes.
pub(crate) fn requested_error(value: &str) -> PlatformResult<()> {
    let digits = value.rsplit_once('-').map(|(_, code)| code).filter(|code| code.len() <= LONGEST_CODE);
    let code = digits.and_then(|code| code.parse().ok());
    code.map_or(Ok(()), |code: i64| Err(failure_of_code(code)))
}

/// Fails like [`requested_error`], but only with codes of three digits or more, because a text can end in `9-5`.
pub(crate) fn requested_error_in_text(text: &str) -> PlatformResult<()> {
    let has_code = text.rsplit_once('-').is_some_and(|(_, code)| code.len() >= SHORTEST_CODE_IN_TEXT);
    if has_code { requested_error(text) } else { Ok(()) }
}

/// Fails with the platform's error whose code the six digits of a verification code or a PIN are, if they begin like the
/// codes about numbers. Six digits have no room for the form of [`requested_error`].
pub(crate) fn requested_error_in_digits(digits: &Secret) -> PlatformResult<()> {
    let code = digits.expose().strip_prefix(CODES_OF_NUMBERS).and_then(|_| digits.expose().parse().ok());
    code.map_or(Ok(()), |code: i64| Err(failure_of_code(code)))
}

/// Accepts every id that consists of digits, as the platform's ids do.
pub(crate) fn require_account(account: &str) -> PlatformResult<()> {
    let is_id = (1..=20).contains(&account.len()) && account.bytes().all(|byte| byte.is_ascii_digit());
    if is_id { Ok(()) } else { Err(no_such_object()) }
}

/// Returns the error for an object that does not exist, or that the token has no permission for.
pub(crate) fn no_such_object() -> PlatformError {
    let message = "Unsupported request: no such object, or no permission for it (simulated).";
    PlatformError::Rejected(Provider::platform(100, message, None))
}

/// Returns a random part of an id or a link.
pub(crate) fn random_hex() -> String {
    hex(&random_bytes::<12>(&SystemRandom::new()))
}
