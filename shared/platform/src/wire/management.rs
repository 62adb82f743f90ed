//! The responses of the management operations.

use std::collections::HashMap;

use domain::chat::NumberProfile;
use domain::{E164, Timestamp};
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::{ErrorResponse, GraphError, id};
use crate::error::{PlatformError, reported};
use crate::management::{Decided, JoinRequest, Outcomes};

pub(crate) const PROFILE_FIELDS: &str = "about,address,description,email,profile_picture_url,websites,vertical";

/// A user in the list of those that a number has blocked.
#[derive(Deserialize)]
pub(crate) struct BlockedUser {
    wa_id: Option<String>,
    user_id: Option<String>,
}

impl BlockedUser {
    /// Returns the user's phone number, else the platform's id of the user; `None` if the platform names neither.
    pub(crate) fn name(self) -> Option<String> {
        let number = self.wa_id.as_deref().and_then(E164::from_digits_in);
        number.map(|number| number.to_string()).or(self.user_id).or(self.wa_id)
    }
}

/// The response to a request to block or unblock users.
#[derive(Deserialize)]
pub(crate) struct BlockResponse {
    block_users: BlockOutcomes,
}

#[derive(Deserialize)]
struct BlockOutcomes {
    #[serde(default)]
    added_users: Vec<Named>,
    #[serde(default)]
    removed_users: Vec<Named>,
    #[serde(default)]
    failed_users: Vec<Named>,
}

/// A part of a request, with what the platform says against it.
#[derive(Deserialize)]
struct Named {
    #[serde(alias = "join_request_id", deserialize_with = "id")]
    input: String,
    #[serde(default)]
    errors: Vec<PartError>,
}

#[derive(Deserialize)]
struct PartError {
    code: Option<i64>,
    #[serde(default)]
    message: String,
    error_data: Option<ErrorData>,
}

#[derive(Deserialize)]
struct ErrorData {
    details: Option<String>,
}

impl PartError {
    fn platform_error(self, secrets: &[&str]) -> PlatformError {
        let message = match self.error_data.and_then(|data| data.details) {
            Some(details) => format!("{}: {details}", self.message),
            None => self.message,
        };
        let error = GraphError { code: self.code, message, error_user_msg: None, fbtrace_id: None };
        let status = StatusCode::BAD_REQUEST;
        reported(ErrorResponse { error }.provider(status.as_u16(), secrets), status)
    }
}

impl Named {
    /// Returns why the part failed. `status` is the HTTP status of the response.
    fn failure(self, status: StatusCode, secrets: &[&str]) -> PlatformError {
        let error = self.errors.into_iter().next().map(|error| error.platform_error(secrets));
        error.unwrap_or_else(|| PlatformError::unreadable(status.as_u16()))
    }
}

impl BlockResponse {
    /// Returns whether the response names a user, and is not an error only.
    pub(crate) fn has_outcomes(&self) -> bool {
        let BlockOutcomes { added_users, removed_users, failed_users } = &self.block_users;
        [added_users, removed_users, failed_users].iter().any(|users| !users.is_empty())
    }

    /// Returns what became of each user, in the order of the request.
    pub(crate) fn outcomes(self, users: &[E164], status: StatusCode, secrets: &[&str]) -> Outcomes<E164> {
        let BlockOutcomes { added_users, removed_users, failed_users } = self.block_users;
        let number = |named: &Named| E164::from_digits_in(&named.input);
        let done = added_users.iter().chain(&removed_users).filter_map(|named| Some((number(named)?, Ok(()))));
        let mut outcomes: HashMap<E164, Result<(), PlatformError>> = done.collect();
        for failed in failed_users {
            let Some(user) = number(&failed) else { continue };
            outcomes.insert(user, Err(failed.failure(status, secrets)));
        }
        let unreported = || Err(PlatformError::unreadable(status.as_u16()));
        users.iter().map(|user| (user.clone(), outcomes.remove(user).unwrap_or_else(unreported))).collect()
    }
}

