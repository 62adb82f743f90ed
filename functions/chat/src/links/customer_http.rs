use api::idempotency::Planned;
use api::{Answer, Input, Json, LinkHolder, Once, Rejection};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::chat::{LinkError, LinkStatus, OnboardingLink};
use domain::id::OnboardingLinkId;
use domain::identity::credential::Secret;
use domain::schema::ShortText;
use domain::text::{self, STRING_LENGTH};
use domain::{Failure, Timestamp};
use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};
use runtime::{Context, logging};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use store::Change;
use utoipa::ToSchema;

use super::customer;
use super::finish::{self, Returned};
use crate::ChatContext;

/// The cookie that binds a signup to the browser. The prefix makes browsers accept it from this host over https only.
const BROWSER: &str = "__Host-onboarding";

/// What the page of an onboarding link shows.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Onboarding)]
pub(crate) struct OnboardingView {
    id: OnboardingLinkId,
    /// The name of the organization that asks for access.
    organization_name: String,
    /// The name of the installation, through which the organization uses WhatsApp.
    installation_name: String,
    status: LinkStatus,
    /// Whether the link connects a simulated account.
    is_test_link: bool,
    expires_at: Timestamp,
    /// Why no account was connected, if the status is `FAILED`.
    error: Option<LinkError>,
    /// Where to go next, if the link has ended: the success or failure URL with its parameters.
    #[schema(format = "uri")]
    continue_url: Option<String>,
}

/// The outcome of an onboarding link.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OnboardingOutcome)]
pub(crate) struct OutcomeView {
    id: OnboardingLinkId,
    status: LinkStatus,
    /// Why no account was connected, if the status is `FAILED`.
    error: Option<LinkError>,
    /// Where to go next: the success or failure URL with its parameters.
    #[schema(format = "uri")]
    continue_url: Option<String>,
}

impl OutcomeView {
    fn new(link: OnboardingLink, now: Timestamp) -> Self {
        OutcomeView {
            status: link.status_at(now),
            error: link.error_at(now),
            continue_url: link.continue_url(now),
            id: link.id,
        }
    }
}

/// Where to sign up.
#[derive(Serialize, ToSchema)]
#[schema(as = BegunOnboarding)]
pub(crate) struct BegunView {
    /// The URL at which the customer signs up: Meta's page or, with a test link, a page that simulates it.
    #[schema(format = "uri")]
    url: String,
}

/// The code and the state that Meta has sent to the page.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CompleteOnboarding {
    /// The authorization code. Meta accepts it once.
    #[schema(value_type = ShortText)]
    code: String,
    /// The state of the signup that was begun.
    #[schema(value_type = ShortText)]
    state: String,
}

pub(crate) struct Checked {
    code: Secret,
    state: Secret,
}

impl Input for CompleteOnboarding {
    const REQUIRED: &'static [&'static str] = &["code", "state"];
    type Checked = Checked;

    fn check(self, _context: &Context) -> Result<Checked, Failure> {
        let field = |sent: &str, param| text::bounded(sent, param, STRING_LENGTH).map(Secret::new);
        Ok(Checked { code: field(&self.code, "code")?, state: field(&self.state, "state")? })
    }
}

/// Returns the value of the cookie; an empty one if there is none.
fn browser_of(headers: &HeaderMap) -> Secret {
    let sent = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = sent.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    Secret::new(pairs.find(|(name, _)| *name == BROWSER).map_or("", |(_, value)| value))
}

/// Get the onboarding of a link
///
/// Returns the organization that asks for access with the link. Used by the page of the link.
#[utoipa::path(get, path = "/v1/onboarding", operation_id = "onboarding.get", tag = "WhatsApp accounts",
    security(("onboardingLink" = [])),
    responses((status = 200, description = "The onboarding", body = OnboardingView)))]
pub(crate) async fn get_onboarding(
    State(chat): State<ChatContext>,
    holder: LinkHolder,
) -> Result<Answer<OnboardingView>, Rejection> {
    let (link, organization) = customer::show(&chat, &holder).await?;
    let now = chat.context.now();
    Ok(Answer::ok(OnboardingView {
        status: link.status_at(now),
        error: link.error_at(now),
        continue_url: link.continue_url(now),
        installation_name: chat.installation_name.clone(),
        is_test_link: link.id.mode().is_test(),
        id: link.id,
        organization_name: organization.name,
        expires_at: link.expires_at,
    }))
}

