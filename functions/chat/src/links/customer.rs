//! A customer's use of a link before an account is connected: viewing it, and beginning a signup.

use api::LinkHolder;
use domain::chat::{LinkAttempt, LinkStatus, OnboardingLink};
use domain::identity::credential::{Secret, hex};
use domain::identity::organization::Organization;
use domain::port::random_bytes;
use domain::{Failure, Mode};
use store::{Change, OrganizationStore};
use tokio::try_join;

use super::{COMPLETION_SECONDS, PAGE, PARAM, expect_not_connecting, expect_signup, no_such_link};
use crate::ChatContext;

/// The path of the page that takes the place of the platform's dialog in test mode.
const SIMULATED_CONSENT: &str = "/onboarding/simulated-consent";

/// A begun signup.
pub(super) struct Begun {
    /// The URL at which the customer signs up.
    pub(super) url: String,
    /// The value of the cookie that binds the signup to the browser.
    pub(super) browser: Secret,
}

/// Returns the URI to which the platform sends the customer back.
pub(super) fn redirect_uri(chat: &ChatContext) -> String {
    format!("{}{PAGE}", chat.api_url)
}

pub(super) async fn find(org: &OrganizationStore, holder: &LinkHolder) -> Result<OnboardingLink, Failure> {
    org.onboarding_link(&holder.link_id).await?.ok_or_else(no_such_link)
}

/// Fails if the link has ended.
pub(super) fn expect_open(status: LinkStatus) -> Result<(), Failure> {
    if status == LinkStatus::Pending {
        return Ok(());
    }
    let message = format!("This link is {}. Ask for a new one.", status.as_str());
    Err(Failure::conflict(message).with_param(PARAM))
}

/// Fails while a request connects an account with the link.
pub(super) fn expect_idle(chat: &ChatContext, link: &OnboardingLink) -> Result<(), Failure> {
    if !link.is_running(chat.context.now()) {
        return Ok(());
    }
    let message = "An account is being connected with this link. Retry when that has ended.";
    Err(Failure::conflict(message).with_param(PARAM).with_retry_after(COMPLETION_SECONDS))
}

/// Returns the link with the organization that it belongs to.
pub(super) async fn show(chat: &ChatContext, holder: &LinkHolder) -> Result<(OnboardingLink, Organization), Failure> {
    let org = chat.context.store.of(&holder.organization);
    let (link, organization) = try_join!(find(&org, holder), org.organization())?;
    let missing = || Failure::internal("the organization of a link does not exist");
    Ok((link, organization.ok_or_else(missing)?))
}

/// Begins a signup, in place of an earlier one that did not connect an account.
pub(super) async fn begin(chat: &ChatContext, holder: &LinkHolder) -> Result<Begun, Failure> {
    let context = &chat.context;
    let mode = holder.link_id.mode();
    expect_signup(chat, mode)?;
    let org = &context.store.of(&holder.organization);
    let random = || Secret::new(hex(&random_bytes::<32>(context.random())));
    let random = &random;

    let decide = || async move {
        let link = find(org, holder).await?;
        expect_open(link.status_at(context.now()))?;
        expect_idle(chat, &link)?;
        expect_not_connecting(org, &link, context.now()).await?;

        let (state, browser) = (random(), random());
        let attempt = LinkAttempt {
            state_hash: state.sha256(),
            browser_hash: browser.sha256(),
            code_hash: None,
            running_until: None,
            refusal: None,
        };
        let after = OnboardingLink { attempt: Some(attempt), ..link.settled() };
        let url = match mode {
            Mode::Test => Some(format!("{}{SIMULATED_CONSENT}?state={}", chat.api_url, state.expose())),
            Mode::Live => {
                let (configuration, back) = (&chat.signup_configuration, redirect_uri(chat));
                chat.platforms.graph.signup_url(configuration, &back, state.expose(), link.is_coexistence)
            }
        };
        let url = url.ok_or_else(|| Failure::internal("the platform has no dialog to sign up"))?;

        let mut change = Change::new(org.organization_id());
        change.update_onboarding_link(&link, &after)?;
        Ok((change, Begun { url, browser }))
    };

    context.store.settle(decide).await
}
