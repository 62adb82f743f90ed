//! Onboarding links: a customer opens one to connect an account to the organization.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::id::{ChatBusinessProfileId, Identifier as _, OnboardingLinkId};
use crate::identity::credential::Secret;
use crate::time::in_hours;
use crate::{Failure, Timestamp, text};

/// The maximum number of open links per organization.
pub const OPEN_LINKS_PER_ORGANIZATION: usize = 100;
/// How long a link can be open at least, in seconds.
pub const SHORTEST_SECONDS: u64 = 900;
/// How long a link can be open at most, in seconds.
pub const LONGEST_SECONDS: u64 = 2_592_000;
/// How long a link is open by default, in seconds.
pub const DEFAULT_SECONDS: u64 = 86_400;
/// The longest `state`, in characters.
pub const STATE_LENGTH: usize = 512;
/// The largest `metadata`, in bytes of JSON.
pub const METADATA_BYTES: usize = 10 * 1024;
/// How long the connection of an account can be continued: as long as a signup is kept before the sweep abandons it.
pub const CONNECTING: Duration = Duration::from_secs(24 * 3600);
/// How many codes the platform may refuse before a link fails.
pub const REFUSED_CODES: u32 = 5;
/// How long a link is kept after its expiry.
pub const KEPT: Duration = Duration::from_secs(30 * 86_400);

/// The status of an onboarding link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = OnboardingLinkStatus)]
pub enum LinkStatus {
    Pending,
    /// An account was connected.
    Completed,
    /// The account could not be connected, or its connection was not continued. A new link is required.
    Failed,
    Expired,
    Cancelled,
}

impl LinkStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            LinkStatus::Pending => "PENDING",
            LinkStatus::Completed => "COMPLETED",
            LinkStatus::Failed => "FAILED",
            LinkStatus::Expired => "EXPIRED",
            LinkStatus::Cancelled => "CANCELLED",
        }
    }
}

/// The code for failures that have no code of their own.
const UNNAMED_ERROR: &str = "signup_failed";

/// Why the account could not be connected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = OnboardingLinkError)]
pub struct LinkError {
    /// The code of the error, or `signup_failed` if it has none.
    pub code: String,
    /// A description of the error.
    pub message: String,
}

impl LinkError {
    /// Returns the error of a connection that has begun, and was not continued in time.
    fn abandoned() -> Self {
        let hours = in_hours(CONNECTING);
        let message = format!("The connection stopped before its end, and was not continued within {hours} hours.");
        LinkError { code: UNNAMED_ERROR.to_owned(), message }
    }

    pub fn of(failure: &Failure) -> Self {
        let code = failure.code().map_or(UNNAMED_ERROR, |code| code.as_str()).to_owned();
        LinkError { code, message: failure.message().to_owned() }
    }
}

/// The latest attempt to sign up with a link. All secrets are stored as SHA-256.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkAttempt {
    /// The hash of the OAuth `state`.
    pub state_hash: String,
    /// The hash of the cookie of the browser that began the attempt.
    pub browser_hash: String,
    /// The hash of the first code that came with the state. The state is valid for no other code.
    pub code_hash: Option<String>,
    /// Until when a request is connecting the account.
    pub running_until: Option<Timestamp>,
    /// Why the account could not be connected, as JSON: the response to each repetition of the request. The link can be used
    /// for another signup.
    pub refusal: Option<String>,
}

impl LinkAttempt {
    /// Returns whether state and cookie belong to the attempt. Only digests are compared, so the duration reveals
    /// nothing about the values.
    pub fn is_of(&self, state: &Secret, browser: &Secret) -> bool {
        self.state_hash == state.sha256() && self.browser_hash == browser.sha256()
    }
}

/// An onboarding link. Its token is not stored.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OnboardingLink {
    pub id: OnboardingLinkId,
    pub success_url: String,
    pub failure_url: String,
    pub state: Option<String>,
    /// The metadata as text. DynamoDB would limit the numbers and the nesting of an object.
    pub metadata_text: Option<String>,
    /// The metadata of links of an earlier release.
    #[serde(rename = "metadata")]
    pub earlier_metadata: Option<Map<String, Value>>,
    pub is_coexistence: bool,
    /// The hexadecimal SHA-256 of the token, under which its credential is stored.
    pub token_hash: String,
    /// The stored status, which does not become `EXPIRED`: see [`OnboardingLink::status_at`].
    pub status: LinkStatus,
    pub profile_id: Option<ChatBusinessProfileId>,
    pub error: Option<LinkError>,
    pub attempt: Option<LinkAttempt>,
    /// How many codes were refused.
    #[serde(default)]
    pub refused_codes: u32,
    /// Until when the connection can be continued. Set before an account is connected, and removed when the outcome is
    /// stored. Until then the link neither expires nor can be cancelled, because the account may be half connected.
    pub connecting_until: Option<Timestamp>,
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
    pub revision: u64,
}

impl OnboardingLink {
    pub fn metadata(&self) -> Result<Option<Map<String, Value>>, Failure> {
        match &self.metadata_text {
            Some(text) => serde_json::from_str(text).map(Some).map_err(Failure::internal),
            None => Ok(self.earlier_metadata.clone()),
        }
    }

    pub fn status_at(&self, now: Timestamp) -> LinkStatus {
        match (self.status, self.connecting_until) {
            (LinkStatus::Pending, Some(until)) if until <= now => LinkStatus::Failed,
            (LinkStatus::Pending, None) if self.expires_at <= now => LinkStatus::Expired,
            (status, _) => status,
        }
    }

    /// Returns why no account was connected, if the status is `FAILED`.
    pub fn error_at(&self, now: Timestamp) -> Option<LinkError> {
        (self.status_at(now) == LinkStatus::Failed).then(|| self.error.clone().unwrap_or_else(LinkError::abandoned))
    }

