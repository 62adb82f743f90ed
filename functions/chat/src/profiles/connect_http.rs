use api::{Admin, Answer, Input, Json, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::chat::profile::ACCESS_TOKEN_LENGTH;
use domain::id::ChatBusinessProfileId;
use domain::identity::credential::Secret;
use domain::schema::PlatformId;
use domain::{Failure, text};
use runtime::Context;
use serde::Deserialize;
use utoipa::ToSchema;
use views::ChatBusinessProfileView;

use super::disconnect;
use super::grant::Grant;
use super::http::connected;
use super::steps::Signup;
use crate::ChatContext;
use crate::numbers::platform_id;

const TOKEN: &str = "accessToken";

/// An access token, and the business account to connect with it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConnectAccount {
    /// The access token of a system user. It must be issued for this installation's app, with the permissions
    /// `whatsapp_business_management` and `whatsapp_business_messaging` for the account. It is never shown again.
    #[schema(value_type = String, format = "password", min_length = 1, max_length = 4096, pattern = "^[!-~]+$")]
    access_token: String,
    /// The id of the WhatsApp Business Account (WABA).
    #[schema(value_type = PlatformId)]
    waba_id: String,
    /// The id of the Meta business portfolio that owns the account. By default, it is read from WhatsApp.
    #[schema(value_type = Option<PlatformId>)]
    business_id: Option<String>,
    /// Connects a simulated account. With a live admin key the default is `false`; a test admin key connects simulated
    /// accounts only.
    test: Option<bool>,
}

impl Input for ConnectAccount {
    const REQUIRED: &'static [&'static str] = &["accessToken", "wabaId"];
    type Checked = Signup;

    fn check(self, _context: &Context) -> Result<Signup, Failure> {
        let token = Secret::new(text::bounded(&self.access_token, TOKEN, ACCESS_TOKEN_LENGTH)?);
        if !token.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = "accessToken must consist of visible ASCII characters, without spaces.";
            return Err(Failure::invalid(TOKEN, message));
        }
        let account = platform_id(&self.waba_id, "wabaId")?;
        Ok(Signup {
            waba_id: Some(account.clone()),
            grant: Grant::Token { token, account },
            business_id: self.business_id.map(|id| platform_id(&id, "businessId")).transpose()?,
            is_coexistence: None,
            test: self.test,
            link: None,
        })
    }
}

/// Connect a WhatsApp account with an access token
///
/// Connects a business account of your own with all its numbers, without an embedded signup. The token is first checked
/// with Meta: an insufficient one is rejected, and `additional_info` lists what it lacks. After a failure, send the
/// same request again: it continues where it stopped. The response is 201 for a new account, and 200 for one that was
/// connected before.
#[utoipa::path(post, path = "/v1/organization/chat/business-profiles",
    operation_id = "organization.chat.businessProfiles.connect", tag = "WhatsApp accounts",
    security(("adminKey" = [])), request_body = ConnectAccount,
    responses((status = 201, description = "The profile", body = ChatBusinessProfileView),
        (status = 200, description = "The profile, which was connected before", body = ChatBusinessProfileView),
        (status = 403, description = "A test admin key sent `test: false`"),
        (status = 404, description = "WhatsApp does not know the account"),
        (status = 409, description = "The account is connected to another organization or is being disconnected, or another request is connecting it"),
        (status = 422, description = "The token is not sufficient, or WhatsApp rejected a request made with it"),
        (status = 502, description = "WhatsApp failed or did not respond; send the same request again")))]
pub(crate) async fn connect_account(
    State(chat): State<ChatContext>,
    caller: Admin,
    once: Once,
    body: Json<ConnectAccount>,
) -> Result<Response, Rejection> {
    let attempt = match once.begin(&chat.context, body.fingerprint).await {
        Ok(attempt) => attempt,
        Err(answer) => return Ok(*answer),
    };
    attempt.finish(connected(&chat, &caller, &body.input).await).await
}

/// Disconnect a WhatsApp account
///
/// Ends the subscription at WhatsApp, deletes the access token, and releases the account and its numbers, so that any
/// organization can connect them. The profile, its numbers and their messages stay readable, but nothing can be sent.
/// If the account is connected again, it keeps its profile and numbers. A disconnected account is returned unchanged.
/// After a failure, send the same request again: it continues where it stopped. The service also continues on its own.
#[utoipa::path(delete, path = "/v1/organization/chat/business-profiles/{profileId}",
    operation_id = "organization.chat.businessProfiles.disconnect", tag = "WhatsApp accounts",
    security(("adminKey" = [])), params(("profileId" = ChatBusinessProfileId, Path)),
    responses((status = 200, description = "The profile, disconnected", body = ChatBusinessProfileView),
        (status = 409, description = "The account belongs to the playground, or another request is disconnecting it"),
        (status = 429, description = "WhatsApp received too many requests"),
        (status = 502, description = "WhatsApp failed or did not respond; send the same request again")))]
pub(crate) async fn disconnect_account(
    State(chat): State<ChatContext>,
    caller: Admin,
    Path((id,)): Path<(ChatBusinessProfileId,)>,
) -> Result<Answer<ChatBusinessProfileView>, Rejection> {
    let (profile, numbers) = disconnect::disconnect(&chat, &caller, &id).await?;
    Ok(Answer::ok(ChatBusinessProfileView::new(&caller.organization, profile, numbers)))
}
