//! E2: an embedded signup, from the authorization code to a connected profile. What is done is stored before the next step,
//! so that the same request sent again goes on, although its code is spent.

use std::time::Duration;

use api::Admin;
use domain::credential::{Secret, hex};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::playground::SIMULATED_WABA_ID;
use domain::port::random_bytes;
use domain::{Failure, Mode};
use platform::PlatformError;
use runtime::Context;
use store::{Onboarding, OnboardingStart, Quota};
use tokio::time::timeout;

use super::no_such_profile;
use super::steps::{Completed, Run, Signup};
use crate::ChatContext;

/// The gateway answers for us after 30 s.
pub const SIGNUP_BUDGET: Duration = Duration::from_secs(25);
const HELD_RETRY_AFTER: u32 = 5;

fn unfinished() -> Failure {
    let why = "did not answer in time; send the same request again, it goes on where it stopped";
    PlatformError::Unreachable { why, was_sent: true }.into()
}

/// A code is good for one mode: a simulated one says nothing about a live one of the same letters.
fn code_hash(signup: &Signup, mode: Mode) -> String {
    Secret::new(format!("{}\n{}", mode.as_str(), signup.code.expose())).sha256()
}

pub(super) async fn complete(chat: &ChatContext, caller: &Admin, signup: &Signup) -> Result<Completed, Failure> {
    let mode = caller.mode_of_new(signup.test)?;
    if mode.is_test() && signup.waba_id.as_deref() == Some(SIMULATED_WABA_ID) {
        return Err(Failure::invalid("wabaId", "This simulated account is the playground's own; take another number."));
    }
    let (context, organization) = (&chat.context, &caller.organization);
    let hash = code_hash(signup, mode);
    let lease = hex(&random_bytes::<16>(context.random()));
    let state = match begin(context, organization, mode, (&hash, &lease)).await? {
        OnboardingStart::Mine(state) => state,
        OnboardingStart::Finished(state) => return finished(chat, organization, &state).await,
        OnboardingStart::Held => {
            let message = "The same signup is being completed by another request.";
            return Err(Failure::conflict(message).with_param("code").with_retry_after(HELD_RETRY_AFTER));
        }
    };
    let mut run = Run { chat, organization, mode, hash: &hash, lease: &lease, signup, state, token: None };
    let attempt = async {
        context.store.of(organization).spend(&Quota::onboardings(mode), context.now()).await?;
        run.complete().await
    };
    let done = timeout(SIGNUP_BUDGET, attempt).await.unwrap_or_else(|_| Err(unfinished()));
    if done.is_err() {
        // What fails here is found out by the next request, at the latest when the lease has run out.
        let _ = context.store.of(organization).release_onboarding(&hash, &lease).await;
    }
    done
}

async fn begin(
    context: &Context,
    organization: &OrganizationId,
    mode: Mode,
    (hash, lease): (&str, &str),
) -> Result<OnboardingStart, Failure> {
    let now = context.now();
    let fresh = ChatBusinessProfileId::mint(mode, now, context.random());
    context.store.of(organization).begin_onboarding(hash, &fresh, lease, now).await
}

async fn finished(chat: &ChatContext, organization: &OrganizationId, state: &Onboarding) -> Result<Completed, Failure> {
    let profile = chat.context.store.of(organization).chat_business_profile(&state.profile_id).await?;
    let profile = profile.ok_or_else(|| no_such_profile("code"))?;
    let (profile, numbers) = super::with_numbers(chat, organization, profile).await?;
    Ok(Completed { profile, numbers, is_new: false })
}
