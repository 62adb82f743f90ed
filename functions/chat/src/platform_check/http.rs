use api::list::Filter;
use api::{Admin, Answer, Only, Rejection};
use axum::extract::State;
use domain::Failure;
use domain::chat::Finding;
use domain::id::{ChatBusinessProfileId, Identifier as _};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ChatContext;

/// The query parameter that limits the check to one profile.
pub(super) const PROFILE: &str = "profileId";

#[derive(Debug)]
pub(crate) struct ProfileFilter(ChatBusinessProfileId);

impl Filter for ProfileFilter {
    const NAME: &'static str = PROFILE;

    fn parse(text: &str) -> Result<Self, Failure> {
        ChatBusinessProfileId::in_param(text, PROFILE).map(ProfileFilter)
    }
}

/// The findings of the platform check.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlatformCheck {
    /// The installation first, then each profile followed by its numbers, the newest profile first.
    data: Vec<Finding>,
}

/// Check the connection to WhatsApp
///
/// Checks this installation's Meta app, the organization's WhatsApp accounts and their numbers, and returns the
/// problems that prevent or limit messages, with a remedy for each. Takes at most 25 seconds; a profile that was not
/// checked in this time gets a warning that says so. Nothing is changed or stored.
#[utoipa::path(get, path = "/v1/organization/chat/platform-check",
    operation_id = "organization.chat.platformCheck.get", tag = "WhatsApp accounts", security(("adminKey" = [])),
    params(("profileId" = Option<ChatBusinessProfileId>, Query, description = "Checks only this WhatsApp account and its numbers.")),
    responses((status = 200, description = "The findings", body = PlatformCheck),
        (status = 404, description = "No such business profile")))]
pub(crate) async fn check_platform(
    State(chat): State<ChatContext>,
    caller: Admin,
    only: Only<ProfileFilter>,
) -> Result<Answer<PlatformCheck>, Rejection> {
    let only = only.0.map(|filter| filter.0);
    Ok(Answer::ok(PlatformCheck { data: super::check(&chat, &caller, only.as_ref()).await? }))
}