/// Begin the signup of an onboarding link
///
/// Returns the URL at which the customer signs up, with a new OAuth `state`. The response sets a cookie that binds the
/// signup to the browser. An earlier signup with the link can no longer be completed. Used by the page of the link.
#[utoipa::path(put, path = "/v1/onboarding/signup", operation_id = "onboarding.beginSignup", tag = "WhatsApp accounts",
    security(("onboardingLink" = [])),
    responses((status = 200, description = "The URL at which to sign up", body = BegunView),
        (status = 409, description = "The link has ended, or an account is being connected, or is half connected, with it"),
        (status = 422, description = "The installation is not set up for the embedded signup of WhatsApp")))]
pub(crate) async fn begin_onboarding(
    State(chat): State<ChatContext>,
    holder: LinkHolder,
) -> Result<Response, Rejection> {
    let begun = customer::begin(&chat, &holder).await?;
    logging::known_object(&holder.link_id);
    let cookie = format!("{BROWSER}={}; Path=/; Secure; HttpOnly; SameSite=Lax", begun.browser.expose());
    let mut cookie = HeaderValue::from_str(&cookie).map_err(Failure::internal)?;
    cookie.set_sensitive(true);
    let mut response = Answer::ok(BegunView { url: begun.url }).into_response();
    response.headers_mut().insert(SET_COOKIE, cookie);
    Ok(response)
}

/// Complete the signup of an onboarding link
///
/// Connects the account with the code that Meta has sent to the page. The link is then `COMPLETED` or, if the account
/// cannot be connected, `FAILED`. After any other failure, send the same request again: it continues where it stopped,
/// for up to 24 hours. Used by the page of the link.
#[utoipa::path(post, path = "/v1/onboarding/complete", operation_id = "onboarding.complete", tag = "WhatsApp accounts",
    security(("onboardingLink" = [])),
    request_body = CompleteOnboarding,
    responses((status = 200, description = "The outcome", body = OutcomeView),
        (status = 409, description = "The link has ended, or another request is connecting the account"),
        (status = 422, description = "The state is of another browser, link or signup, or the code is not the first one"),
        (status = 502, description = "WhatsApp failed or did not respond; send the same request again")))]
pub(crate) async fn complete_onboarding(
    State(chat): State<ChatContext>,
    holder: LinkHolder,
    once: Once,
    headers: HeaderMap,
    body: Json<CompleteOnboarding>,
) -> Result<Response, Rejection> {
    let attempt = match once.begin(&chat.context, body.fingerprint).await {
        Ok(attempt) => attempt,
        Err(answer) => return Ok(*answer),
    };
    let Checked { code, state } = body.input;
    let returned = Returned { code, state, browser: browser_of(&headers) };
    let done = finish::finish(&chat, &holder, &returned).await;
    let answer = done.map(|link| Answer::ok(OutcomeView::new(link, chat.context.now())));
    let planned = answer.map(|answer| Planned { change: Change::new(&holder.organization), answer });
    attempt.finish(planned).await
}

/// Cancel the onboarding of a link
///
/// Cancels the link on behalf of the customer. A link that has ended is returned unchanged. Used by the page of the
/// link.
#[utoipa::path(post, path = "/v1/onboarding/cancel", operation_id = "onboarding.cancel", tag = "WhatsApp accounts",
    security(("onboardingLink" = [])),
    responses((status = 200, description = "The outcome", body = OutcomeView),
        (status = 409, description = "An account is being connected, or is half connected, with the link")))]
pub(crate) async fn cancel_onboarding(
    State(chat): State<ChatContext>,
    holder: LinkHolder,
    once: Once,
) -> Result<Response, Rejection> {
    let (chat, holder) = (&chat, &holder);
    let org = &chat.context.store.of(&holder.organization);
    let decide = |()| async move {
        let (change, link) = super::cancelled(chat, org, &holder.trail, customer::find(org, holder).await?).await?;
        Ok(Planned { change, answer: Answer::ok(OutcomeView::new(link, chat.context.now())) })
    };
    once.attempt(&chat.context, String::new()).run((), || std::future::ready(()), decide).await
}
