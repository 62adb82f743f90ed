use std::time::Duration;

use api::idempotency::Planned;
use api::{Admin, Answer, Input, Json, List, ListQuery, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::chat::onboarding_link::{DEFAULT_SECONDS, LONGEST_SECONDS, METADATA_BYTES, SHORTEST_SECONDS, STATE_LENGTH};
use domain::chat::{LinkError, LinkStatus, OnboardingLink};
use domain::events::webhook::webhook_url;
use domain::id::{ChatBusinessProfileId, OnboardingLinkId};
use domain::schema::{HttpsUrl, JsonObject, Line};
use domain::{Failure, Timestamp, text};
use runtime::Context;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;
use store::Page;
use utoipa::ToSchema;

use super::NewLink;
use crate::ChatContext;

const LIST: &str = "onboarding-links";

/// An onboarding link without its URL.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OnboardingLink)]
pub(crate) struct OnboardingLinkView {
    id: OnboardingLinkId,
    status: LinkStatus,
    /// Where the customer is led after an account was connected, with the parameters `id` and `state`.
    success_url: String,
    /// Where the customer is led otherwise, with the parameters `id`, `state` and `error`.
    failure_url: String,
    /// Your own value, which is passed to both URLs as a parameter.
    state: Option<String>,
    /// Your own object, which customers do not see.
    #[schema(value_type = Option<JsonObject>)]
    metadata: Option<Map<String, Value>>,
    /// Whether the business keeps using its numbers in the business app.
    is_coexistence: bool,
    /// Whether the link connects a simulated account.
    is_test_link: bool,
    /// The profile that was connected, if the status is `COMPLETED`.
    profile_id: Option<ChatBusinessProfileId>,
    /// Why no account was connected, if the status is `FAILED`.
    error: Option<LinkError>,
    expires_at: Timestamp,
    created_at: Timestamp,
}

impl OnboardingLinkView {
    fn new(link: OnboardingLink, now: Timestamp) -> Result<Self, Failure> {
        Ok(OnboardingLinkView {
            status: link.status_at(now),
            error: link.error_at(now),
            is_test_link: link.id.mode().is_test(),
            metadata: link.metadata()?,
            id: link.id,
            success_url: link.success_url,
            failure_url: link.failure_url,
            state: link.state,
            is_coexistence: link.is_coexistence,
            profile_id: link.profile_id,
            expires_at: link.expires_at,
            created_at: link.created_at,
        })
    }
}

/// An onboarding link with its URL, which is returned only once.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedOnboardingLink)]
pub(crate) struct CreatedLinkView {
    #[serde(flatten)]
    link: OnboardingLinkView,
    /// The URL for the customer. Its fragment is the secret of the link.
    #[schema(format = "uri")]
    url: String,
}

/// The onboarding link to create.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateOnboardingLink {
    /// Where the customer is led after an account was connected, with the parameters `id` and `state`. Must be on the public
    /// internet, and not this API.
    #[schema(value_type = HttpsUrl)]
    success_url: String,
    /// Where the customer is led otherwise, with the parameters `id`, `state` and `error`: `cancelled`, `expired`,
    /// `signup_failed`, or an error code.
    #[schema(value_type = HttpsUrl)]
    failure_url: String,
    /// A value of your own, which is passed to both URLs as a parameter.
    #[schema(inline, value_type = Option<Line<{ STATE_LENGTH }>>)]
    state: Option<String>,
    /// An object of your own, of at most 10 KiB, which the customer does not see.
    #[schema(value_type = Option<JsonObject>)]
    metadata: Option<Map<String, Value>>,
    /// How long the link is open, in seconds.
    #[schema(minimum = 900, maximum = 2_592_000, default = 86400)]
    expires_in: Option<u64>,
    /// Whether the business keeps using its numbers in the business app. The numbers are not registered then. `false` by
    /// default.
    is_coexistence: Option<bool>,
    /// Creates a link to connect a simulated account. With a live admin key the default is `false`; a test admin key
    /// creates test links only.
    test: Option<bool>,
}

/// Returns the metadata of a new link as text.
fn metadata_text(metadata: &Map<String, Value>) -> Result<String, Failure> {
    let text = serde_json::to_string(metadata).map_err(Failure::internal)?;
    if text.len() > METADATA_BYTES {
        let message = format!("metadata has {} bytes of JSON. It may have at most {METADATA_BYTES}.", text.len());
        return Err(Failure::invalid("metadata", message));
    }
    Ok(text)
}

impl Input for CreateOnboardingLink {
    const REQUIRED: &'static [&'static str] = &["successUrl", "failureUrl"];
    type Checked = NewLink;

    fn check(self, context: &Context) -> Result<NewLink, Failure> {
        let policy = &context.installation.webhook_addresses;
        let success_url = webhook_url(&self.success_url, "successUrl", policy)?;
        let failure_url = webhook_url(&self.failure_url, "failureUrl", policy)?;
        let state = self.state.map(|state| text::bounded(&state, "state", STATE_LENGTH)).transpose()?;
        let metadata = self.metadata.as_ref().map(metadata_text).transpose()?;
        let seconds = self.expires_in.unwrap_or(DEFAULT_SECONDS);
        if !(SHORTEST_SECONDS..=LONGEST_SECONDS).contains(&seconds) {
            let message = format!("expiresIn must be from {SHORTEST_SECONDS} to {LONGEST_SECONDS} seconds.");
            return Err(Failure::invalid("expiresIn", message));
        }

        Ok(NewLink {
            success_url,
            failure_url,
            state,
            metadata,
            open_for: Duration::from_secs(seconds),
            is_coexistence: self.is_coexistence.unwrap_or(false),
            test: self.test,
        })
    }
}