/// The profile of a number. The platform leaves out what is not set, or sends it empty.
#[derive(Deserialize)]
pub(crate) struct ProfileResponse {
    about: Option<String>,
    address: Option<String>,
    description: Option<String>,
    email: Option<String>,
    websites: Option<Vec<String>>,
    vertical: Option<String>,
    profile_picture_url: Option<String>,
}

impl From<ProfileResponse> for NumberProfile {
    fn from(response: ProfileResponse) -> Self {
        let set = |text: Option<String>| text.filter(|text| !text.is_empty());
        NumberProfile {
            about: set(response.about),
            address: set(response.address),
            description: set(response.description),
            email: set(response.email),
            websites: response.websites.unwrap_or_default(),
            vertical: set(response.vertical),
            profile_picture_url: set(response.profile_picture_url),
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct InviteLinkResponse {
    pub(crate) invite_link: String,
}

/// A request to join a group.
#[derive(Deserialize)]
pub(crate) struct JoinRequestResponse {
    #[serde(deserialize_with = "id")]
    join_request_id: String,
    wa_id: Option<String>,
    user_id: Option<String>,
    /// Seconds since 1970, as a number or as text.
    creation_timestamp: Option<Value>,
}

impl From<JoinRequestResponse> for JoinRequest {
    fn from(response: JoinRequestResponse) -> Self {
        let seconds = response.creation_timestamp.and_then(|at| at.as_i64().or_else(|| at.as_str()?.parse().ok()));
        JoinRequest {
            id: response.join_request_id,
            phone_number: response.wa_id.as_deref().and_then(E164::from_digits_in),
            user_id: response.user_id,
            created_at: seconds.map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000))),
        }
    }
}

/// The response to a decision about requests to join a group.
#[derive(Deserialize)]
pub(crate) struct DecisionResponse {
    #[serde(default)]
    approved_join_requests: Vec<DecidedRequest>,
    #[serde(default)]
    rejected_join_requests: Vec<DecidedRequest>,
    #[serde(default)]
    failed_join_requests: Vec<Named>,
    /// Why the whole request failed.
    #[serde(default)]
    errors: Vec<PartError>,
}

/// The platform's documentation shows ids, but failed requests as objects; both are read.
#[derive(Deserialize)]
#[serde(untagged)]
enum DecidedRequest {
    Id(String),
    Object { join_request_id: String },
}

impl DecisionResponse {
    /// Returns whether the response names a request, and is not an error only.
    pub(crate) fn has_outcomes(&self) -> bool {
        let decided = [&self.approved_join_requests, &self.rejected_join_requests];
        decided.iter().any(|requests| !requests.is_empty()) || !self.failed_join_requests.is_empty()
    }

    /// Returns why the whole request failed, if the response says so in its list of errors.
    pub(crate) fn error(self, secrets: &[&str]) -> Option<PlatformError> {
        self.errors.into_iter().next().map(|error| error.platform_error(secrets))
    }

    /// Returns what became of each request, in the order in which they were sent.
    pub(crate) fn outcomes(self, requests: &[String], status: StatusCode, secrets: &[&str]) -> Outcomes<Decided> {
        let decided = self.approved_join_requests.into_iter().chain(self.rejected_join_requests);
        let done = decided.map(|decided| match decided {
            DecidedRequest::Id(id) | DecidedRequest::Object { join_request_id: id } => (id, Ok(())),
        });
        let mut outcomes: HashMap<String, Result<(), PlatformError>> = done.collect();
        for failed in self.failed_join_requests {
            outcomes.insert(failed.input.clone(), Err(failed.failure(status, secrets)));
        }
        let unreported = || Err(PlatformError::unreadable(status.as_u16()));
        let decided = |request: &String| {
            let outcome = outcomes.remove(request).unwrap_or_else(unreported);
            (Decided { request: request.clone(), joined: None }, outcome)
        };
        requests.iter().map(decided).collect()
    }
}
