use api::idempotency::Planned;
use api::{
    Admin, Answer, Claim, Deferred, FilteredList, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection,
    app_ids,
};
use axum::extract::State;
use axum::response::Response;
use domain::chat::number_code::six_digits;
use domain::id::{AppId, ChatBusinessProfileId, ChatPhoneNumberId};
use domain::schema::{PlatformId, TwoStepPin};
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

/// The WhatsApp number to register.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegisterChatPhoneNumber {
    /// The phone number, as WhatsApp lists it.
    #[schema(value_type = E164)]
    display_phone_number: String,
    /// The id of the phone number at WhatsApp.
    #[schema(value_type = PlatformId)]
    provider_phone_number_id: String,
    /// The id of the WhatsApp Business Account (WABA) that the number belongs to. It must be connected to the
    /// organization.
    #[schema(value_type = PlatformId)]
    provider_business_account_id: String,
    /// Apps to assign the number to, at most 40; none by default.
    #[schema(value_type = Option<Vec<AppId>>, max_items = 40)]
    app_ids: Option<Vec<String>>,
    /// The two-step PIN that the number has at WhatsApp, or shall get if it has none. It is kept and used for later
    /// registrations. By default, the number's stored PIN is used, or a random one.
    #[schema(value_type = Option<TwoStepPin>)]
    pin: Option<String>,
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
            pin: self.pin.map(|pin| six_digits(&pin, "pin")).transpose()?,
        })
    }
}

/// List WhatsApp numbers
///
/// Returns the organization's WhatsApp numbers, newest first; with `chatBusinessProfileId`, those of one WhatsApp
/// account.
#[utoipa::path(get, path = "/v1/organization/chat/phone-numbers",
    operation_id = "organization.chat.phoneNumbers.list", tag = "Numbers",
    security(("adminKey" = []), ("session" = [])),
    params(ListQuery, ("chatBusinessProfileId" = Option<ChatBusinessProfileId>, Query)),
    responses((status = 200, description = "A page of numbers", body = List<ChatPhoneNumberView>),
        (status = 404, description = "No such business profile")))]
pub(crate) async fn list_chat_phone_numbers(
    State(chat): State<ChatContext>,
    caller: OrgMember,
    list: FilteredList<ChatBusinessProfileId>,
) -> Result<Answer<List<ChatPhoneNumberView>>, Rejection> {
    Ok(Answer::ok(super::list(&chat.context, &caller, &list).await?))
}

/// Register a WhatsApp number
///
/// Adds a number of a connected business account to the organization and registers it with WhatsApp. A new number is
/// added even if it cannot be registered: `cloudApiRegistered` is `false` then. Registration is not attempted if the
/// number is in use on the WhatsApp Business app, is not verified, or was attempted five times in 72 hours. For a
/// number that the organization already has, registration is retried: 200 if it succeeds, 409 if it is not possible or
/// already done. A number that has a two-step PIN at WhatsApp is registered only with that `pin`.
#[utoipa::path(post, path = "/v1/organization/chat/phone-numbers",
    operation_id = "organization.chat.phoneNumbers.register", tag = "Numbers", security(("adminKey" = [])),
    request_body = RegisterChatPhoneNumber,
    responses((status = 201, description = "The number", body = ChatPhoneNumberView),
        (status = 200, description = "A number that the organization had already, now registered", body = ChatPhoneNumberView),
        (status = 404, description = "No business profile of the organization has this account, or no such app"),
        (status = 409, description = "The number is already registered, cannot be registered now, or belongs to another organization"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed or did not respond")))]
pub(crate) async fn register_chat_phone_number(
    State(chat): State<ChatContext>,
    caller: Admin,
    once: Once,
    body: Json<RegisterChatPhoneNumber>,
) -> Result<Response, Rejection> {
    let has_pin = body.input.pin.is_some();
    let fingerprint = if has_pin { once.keyed(&body.fingerprint) } else { body.fingerprint };
    let attempt = match once.begin(&chat.context, fingerprint).await {
        Ok(attempt) => attempt,
        Err(answer) => return Ok(*answer),
    };
    let registered = async {
        let registered = register::perform(&chat, &caller, &body.input).await?;
        let status = if registered.is_new { StatusCode::CREATED } else { StatusCode::OK };
        let org = chat.context.store.of(&caller.organization);
        let view = super::view(&org, registered.number).await?;
        Ok(Planned { change: Change::new(&caller.organization), answer: Answer { status, body: view } })
    };
    attempt.finish(registered.await).await
}

/// Get a WhatsApp number
///
/// Returns a WhatsApp number with the apps that it is assigned to.
#[utoipa::path(get, path = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}",
    operation_id = "organization.chat.phoneNumbers.get", tag = "Numbers",
    security(("adminKey" = []), ("session" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path)),
    responses((status = 200, description = "The number", body = ChatPhoneNumberView)))]
pub(crate) async fn get_chat_phone_number(
    State(chat): State<ChatContext>,
    claim: Claim<OrgMember>,
    path: Deferred<Path<(ChatPhoneNumberId,)>>,
) -> Result<Answer<ChatPhoneNumberView>, Rejection> {
    let read = claim.with(path, |reads, Path((id,))| async move { reads.chat_phone_number(&id).await });
    let (caller, number) = read.await?;
    Ok(Answer::ok(super::visible_view(&chat.context, &caller, number).await?))
}