    /// Returns whether an account may be half connected with the link.
    pub fn is_connecting(&self, now: Timestamp) -> bool {
        self.status == LinkStatus::Pending && self.connecting_until.is_some_and(|until| until > now)
    }

    /// Returns the link with the account that was connected with it.
    #[must_use]
    pub fn completed(&self, profile_id: &ChatBusinessProfileId) -> Self {
        let profile_id = Some(profile_id.clone());
        OnboardingLink { status: LinkStatus::Completed, profile_id, ..self.settled() }
    }

    /// Returns the link after an account could not be connected with a code: it can be used for another signup, unless too
    /// many codes were refused. `refusal` is the response to the request and its repetitions, as JSON.
    #[must_use]
    pub fn refused(&self, failure: &Failure, refusal: String) -> Self {
        let after = OnboardingLink { refused_codes: self.refused_codes + 1, ..self.settled() };
        if after.refused_codes >= REFUSED_CODES {
            return OnboardingLink { status: LinkStatus::Failed, error: Some(LinkError::of(failure)), ..after };
        }
        let attempt = after.attempt.clone().map(|attempt| LinkAttempt { refusal: Some(refusal), ..attempt });
        OnboardingLink { attempt, ..after }
    }

    /// Returns the link after the end of a request that connected an account.
    #[must_use]
    pub fn settled(&self) -> Self {
        let attempt = self.attempt.clone().map(|attempt| LinkAttempt { running_until: None, ..attempt });
        OnboardingLink { attempt, connecting_until: None, revision: self.revision + 1, ..self.clone() }
    }

    /// Returns whether a request is connecting the account.
    pub fn is_running(&self, now: Timestamp) -> bool {
        self.attempt.as_ref().and_then(|attempt| attempt.running_until).is_some_and(|until| until > now)
    }

    /// Returns when the link is removed from the table.
    pub fn kept_until(&self) -> Timestamp {
        self.expires_at.plus(KEPT)
    }

    /// Returns the URL that the person is sent to; `None` while the link is open. The creator's URL gets the parameters
    /// `id`, `state` and, if no account was connected, `error`.
    pub fn continue_url(&self, now: Timestamp) -> Option<String> {
        let error = match self.status_at(now) {
            LinkStatus::Pending => return None,
            LinkStatus::Completed => None,
            LinkStatus::Failed => self.error_at(now).map(|error| error.code),
            LinkStatus::Expired => Some("expired".to_owned()),
            LinkStatus::Cancelled => Some("cancelled".to_owned()),
        };

        let mut url = text::absolute_url(if error.is_some() { &self.failure_url } else { &self.success_url })?;
        let mut query = url.query_pairs_mut();
        query.append_pair("id", self.id.as_str());
        for (name, value) in [("state", self.state.as_deref()), ("error", error.as_deref())] {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        drop(query);
        Some(url.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(status: LinkStatus) -> OnboardingLink {
        OnboardingLink {
            id: "onb_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id"),
            success_url: "https://example.com/done?a=b".to_owned(),
            failure_url: "https://example.com/failed".to_owned(),
            state: Some("x&y=z".to_owned()),
            metadata_text: None,
            earlier_metadata: None,
            is_coexistence: false,
            token_hash: String::new(),
            status,
            profile_id: None,
            error: None,
            attempt: None,
            refused_codes: 0,
            connecting_until: None,
            expires_at: Timestamp::from_millis(2_000),
            created_at: Timestamp::from_millis(1_000),
            revision: 1,
        }
    }

    #[test]
    fn a_link_expires_by_itself_and_only_while_it_is_open() {
        let status = |status, millis| link(status).status_at(Timestamp::from_millis(millis));
        assert_eq!(status(LinkStatus::Pending, 1_999), LinkStatus::Pending);
        assert_eq!(status(LinkStatus::Pending, 2_000), LinkStatus::Expired);
        assert_eq!(status(LinkStatus::Completed, 2_000), LinkStatus::Completed);
    }

    #[test]
    fn a_link_with_a_half_connected_account_fails_instead_of_expiring() {
        let connecting_until = Some(Timestamp::from_millis(3_000));
        let connecting = OnboardingLink { connecting_until, ..link(LinkStatus::Pending) };
        let at = |millis| {
            (
                connecting.status_at(Timestamp::from_millis(millis)),
                connecting.error_at(Timestamp::from_millis(millis)).map(|error| error.code),
            )
        };
        assert_eq!(at(2_000), (LinkStatus::Pending, None));
        assert_eq!(at(3_000), (LinkStatus::Failed, Some(UNNAMED_ERROR.to_owned())));
        assert_eq!(connecting.settled().status_at(Timestamp::from_millis(3_000)), LinkStatus::Expired);
    }

    #[test]
    fn the_continue_url_has_state_id_and_error() {
        let url = |status, millis| link(status).continue_url(Timestamp::from_millis(millis));
        let id = "id=onb_0ujtsYcgvSTl8PAuAdqWYSMnLOv&state=x%26y%3Dz";
        assert_eq!(url(LinkStatus::Pending, 1_000), None);
        assert_eq!(url(LinkStatus::Completed, 1_000), Some(format!("https://example.com/done?a=b&{id}")));
        assert_eq!(url(LinkStatus::Pending, 2_000), Some(format!("https://example.com/failed?{id}&error=expired")));
        assert_eq!(url(LinkStatus::Cancelled, 1_000), Some(format!("https://example.com/failed?{id}&error=cancelled")));
        assert_eq!(
            url(LinkStatus::Failed, 1_000),
            Some(format!("https://example.com/failed?{id}&error=signup_failed"))
        );
    }
}
