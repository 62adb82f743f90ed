//! Onboarding links: a customer who opens one connects an account to the organization, without a credential of it. The page
//! of the link calls the operations in `customer_http.rs` with the link's token.

mod customer;
pub(crate) mod customer_http;
mod finish;
pub(crate) mod http;

use std::time::Duration;

use api::Admin;
use api::caller::Sees as _;
use domain::audit::Trail;
use domain::chat::{LinkStatus, OnboardingLink};
use domain::id::OnboardingLinkId;
use domain::identity::credential::Bearer;
use domain::identity::credential_kind::CredentialKind;
use domain::{Failure, Mode, Timestamp};
use store::{Change, OrganizationStore};

use crate::ChatContext;

const PARAM: &str = "onboardingLinkId";
/// The path of the page.
const PAGE: &str = "/onboarding";
/// How long a request reserves the connection of an account with the link: longer than a completion takes.
const COMPLETION_SECONDS: u32 = 30;

/// The validated body of the create operation.
pub(crate) struct NewLink {
    success_url: String,
    failure_url: String,
    state: Option<String>,
    metadata: Option<String>,
    open_for: Duration,
    is_coexistence: bool,
    test: Option<bool>,
}

/// Returns whether an account may be subscribed at the platform although its connection was not completed. The
/// subscription is requested before a profile is stored.
async fn is_half_connected(org: &OrganizationStore, link: &OnboardingLink) -> Result<bool, Failure> {
    match link.attempt.as_ref().and_then(|attempt| attempt.code_hash.as_ref()) {
        Some(hash) => Ok(org.signup(hash).await?.is_some_and(|signup| signup.is_subscribed)),
        None => Ok(false),
    }
}

/// Fails while an account is half connected: such a link must not be cancelled as if it had not been used.
async fn expect_not_connecting(org: &OrganizationStore, link: &OnboardingLink, now: Timestamp) -> Result<(), Failure> {
    match link.connecting_until.filter(|_| link.is_connecting(now)) {
        Some(until) if is_half_connected(org, link).await? => {
            let message = format!(
                "The connection of an account with this link has begun. The same browser can continue it until {until}."
            );
            Err(Failure::conflict(message).with_param(PARAM))
        }
        _ => Ok(()),
    }
}

fn no_such_link() -> Failure {
    Failure::not_found(PARAM, "onboarding link")
}

/// Fails if customers cannot sign up at the platform, because the installation is not set up for it.
fn expect_signup(chat: &ChatContext, mode: Mode) -> Result<(), Failure> {
    if mode.is_test() || chat.platforms.graph.signup_url(&chat.signup_configuration, PAGE, "", false).is_some() {
        return Ok(());
    }
    let message = "This installation has no embedded signup. The operator must deploy with PlatformAppId and \
                   PlatformSignupConfigurationId. Until then, only test links can be created.";
    Err(Failure::unprocessable(message).with_param("test"))
}

/// Returns a new link, its URL, and the change that creates it.
fn create(chat: &ChatContext, caller: &Admin, new: &NewLink) -> Result<(OnboardingLink, String, Change), Failure> {
    let context = &chat.context;
    let mode = caller.mode_of_new(new.test)?;
    expect_signup(chat, mode)?;
    let now = context.now();
    let bearer = Bearer::mint(CredentialKind::OnboardingLink, &caller.organization, context.random());

    let link = OnboardingLink {
        id: OnboardingLinkId::mint(mode, now, context.random()),
        success_url: new.success_url.clone(),
        failure_url: new.failure_url.clone(),
        state: new.state.clone(),
        metadata_text: new.metadata.clone(),
        earlier_metadata: None,
        is_coexistence: new.is_coexistence,
        token_hash: bearer.secret.sha256(),
        status: LinkStatus::Pending,
        profile_id: None,
        error: None,
        attempt: None,
        refused_codes: 0,
        connecting_until: None,
        expires_at: now.plus(new.open_for),
        created_at: now,
        revision: 1,
    };

    // In the fragment, which browsers send to no server.
    let url = format!("{}{PAGE}#{}", chat.api_url, bearer.secret.expose());
    let mut change = Change::new(&caller.organization);
    change.create_onboarding_link(&link)?;
    change.enter(&context.entry(&caller.trail, mode).created(&link))?;
    Ok((link, url, change))
}

async fn find(chat: &ChatContext, caller: &Admin, id: &OnboardingLinkId) -> Result<OnboardingLink, Failure> {
    caller.expect_visible(id.mode(), PARAM, "onboarding link")?;
    chat.context.store.of(&caller.organization).onboarding_link(id).await?.ok_or_else(no_such_link)
}

/// Returns the change that cancels a link. A link that has ended is returned unchanged.
async fn cancelled(
    chat: &ChatContext,
    org: &OrganizationStore,
    trail: &Trail,
    link: OnboardingLink,
) -> Result<(Change, OnboardingLink), Failure> {
    let (mut change, now) = (Change::new(org.organization_id()), chat.context.now());
    if link.status_at(now) != LinkStatus::Pending {
        return Ok((change, link));
    }
    customer::expect_idle(chat, &link)?;
    expect_not_connecting(org, &link, now).await?;
    let after =
        OnboardingLink { status: LinkStatus::Cancelled, attempt: None, revision: link.revision + 1, ..link.clone() };
    change.update_onboarding_link(&link, &after)?;
    change.enter(&chat.context.entry(trail, link.id.mode()).changed(&link, &after))?;
    Ok((change, after))
}

/// Cancels a link for an admin.
async fn cancel(chat: &ChatContext, caller: &Admin, id: &OnboardingLinkId) -> Result<OnboardingLink, Failure> {
    let org = &chat.context.store.of(&caller.organization);
    chat.context
        .store
        .settle(|| async { cancelled(chat, org, &caller.trail, find(chat, caller, id).await?).await })
        .await
}

/// Frees the places of expired links before another attempt to create one.
async fn free_places(chat: &ChatContext, caller: &Admin) -> Result<(), Failure> {
    chat.context.store.of(&caller.organization).free_expired_links(chat.context.now()).await
}
