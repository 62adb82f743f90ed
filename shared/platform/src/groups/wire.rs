//! The responses about groups.

use std::collections::HashMap;

use domain::{E164, Timestamp};
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::{Decided, JoinRequest};
use crate::error::PlatformError;
use crate::graph::id;
use crate::outcomes::{Outcomes, Part, PartError};

#[derive(Deserialize)]
pub(super) struct GroupResponse {
    pub(super) request_id: String,
}

#[derive(Deserialize)]
pub(super) struct InviteLinkResponse {
    pub(super) invite_link: String,
}

/// A request to join a group.
#[derive(Deserialize)]
pub(super) struct JoinRequestResponse {
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
pub(super) struct DecisionResponse {
    #[serde(default)]
    approved_join_requests: Vec<DecidedRequest>,
    #[serde(default)]
    rejected_join_requests: Vec<DecidedRequest>,
    #[serde(default)]
    failed_join_requests: Vec<Part>,
    /// The reasons why the whole request failed.
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
    pub(super) fn has_outcomes(&self) -> bool {
        let decided = [&self.approved_join_requests, &self.rejected_join_requests];
        decided.iter().any(|requests| !requests.is_empty()) || !self.failed_join_requests.is_empty()
    }

    /// Returns the error of the whole request, if the response lists one.
    pub(super) fn error(self, secrets: &[&str]) -> Option<PlatformError> {
        self.errors.into_iter().next().map(|error| error.platform_error(secrets))
    }

    /// Returns the outcome of each request, in the order in which they were sent.
    pub(super) fn outcomes(self, requests: &[String], status: StatusCode, secrets: &[&str]) -> Outcomes<Decided> {
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
