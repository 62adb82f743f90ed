//! Completes an embedded signup, from the authorization code to a connected profile. Each step is stored before the next one
//! starts, so that a repeated request continues where the previous one stopped, although its code cannot be exchanged twice.

use std::time::Duration;

use api::Admin;
use domain::credential::{Secret, hex};
use domain::id::ChatBusinessProfileId;
use domain::playground::SIMULATED_WABA_ID;
use domain::port::random_bytes;
use domain::{Failure, Mode};
use platform::PlatformError;
use runtime::Context;
use store::{Onboarding, OnboardingStart, OrganizationStore};
use tokio::time::timeout;

use super::no_such_profile;
use super::steps::{Completed, Run, Signup};
use crate::ChatContext;

/// The time limit of a request: less than the 30 s after which the gateway gives up on it.
pub const SIGNUP_BUDGET: Duration = Duration::from_secs(25);
/// In seconds.
const HELD_RETRY_AFTER: u32 = 5;

fn unfinished() -> Failure {
    let why = "did not respond in time; send the same request again to continue where it stopped";
    PlatformError::Unreachable { why, was_sent: true }.into()
}

/// Returns the hash that identifies a signup. It covers the mode, because a simulated code can equal a live one.
fn code_hash(signup: &Signup, mode: Mode) -> String {
    Secret::new(format!("{}\n{}", mode.as_str(), signup.code.expose())).sha256()
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
    let (context, organization) = (&chat.context, &caller.organization);
    let org = context.store.of(organization);
    let hash = code_hash(signup, mode);
    let lease = hex(&random_bytes::<16>(context.random()));
    let state = match begin(context, &org, mode, &hash, &lease).await? {
        OnboardingStart::Mine(state) => state,
        OnboardingStart::Finished(state) => return finished(&org, &state).await,
        OnboardingStart::Held => {
            let message = "Another request is completing this signup. Retry when it has ended.";
            return Err(Failure::conflict(message).with_param("code").with_retry_after(HELD_RETRY_AFTER));
        }
    };
    let mut run = Run { chat, organization, mode, hash: &hash, lease: &lease, signup, state, token: None };
    let done = timeout(SIGNUP_BUDGET, run.complete()).await.unwrap_or_else(|_| Err(unfinished()));
    if done.is_err() {
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

/// Returns the profile of a signup that was completed before.
async fn finished(org: &OrganizationStore, state: &Onboarding) -> Result<Completed, Failure> {
    let profile = org.chat_business_profile(&state.profile_id).await?;
    let profile = profile.ok_or_else(|| no_such_profile("code"))?;
    let (profile, numbers) = super::with_numbers(org, profile).await?;
    Ok(Completed { profile, numbers, is_new: false })
}
