//! The phone numbers of an account: listing, verifying and registering them, their profiles, and the users that they
//! have blocked.
//!
//! An account lists its numbers. One is verified with a code that the platform sends to it. Then it is registered with
//! the platform's API, with a two-step PIN; from then on it sends and receives, until it is deregistered. Its profile is shown to people in the chat. Users are blocked several at a time, and
//! each succeeds or fails by itself. The simulated platform has up to three numbers per account, and keeps profiles and
//! blocked users in the table.

mod graph;
mod simulator;
mod wire;

use async_trait::async_trait;
use domain::chat::number_code::CodeMethod;
use domain::chat::{ChatUser, NumberProfile, NumberProfileChange, ReviewOutcome};
use domain::identity::credential::Secret;
use domain::{E164, Open};

use crate::error::PlatformResult;
use crate::lists::ListPage;
use crate::outcomes::Outcomes;
use crate::vault::AccessToken;

/// The part of the port that manages phone numbers.
#[async_trait]
pub trait NumberManagement: Send + Sync {
    /// Returns all phone numbers of an account.
    async fn phone_numbers(&self, token: &AccessToken, account: &str) -> PlatformResult<Vec<PlatformNumber>>;
    /// Returns whether a number is verified and in use.
    async fn number_standing(&self, token: &AccessToken, number: &str) -> PlatformResult<NumberStanding>;
    /// Lets the platform send a verification code to a number.
    async fn request_code(
        &self,
        token: &AccessToken,
        number: &str,
        method: CodeMethod,
        language: &str,
    ) -> PlatformResult<()>;
    /// Verifies a number with the code that was sent to it.
    async fn verify_code(&self, token: &AccessToken, number: &str, code: &Secret) -> PlatformResult<()>;
    /// Registers a number with the platform's API. The PIN must be the number's, if it has one.
    async fn register(&self, token: &AccessToken, number: &str, pin: &Secret) -> PlatformResult<()>;
    /// Sets the two-step PIN of a number. The platform does not ask for the previous one.
    async fn change_pin(&self, token: &AccessToken, number: &str, pin: &Secret) -> PlatformResult<()>;
    /// Ends the registration of a number with the platform's API.
    async fn deregister(&self, token: &AccessToken, number: &str) -> PlatformResult<()>;
    /// Returns the profile of a number.
    async fn number_profile(&self, token: &AccessToken, number: &str) -> PlatformResult<NumberProfile>;
    async fn change_number_profile(
        &self,
        token: &AccessToken,
        number: &str,
        change: &NumberProfileChange,
    ) -> PlatformResult<()>;
    /// Returns a page of the users that a number has blocked: their phone numbers, or the platform's user ids of those
    /// without one. `after` is the cursor of the previous page.
    async fn blocked_users(
        &self,
        token: &AccessToken,
        number: &str,
        limit: usize,
        after: Option<&str>,
    ) -> PlatformResult<ListPage<String>>;
    /// Blocks users, or unblocks them. Each succeeds or fails by itself.
    async fn change_blocked_users(
        &self,
        token: &AccessToken,
        number: &str,
        change: BlockChange,
        users: &[ChatUser],
    ) -> PlatformResult<Outcomes<ChatUser>>;
}

/// A phone number as the platform describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformNumber {
    pub id: String,
    pub display_phone_number: E164,
    /// Whether the owner has proved to have the number; `None` if the platform does not report it.
    pub is_verified: Option<bool>,
    /// Whether the number is registered with the platform's API; `None` if the platform does not report it.
    pub is_connected: Option<bool>,
    /// Whether the number is in use, through the API or an app.
    pub is_in_use: bool,
    /// Whether the number is in use in the platform's business app on a phone.
    pub is_on_business_app: bool,
    pub quality_rating: Option<String>,
    pub throughput_tier: Option<String>,
    /// The outcome of the display name's review.
    pub name_status: Option<Open<ReviewOutcome>>,
    pub verified_name: Option<String>,
}

impl PlatformNumber {
    /// The platform's name of the field with the outcome of the display name's review.
    pub const NAME_STATUS: &str = "name_status";

    /// Returns whether the number is verified and in use.
    pub fn standing(&self) -> NumberStanding {
        NumberStanding {
            is_verified: self.is_verified,
            is_connected: self.is_connected,
            is_in_use: self.is_in_use,
            is_on_business_app: self.is_on_business_app,
        }
    }
}

/// Whether a number is verified and in use, which decides what may be done with its registration. `None` stands for
/// what the platform does not report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumberStanding {
    pub is_verified: Option<bool>,
    /// Whether the number is registered with the platform's API.
    pub is_connected: Option<bool>,
    /// Whether the number is in use, through the API or an app.
    pub is_in_use: bool,
    /// Whether the number is in use in the platform's business app on a phone.
    pub is_on_business_app: bool,
}

/// Whether users are blocked or unblocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockChange {
    Block,
    Unblock,
}
