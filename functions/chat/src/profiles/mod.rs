//! Business profiles: the accounts at the platform that the organization has connected.

mod connect;
pub(crate) mod http;
mod signup;
mod steps;
mod token;

use api::Admin;
use api::caller::Sees;
use domain::Failure;
use domain::chat::{ChatBusinessProfile, ProfileNumber};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use futures_util::future::try_join_all;
use store::Page;

use crate::ChatContext;

pub use signup::SIGNUP_BUDGET;

type WithNumbers = (ChatBusinessProfile, Vec<ProfileNumber>);

pub(crate) fn no_such_profile(param: &str) -> Failure {
    Failure::not_found(param, "chat business profile")
}

/// A profile that the caller may see.
pub(crate) async fn find(
    chat: &ChatContext,
    caller: &impl Sees,
    organization: &OrganizationId,
    (id, param): (&ChatBusinessProfileId, &str),
) -> Result<ChatBusinessProfile, Failure> {
    caller.expect_visible(id.mode(), param, "chat business profile")?;
    chat.context.store.of(organization).chat_business_profile(id).await?.ok_or_else(|| no_such_profile(param))
}

async fn with_numbers(
    chat: &ChatContext,
    organization: &OrganizationId,
    profile: ChatBusinessProfile,
) -> Result<WithNumbers, Failure> {
    let numbers = chat.context.store.of(organization).numbers_of_profile(&profile.id).await?;
    Ok((profile, numbers))
}

fn visible(found: Option<ChatBusinessProfile>, caller: &Admin) -> Result<ChatBusinessProfile, Failure> {
    let profile = found.ok_or_else(|| no_such_profile("profileId"))?;
    caller.expect_visible(profile.id.mode(), "profileId", "chat business profile")?;
    Ok(profile)
}

async fn list(
    chat: &ChatContext,
    organization: &OrganizationId,
    page: Page<ChatBusinessProfile>,
) -> Result<Page<WithNumbers>, Failure> {
    let own = chat.context.store.of(organization);
    let numbers = try_join_all(page.items.iter().map(|profile| own.numbers_of_profile(&profile.id))).await?;
    Ok(Page { items: page.items.into_iter().zip(numbers).collect(), next: page.next })
}
