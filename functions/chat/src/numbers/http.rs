use api::idempotency::Planned;
use api::{
    Admin, Answer, Claim, Deferred, FilteredList, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection,
    app_ids,
};
use axum::extract::State;
use axum::response::Response;
use domain::id::{AppId, ChatBusinessProfileId, ChatPhoneNumberId};
use domain::schema::PlatformId;
use domain::{E164, Failure};
use http::StatusCode;
use runtime::Context;
use serde::Deserialize;
use store::Change;
use utoipa::ToSchema;
use views::ChatPhoneNumberView;

use super::platform_id;
use super::register::{self, Registration};
use crate::ChatContext;

/// The number to register.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegisterChatPhoneNumber {
    #[schema(value_type = E164)]
    display_phone_number: String,
    /// The platform's id of the number.
    #[schema(value_type = PlatformId)]
    provider_phone_number_id: String,
    /// A business account of the organization's profiles.
    #[schema(value_type = PlatformId)]
    provider_business_account_id: String,
    /// Apps to assign the number to, at most 40.
    #[schema(value_type = Option<Vec<AppId>>, max_items = 40)]
    app_ids: Option<Vec<String>>,
}

impl Input for RegisterChatPhoneNumber {
    const REQUIRED: &'static [&'static str] =
        &["displayPhoneNumber", "providerPhoneNumberId", "providerBusinessAccountId"];
    type Checked = Registration;

    fn check(self, _context: &Context) -> Result<Registration, Failure> {
        Ok(Registration {
            display_phone_number: E164::in_field(&self.display_phone_number, "displayPhoneNumber")?,
            provider_phone_number_id: platform_id(&self.provider_phone_number_id, "providerPhoneNumberId")?,
            provider_business_account_id: platform_id(&self.provider_business_account_id, "providerBusinessAccountId")?,
            app_ids: app_ids::parse(&self.app_ids.unwrap_or_default())?,
        })
    }
}

/// List chat phone numbers
#[utoipa::path(get, path = "/v1/organization/chat/phone-numbers", tag = "Chat",
    security(("adminKey" = []), ("session" = [])),
    params(ListQuery, ("chatBusinessProfileId" = Option<ChatBusinessProfileId>, Query)),
    responses((status = 200, description = "A page of numbers", body = List<ChatPhoneNumberView>),
        (status = 404, description = "There is no such business profile")))]
pub(crate) async fn list_chat_phone_numbers(
    State(chat): State<ChatContext>,
    claim: Claim<OrgMember>,
    list: Deferred<FilteredList<ChatBusinessProfileId>>,
) -> Result<Answer<List<ChatPhoneNumberView>>, Rejection> {
    let read = claim.with(list, |reads, list| async move { super::listed(&reads, list).await });
    let (caller, found) = read.await?;
    Ok(Answer::ok(super::list(&chat, &caller, found).await?))
}

/// Register chat phone number
///
/// Takes a number of a connected account and registers it with the platform, unless it is in use on the business app, not
/// verified, or was tried five times in 72 hours: then it stays `cloudApiRegistered: false`. A known number that is not
/// registered yet is tried again (200); one that is registered is 409.
#[utoipa::path(post, path = "/v1/organization/chat/phone-numbers", tag = "Chat", security(("adminKey" = [])),
    request_body = RegisterChatPhoneNumber,
    responses((status = 201, description = "The number", body = ChatPhoneNumberView),
        (status = 200, description = "A known number, registered now", body = ChatPhoneNumberView),
        (status = 404, description = "No business profile of the organization has this account, or there is no such app"),
        (status = 409, description = "The number is registered already, or belongs to another organization"),
        (status = 422, description = "The platform refused what was asked"),
        (status = 502, description = "The platform failed")))]
pub(crate) async fn register_chat_phone_number(
    State(chat): State<ChatContext>,
    caller: Admin,
    once: Once,
    body: Json<RegisterChatPhoneNumber>,
) -> Result<Response, Rejection> {
    let attempt = match once.begin(&chat.context, body.fingerprint).await {
        Ok(attempt) => attempt,
        Err(answer) => return Ok(*answer),
    };
    let registered = async {
        let registered = register::perform(&chat, &caller, &body.input).await?;
        let status = if registered.is_new { StatusCode::CREATED } else { StatusCode::OK };
        let view = super::view(&chat, &caller.organization, registered.number).await?;
        Ok(Planned { change: Change::new(&caller.organization), answer: Answer { status, body: view } })
    };
    attempt.finish(registered.await).await
}

/// Get a chat phone number
#[utoipa::path(get, path = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}", tag = "Chat",
    security(("adminKey" = []), ("session" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path)),
    responses((status = 200, description = "The number", body = ChatPhoneNumberView)))]
pub(crate) async fn get_chat_phone_number(
    State(chat): State<ChatContext>,
    claim: Claim<OrgMember>,
    path: Deferred<Path<(ChatPhoneNumberId,)>>,
) -> Result<Answer<ChatPhoneNumberView>, Rejection> {
    let read = claim.with(path, |reads, Path((id,))| async move { reads.chat_phone_number(&id).await });
    let (caller, number) = read.await?;
    Ok(Answer::ok(super::shown(&chat, &caller, number).await?))
}
