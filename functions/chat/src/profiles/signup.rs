//! Connects an account, from the authorization code of an embedded signup or from an access token to a connected profile.
//! Each step is stored before the next one starts, so that a repeated request continues where the previous one stopped,
//! although a code cannot be exchanged twice.

use std::time::Duration;

use api::{Admin, LinkHolder};
use domain::audit::Trail;
use domain::id::{ChatBusinessProfileId, OnboardingLinkId, OrganizationId};
use domain::identity::credential::{Secret, hex};
use domain::port::random_bytes;
use domain::testing::playground::SIMULATED_WABA_ID;
use domain::{Failure, Mode};
use platform::PlatformError;
use runtime::Context;
use store::{Onboarding, OnboardingStart, OrganizationStore};
use tokio::time::timeout;

use super::grant::Grant;
use super::no_such_profile;
use super::steps::{Completed, Run, Signup};
use crate::ChatContext;

/// The time limit of a request: less than the 30 s after which the gateway gives up on it.
pub const SIGNUP_BUDGET: Duration = Duration::from_secs(25);
/// The `Retry-After` while another request holds the signup, in seconds.
const HELD_RETRY_AFTER: u32 = 5;

fn unfinished() -> Failure {
    let why = "did not respond in time; send the same request again to continue where it stopped";
    PlatformError::Unreachable { why, was_sent: true }.into()
}

/// Completes the signup, or continues one that stopped before its end.
pub(super) async fn complete(chat: &ChatContext, caller: &Admin, signup: &Signup) -> Result<Completed, Failure> {
    let mode = caller.mode_of_new(signup.test)?;
    if mode.is_test() && signup.waba_id.as_deref() == Some(SIMULATED_WABA_ID) {
        return Err(Failure::invalid(
            "wabaId",
            "This simulated account is reserved for the playground. Use another wabaId.",
        ));
    }
    complete_in(chat, &caller.organization, &caller.trail, mode, signup).await
}

/// A code that the platform has sent to the page of an onboarding link.
pub(crate) struct LinkSignup {
    pub(crate) link_id: OnboardingLinkId,
    pub(crate) code: Secret,
    pub(crate) redirect_uri: String,
    pub(crate) is_coexistence: bool,
}

/// Returns the hash under which the signup of a link's code is stored.
pub(crate) fn hash_of_code(code: &Secret, mode: Mode) -> String {
    Grant::Code { code: code.clone(), redirect_uri: None }.hash(mode)
}

/// Connects an account with a link and completes the link, or continues an unfinished request. Returns the profile.
pub(crate) async fn complete_for_link(
    chat: &ChatContext,
    holder: &LinkHolder,
    sent: LinkSignup,
) -> Result<ChatBusinessProfileId, Failure> {
    let mode = sent.link_id.mode();
    let grant = Grant::Code { code: sent.code, redirect_uri: Some(sent.redirect_uri) };
    let (is_coexistence, link) = (Some(sent.is_coexistence), Some(sent.link_id));
    let signup = Signup { grant, waba_id: None, business_id: None, is_coexistence, test: None, link };
    Ok(complete_in(chat, &holder.organization, &holder.trail, mode, &signup).await?.profile.id)
}

async fn complete_in(
    chat: &ChatContext,
    organization: &OrganizationId,
    trail: &Trail,
    mode: Mode,
    signup: &Signup,
) -> Result<Completed, Failure> {
    let context = &chat.context;
    let org = context.store.of(organization);
    let (hash, param) = (signup.grant.hash(mode), signup.grant.param());
    let lease = hex(&random_bytes::<16>(context.random()));

    let mut start = begin(context, &org, mode, &hash, &lease).await?;
    if let OnboardingStart::Finished(state) = &start {
        if let Some(completed) = finished(chat, &org, signup, state).await? {
            return Ok(completed);
        }
        org.forget_finished_onboarding(&hash).await?;
        start = begin(context, &org, mode, &hash, &lease).await?;
    }
    let OnboardingStart::Mine(state) = start else {
        let message =
            "Another request is connecting this account with the same code or token. Retry when it has ended.";
        return Err(Failure::conflict(message).with_param(param).with_retry_after(HELD_RETRY_AFTER));
    };

    let mut run =
        Run { chat, organization, trail, mode, hash: &hash, lease: &lease, signup, state, token: None, since: None };
    let done = timeout(SIGNUP_BUDGET, run.complete()).await.unwrap_or_else(|_| Err(unfinished()));
    if done.as_ref().is_err_and(|failure| run.is_refused(failure)) {
        // Nothing depends on the stored token yet, and the caller still has it. If this fails, the sweep deletes it.
        let _ = run.forget().await;
    } else if done.is_err() {
        // If this fails, the next request has to wait until the lease expires.
        let _ = org.release_onboarding(&hash, &lease).await;
    }
    done
}

async fn begin(
    context: &Context,
    org: &OrganizationStore,
    mode: Mode,
    hash: &str,
    lease: &str,
) -> Result<OnboardingStart, Failure> {
    let now = context.now();
    let new_id = ChatBusinessProfileId::mint(mode, now, context.random());
    org.begin_onboarding(hash, &new_id, lease, now).await
}

/// Returns the profile of a request that was completed before. `None` if its token must be used again: the account was
/// disconnected since, or has another token now.
async fn finished(
    chat: &ChatContext,
    org: &OrganizationStore,
    signup: &Signup,
    state: &Onboarding,
) -> Result<Option<Completed>, Failure> {
    let profile = org.chat_business_profile(&state.profile_id).await?;
    let profile = profile.ok_or_else(|| no_such_profile(signup.grant.param()))?;
    match &signup.grant {
        Grant::Code { .. } if profile.is_given_up() => return Err(used_code()),
        Grant::Token { .. } if profile.disconnected_at.is_some() => return Ok(None),
        Grant::Token { token, .. } if profile.mode == Mode::Live => {
            let kept = chat.platforms.vault.profile(&profile.id).await?;
            if kept.is_none_or(|kept| kept.access_token.expose() != token.expose()) {
                return Ok(None);
            }
        }
        _ => {}
    }
    let (profile, numbers) = super::with_numbers(org, profile).await?;
    Ok(Some(Completed { profile, numbers, is_new: false }))
}

fn used_code() -> Failure {
    let message = "This code was used, and its account has been disconnected since. Start the signup again.";
    Failure::unprocessable(message).with_param("code")
}
