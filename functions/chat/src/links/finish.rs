//! Connects the account with the code that the platform has sent to the page. The state of a signup is valid in the browser
//! that began it, and for the first code that comes with it. With the same code, a request continues where the previous one
//! stopped, or returns the same outcome.

use std::time::Duration;

use api::LinkHolder;
use domain::chat::onboarding_link::{CONNECTING, REFUSED_CODES};
use domain::chat::{LinkAttempt, LinkStatus, OnboardingLink};
use domain::id::ChatBusinessProfileId;
use domain::identity::credential::Secret;
use domain::{ErrorKind, Failure};
use store::{Change, OrganizationStore, failure_from_text, failure_to_text};

use super::customer::{expect_idle, expect_open, find, redirect_uri};
use super::{COMPLETION_SECONDS, is_half_connected};
use crate::ChatContext;
use crate::profiles::{LinkSignup, complete_for_link, hash_of_code};

/// The values that the platform and the browser send back.
pub(super) struct Returned {
    pub(super) code: Secret,
    pub(super) state: Secret,
    /// The value of the cookie; empty if there is none.
    pub(super) browser: Secret,
}

enum Step {
    /// The account was connected, or the link has failed.
    Ended(Box<OnboardingLink>),
    /// The account could not be connected with this code.
    Refused(Failure),
    Connect {
        is_coexistence: bool,
    },
}

/// Connects the account, and returns the resulting link.
pub(super) async fn finish(
    chat: &ChatContext,
    holder: &LinkHolder,
    returned: &Returned,
) -> Result<OnboardingLink, Failure> {
    let org = &chat.context.store.of(&holder.organization);
    let begin = || async move { take_turn(chat, org, find(org, holder).await?, returned) };
    let is_coexistence = match chat.context.store.settle(begin).await? {
        Step::Ended(link) => return Ok(*link),
        Step::Refused(failure) => return Err(failure),
        Step::Connect { is_coexistence } => is_coexistence,
    };

    let sent = LinkSignup {
        link_id: holder.link_id.clone(),
        code: returned.code.clone(),
        redirect_uri: redirect_uri(chat),
        is_coexistence,
    };
    let done = complete_for_link(chat, holder, sent).await;

    let outcome = &done;
    let end = || async move { after(chat, holder, find(org, holder).await?, outcome).await };
    let link = chat.context.store.settle(end).await?;
    match done {
        Err(failure) if link.status == LinkStatus::Pending => match refusal(&link)? {
            Some(refusal) => Err(refusal),
            None => Err(failure),
        },
        _ => Ok(link),
    }
}

/// Returns the reason why the account could not be connected with the code of the latest signup, if it was refused.
fn refusal(link: &OnboardingLink) -> Result<Option<Failure>, Failure> {
    let text = link.attempt.as_ref().and_then(|attempt| attempt.refusal.as_deref());
    text.map(failure_from_text).transpose()
}

/// Returns whether the same request cannot succeed later.
fn is_final(failure: &Failure) -> bool {
    use ErrorKind::{Conflict, InvalidRequest, NotFound, Unprocessable};
    let is_rejection = matches!(failure.kind(), InvalidRequest | NotFound | Conflict | Unprocessable);
    is_rejection && failure.retry_after().is_none()
}

/// Checks that the request belongs to the signup, and reserves the connection of the account for it.
fn take_turn(
    chat: &ChatContext,
    org: &OrganizationStore,
    link: OnboardingLink,
    returned: &Returned,
) -> Result<(Change, Step), Failure> {
    let (mut change, now) = (Change::new(org.organization_id()), chat.context.now());
    let status = link.status_at(now);
    if matches!(status, LinkStatus::Cancelled) {
        expect_open(status)?;
    }

    let attempt = own_attempt(&link, returned)?;
    let code_hash = hash_of_code(&returned.code, link.id.mode());
    if attempt.code_hash.as_ref().is_some_and(|first| *first != code_hash) {
        return Err(other_signup("code", "This signup was continued with another code. Start it again."));
    }
    if matches!(status, LinkStatus::Completed | LinkStatus::Failed) {
        return Ok((change, Step::Ended(Box::new(link))));
    }
    expect_open(status)?;
    if let Some(refusal) = refusal(&link)? {
        return Ok((change, Step::Refused(refusal)));
    }
    expect_idle(chat, &link)?;

    let running_until = Some(now.plus(Duration::from_secs(COMPLETION_SECONDS.into())));
    let running = LinkAttempt { code_hash: Some(code_hash), running_until, ..attempt.clone() };
    // From here on, the link neither expires nor can be cancelled until the outcome is known.
    let connecting_until = link.connecting_until.or_else(|| Some(now.plus(CONNECTING)));
    let after =
        OnboardingLink { attempt: Some(running), connecting_until, revision: link.revision + 1, ..link.clone() };
    change.update_onboarding_link(&link, &after)?;
    Ok((change, Step::Connect { is_coexistence: link.is_coexistence }))
}

/// Returns the link after an account could not be connected with a code. The failure is the response to this request and its
/// repetitions, with how many attempts are left.
fn refused(link: &OnboardingLink, failure: &Failure) -> Result<OnboardingLink, Failure> {
    let attempt = link.refused_codes + 1;
    let hint = format!("This was attempt {attempt} of {REFUSED_CODES} with this link. Start the signup again.");
    let refusal = Failure::from(failure.shown().clone()).with_hints([hint]);
    Ok(link.refused(failure, failure_to_text(&refusal)?))
}

fn own_attempt<'a>(link: &'a OnboardingLink, returned: &Returned) -> Result<&'a LinkAttempt, Failure> {
    let own = link.attempt.as_ref().filter(|attempt| attempt.is_of(&returned.state, &returned.browser));
    let message = "This signup was not started in this browser, or it has been restarted since. Start it again.";
    own.ok_or_else(|| other_signup("state", message))
}

fn other_signup(param: &str, message: &str) -> Failure {
    Failure::unprocessable(message).with_param(param)
}

/// Returns the change that stores the outcome, or ends the reservation after a temporary failure. The transaction that
/// connects an account has already completed the link, unless the code was used without the link.
async fn after(
    chat: &ChatContext,
    holder: &LinkHolder,
    link: OnboardingLink,
    done: &Result<ChatBusinessProfileId, Failure>,
) -> Result<(Change, OnboardingLink), Failure> {
    let org = &chat.context.store.of(&holder.organization);
    let mut change = Change::new(&holder.organization);
    if link.status != LinkStatus::Pending {
        return Ok((change, link));
    }
    let after = match done {
        Ok(profile) => link.completed(profile),
        Err(failure) if is_final(failure) => refused(&link, failure)?,
        Err(_) if is_half_connected(org, &link).await? => {
            OnboardingLink { connecting_until: link.connecting_until, ..link.settled() }
        }
        Err(_) => link.settled(),
    };
    change.update_onboarding_link(&link, &after)?;
    if after.status != link.status {
        change.enter(&chat.context.entry(&holder.trail, link.id.mode()).changed(&link, &after))?;
    }
    Ok((change, after))
}