/// List onboarding links
///
/// Returns the organization's onboarding links without their URLs, newest first. Links are kept for 30 days after they
/// expire. A test admin key sees test links only.
#[utoipa::path(get, path = "/v1/organization/chat/onboarding-links",
    operation_id = "organization.chat.onboardingLinks.list", tag = "WhatsApp accounts",
    security(("adminKey" = [])), params(ListQuery),
    responses((status = 200, description = "A page of links", body = List<OnboardingLinkView>)))]
pub(crate) async fn list_onboarding_links(
    State(chat): State<ChatContext>,
    caller: Admin,
    query: ListQuery,
) -> Result<Answer<List<OnboardingLinkView>>, Rejection> {
    let organization = &caller.organization;
    let request = query.page(organization, LIST)?;
    let page = chat.context.store.of(organization).onboarding_links(caller.mode.visible(), &request).await?;
    let now = chat.context.now();
    let items = page.items.into_iter().map(|link| OnboardingLinkView::new(link, now)).collect::<Result<_, _>>()?;
    let views = Page { items, next: page.next };
    Ok(Answer::ok(List::new(views, organization, LIST, |link| link.id.ksuid())?))
}

/// Create an onboarding link
///
/// Creates a link with which a customer connects a WhatsApp business account to the organization. `url` in the response
/// is returned only once. Anyone who has it can use the link, so send it to the customer only. An organization can have
/// up to 100 open links.
#[utoipa::path(post, path = "/v1/organization/chat/onboarding-links",
    operation_id = "organization.chat.onboardingLinks.create", tag = "WhatsApp accounts",
    security(("adminKey" = [])), request_body = CreateOnboardingLink,
    responses((status = 201, description = "The link", body = CreatedLinkView),
        (status = 403, description = "A test admin key sent `test: false`"),
        (status = 422, description = "The installation is not set up for signups at WhatsApp")))]
pub(crate) async fn create_onboarding_link(
    State(chat): State<ChatContext>,
    caller: Admin,
    once: Once,
    body: Json<CreateOnboardingLink>,
) -> Result<Response, Rejection> {
    let (chat, caller, new) = (&chat, &caller, &body.input);
    let decide = |freed: Result<(), Failure>| async move {
        freed?;
        let (link, url, change) = super::create(chat, caller, new)?;
        let view = CreatedLinkView { link: OnboardingLinkView::new(link, chat.context.now())?, url };
        Ok(Planned { change, answer: Answer::created(view) })
    };
    let attempt = once.attempt(&chat.context, body.fingerprint);
    attempt.run(Ok(()), || super::free_places(chat, caller), decide).await
}

/// Get an onboarding link
///
/// Returns an onboarding link of the organization without its URL.
#[utoipa::path(get, path = "/v1/organization/chat/onboarding-links/{onboardingLinkId}",
    operation_id = "organization.chat.onboardingLinks.get", tag = "WhatsApp accounts",
    security(("adminKey" = [])), params(("onboardingLinkId" = OnboardingLinkId, Path)),
    responses((status = 200, description = "The link", body = OnboardingLinkView)))]
pub(crate) async fn get_onboarding_link(
    State(chat): State<ChatContext>,
    caller: Admin,
    Path((id,)): Path<(OnboardingLinkId,)>,
) -> Result<Answer<OnboardingLinkView>, Rejection> {
    let link = super::find(&chat, &caller, &id).await?;
    Ok(Answer::ok(OnboardingLinkView::new(link, chat.context.now())?))
}

/// Cancel an onboarding link
///
/// Cancels a pending link. A link that has ended is returned unchanged. The response is 409 while an account is being
/// connected with the link, or if one is partly connected: the customer can continue then, for up to 24 hours.
#[utoipa::path(delete, path = "/v1/organization/chat/onboarding-links/{onboardingLinkId}",
    operation_id = "organization.chat.onboardingLinks.cancel", tag = "WhatsApp accounts",
    security(("adminKey" = [])), params(("onboardingLinkId" = OnboardingLinkId, Path)),
    responses((status = 200, description = "The link", body = OnboardingLinkView),
        (status = 409, description = "An account is being connected, or is half connected, with this link")))]
pub(crate) async fn cancel_onboarding_link(
    State(chat): State<ChatContext>,
    caller: Admin,
    Path((id,)): Path<(OnboardingLinkId,)>,
) -> Result<Answer<OnboardingLinkView>, Rejection> {
    let link = super::cancel(&chat, &caller, &id).await?;
    Ok(Answer::ok(OnboardingLinkView::new(link, chat.context.now())?))
}
