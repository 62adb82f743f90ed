use api::idempotency::Planned;
use api::{Admin, Answer, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::Failure;
use domain::id::ChatBusinessProfileId;
use domain::identity::credential::Secret;
use domain::schema::{PlatformId, ShortText};
use domain::text::{self, STRING_LENGTH};
use futures_util::future::try_join;
use http::StatusCode;
use runtime::Context;
use serde::Deserialize;
use store::Change;
use utoipa::ToSchema;
use views::ChatBusinessProfileView;

use super::grant::Grant;
use super::signup;
use super::steps::Signup;
use crate::ChatContext;
use crate::numbers::platform_id;

const LIST: &str = "chat-business-profiles";

/// The result of Meta's login dialog.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompleteSignup {
    /// The authorization code. Meta accepts it once, within 30 seconds.
    #[schema(value_type = ShortText)]
    code: String,
    /// The URL that the login dialog redirected to; absent if the dialog was a popup.
    #[schema(value_type = Option<String>, format = "uri", max_length = 2048)]
    redirect_uri: Option<String>,
    /// The id of the WhatsApp Business Account (WABA). By default, it is determined from the access token.
    #[schema(value_type = Option<PlatformId>)]
    waba_id: Option<String>,
    /// Ignored: all numbers of the account are connected.
    #[schema(value_type = Option<PlatformId>)]
    phone_number_id: Option<String>,
    /// The id of the Meta business portfolio that owns the account. By default, it is read from WhatsApp.
    #[schema(value_type = Option<PlatformId>)]
    business_id: Option<String>,
    /// Whether the business keeps using its numbers in the WhatsApp Business app (coexistence). If so, the numbers are
    /// not registered. `false` by default.
    is_coexistence: Option<bool>,
    /// Connects a simulated account. With a live admin key the default is `false`; a test admin key connects simulated
    /// accounts only.
    test: Option<bool>,
}

impl Input for CompleteSignup {
    const REQUIRED: &'static [&'static str] = &["code"];
    type Checked = Signup;

    fn check(self, _context: &Context) -> Result<Signup, Failure> {
        let id = |sent: Option<String>, param| sent.map(|id| platform_id(&id, param)).transpose();
        let redirect_uri =
            self.redirect_uri.map(|uri| text::bounded(&uri, "redirectUri", STRING_LENGTH)).transpose()?;
        if redirect_uri.as_deref().is_some_and(|uri| !text::is_absolute_uri(uri)) {
            let message = "redirectUri must be an absolute URI without a fragment, such as https://example.com/back.";
            return Err(Failure::invalid("redirectUri", message));
        }
        id(self.phone_number_id, "phoneNumberId")?;
        Ok(Signup {
            grant: Grant::Code { code: Secret::new(text::bounded(&self.code, "code", STRING_LENGTH)?), redirect_uri },
            waba_id: id(self.waba_id, "wabaId")?,
            business_id: id(self.business_id, "businessId")?,
            is_coexistence: Some(self.is_coexistence.unwrap_or(false)),
            test: self.test,
            link: None,
        })
    }
}

/// List WhatsApp accounts
///
/// Returns the organization's WhatsApp accounts (business profiles) with their numbers, newest first.
#[utoipa::path(get, path = "/v1/organization/chat/business-profiles",
    operation_id = "organization.chat.businessProfiles.list", tag = "WhatsApp accounts",
    security(("adminKey" = []), ("session" = [])), params(ListQuery),
    responses((status = 200, description = "A page of profiles", body = List<ChatBusinessProfileView>)))]
pub(crate) async fn list_business_profiles(
    State(chat): State<ChatContext>,
    caller: OrgMember,
    query: ListQuery,
) -> Result<Answer<List<ChatBusinessProfileView>>, Rejection> {
    let organization = &caller.organization;
    let org = chat.context.store.of(organization);
    let request = query.page(organization, LIST)?;
    let page = super::list(&org, org.chat_business_profiles(caller.mode.visible(), &request).await?).await?;
    let views = page.map(|(profile, numbers)| ChatBusinessProfileView::new(organization, profile, numbers));
    Ok(Answer::ok(List::new(views, organization, LIST, |profile| profile.id.ksuid())?))
}

/// Complete an embedded signup of WhatsApp
///
/// Exchanges the authorization code for an access token and connects the business account with all its numbers. After a
/// failure, send the same request again: it continues where it stopped, although the code can be exchanged only once.
/// The response is 201 for a new account, and 200 for one that was connected before.
#[utoipa::path(post, path = "/v1/organization/chat/business-profiles/callback",
    operation_id = "organization.chat.businessProfiles.completeSignup", tag = "WhatsApp accounts",
    security(("adminKey" = [])), request_body = CompleteSignup,
    responses((status = 201, description = "The profile", body = ChatBusinessProfileView),
        (status = 200, description = "The profile, reconnected", body = ChatBusinessProfileView),
        (status = 403, description = "A test admin key sent `test: false`"),
        (status = 404, description = "WhatsApp does not know the account"),
        (status = 409, description = "The account is connected to another organization, or another request is completing this signup"),
        (status = 422, description = "WhatsApp rejected the code or a request made with its access token"),
        (status = 502, description = "WhatsApp failed or did not respond; send the same request again")))]
pub(crate) async fn complete_signup(
    State(chat): State<ChatContext>,
    caller: Admin,
    once: Once,
    body: Json<CompleteSignup>,
) -> Result<Response, Rejection> {
    let attempt = match once.begin(&chat.context, body.fingerprint).await {
        Ok(attempt) => attempt,
        Err(answer) => return Ok(*answer),
    };
    attempt.finish(connected(&chat, &caller, &body.input).await).await
}

/// Connects an account, and returns the response.
pub(super) async fn connected(
    chat: &ChatContext,
    caller: &Admin,
    wanted: &Signup,
) -> Result<Planned<ChatBusinessProfileView>, Failure> {
    let completed = signup::complete(chat, caller, wanted).await?;
    let status = if completed.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let view = ChatBusinessProfileView::new(&caller.organization, completed.profile, completed.numbers);
    Ok(Planned { change: Change::new(&caller.organization), answer: Answer { status, body: view } })
}

/// Get a WhatsApp account
///
/// Returns a WhatsApp account (business profile) with its numbers.
#[utoipa::path(get, path = "/v1/organization/chat/business-profiles/{profileId}",
    operation_id = "organization.chat.businessProfiles.get", tag = "WhatsApp accounts",
    security(("adminKey" = [])), params(("profileId" = ChatBusinessProfileId, Path)),
    responses((status = 200, description = "The profile with its numbers", body = ChatBusinessProfileView)))]
pub(crate) async fn get_business_profile(
    State(chat): State<ChatContext>,
    caller: Admin,
    Path((id,)): Path<(ChatBusinessProfileId,)>,
) -> Result<Answer<ChatBusinessProfileView>, Rejection> {
    let org = chat.context.store.of(&caller.organization);
    let found = super::find(&org, &caller, &id, "profileId");
    let (profile, numbers) = try_join(found, org.numbers_of_profile(&id)).await?;
    Ok(Answer::ok(ChatBusinessProfileView::new(&caller.organization, profile, numbers)))
}
