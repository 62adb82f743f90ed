//! The profiles of chat phone numbers.

use api::{Admin, Answer, Claim, Deferred, Input, Json, OrgMember, Path, Rejection};
use axum::extract::State;
use domain::chat::number_profile::{
    ABOUT_LENGTH, ADDRESS_LENGTH, EMAIL_LENGTH, PROFILE_DESCRIPTION_LENGTH, Vertical, WEBSITE_LENGTH, WEBSITES,
};
use domain::chat::{NumberProfile, NumberProfileChange};
use domain::id::{ChatPhoneNumberId, Identifier as _, MediaId};
use domain::schema::{Line, OptionalEmailAddress, OptionalLines, WebsiteUrl};
use domain::{Failure, text};
use runtime::Context;
use serde::Deserialize;
use utoipa::ToSchema;

use super::profile::{self, PICTURE, Wanted};
use crate::ChatContext;

/// The fields to change, at least one. Absent fields keep their values.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UpdateChatNumberProfile, min_properties = 1)]
pub(crate) struct UpdateNumberProfile {
    /// The line below the name.
    #[schema(inline, value_type = Option<Line<{ ABOUT_LENGTH }>>)]
    about: Option<String>,
    /// An empty string removes the address.
    #[schema(inline, value_type = Option<OptionalLines<{ ADDRESS_LENGTH }>>)]
    address: Option<String>,
    /// An empty string removes the description.
    #[schema(inline, value_type = Option<OptionalLines<{ PROFILE_DESCRIPTION_LENGTH }>>)]
    description: Option<String>,
    /// An empty string removes the email address.
    #[schema(value_type = Option<OptionalEmailAddress>)]
    email: Option<String>,
    /// An empty list removes all websites.
    #[schema(value_type = Option<Vec<WebsiteUrl>>, max_items = 2)]
    websites: Option<Vec<String>>,
    vertical: Option<Vertical>,
    /// A JPEG or PNG that an app of the organization has uploaded as media; ideally square, with sides of at least 640
    /// pixels.
    #[schema(value_type = Option<MediaId>)]
    profile_picture_media_id: Option<String>,
}

impl Input for UpdateNumberProfile {
    const AT_LEAST_ONE: bool = true;
    type Checked = Wanted;

    fn check(self, _context: &Context) -> Result<Wanted, Failure> {
        let lines = |sent: Option<String>, param: &str, most| {
            sent.map(|sent| text::optional_lines(&sent, param, most)).transpose()
        };
        let picture = self.profile_picture_media_id.map(|id| MediaId::in_param(&id, PICTURE)).transpose()?;
        let change = NumberProfileChange {
            about: self.about.map(|about| text::bounded(&about, "about", ABOUT_LENGTH)).transpose()?,
            address: lines(self.address, "address", ADDRESS_LENGTH)?,
            description: lines(self.description, "description", PROFILE_DESCRIPTION_LENGTH)?,
            email: self.email.map(|email| optional_email(&email)).transpose()?,
            websites: self.websites.map(|websites| checked_websites(&websites)).transpose()?,
            vertical: self.vertical,
            picture_handle: None,
        };
        Ok(Wanted { change, picture })
    }
}

fn optional_email(sent: &str) -> Result<String, Failure> {
    match sent {
        "" => Ok(String::new()),
        email => text::email(email, "email", EMAIL_LENGTH),
    }
}

fn checked_websites(sent: &[String]) -> Result<Vec<String>, Failure> {
    if sent.len() > WEBSITES {
        let message =
            format!("websites may hold at most {WEBSITES} URLs, WhatsApp's limit. This one has {}.", sent.len());
        return Err(Failure::invalid("websites", message));
    }
    let checked =
        |(index, website): (usize, &String)| text::website(website, &format!("websites[{index}]"), WEBSITE_LENGTH);
    sent.iter().enumerate().map(checked).collect()
}

/// Get the public profile of a WhatsApp number
///
/// Returns the profile that users see in a chat with the number, as WhatsApp has it now.
#[utoipa::path(get, path = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/business-profile",
    operation_id = "organization.chat.phoneNumbers.businessProfile.get", tag = "Numbers",
    security(("adminKey" = []), ("session" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path)),
    responses((status = 200, description = "The profile", body = NumberProfile),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn get_number_profile(
    State(chat): State<ChatContext>,
    claim: Claim<OrgMember>,
    path: Deferred<Path<(ChatPhoneNumberId,)>>,
) -> Result<Answer<NumberProfile>, Rejection> {
    let read = claim.with(path, |reads, Path((id,))| async move { reads.chat_phone_number(&id).await });
    let (caller, number) = read.await?;
    Ok(Answer::ok(profile::get(&chat, &caller, number).await?))
}

/// Update the public profile of a WhatsApp number
///
/// Changes the profile that users see in a chat with the number, and returns it as WhatsApp has it after the change.
/// The limits are WhatsApp's.
#[utoipa::path(patch, path = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/business-profile",
    operation_id = "organization.chat.phoneNumbers.businessProfile.update", tag = "Numbers",
    security(("adminKey" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path)),
    request_body = UpdateNumberProfile,
    responses((status = 200, description = "The profile", body = NumberProfile),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn update_number_profile(
    State(chat): State<ChatContext>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(ChatPhoneNumberId,)>, Json<UpdateNumberProfile>)>,
) -> Result<Answer<NumberProfile>, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), body)| async move {
        let number = reads.chat_phone_number(&id).await?;
        Ok((body, number))
    });
    let (caller, (body, number)) = read.await?;
    Ok(Answer::ok(profile::change(&chat, &caller, number, &body.input).await?))
}
