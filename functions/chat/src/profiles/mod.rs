//! Chat business profiles: the business accounts at the platform that the organization has connected.

mod app_data;
mod connect;
pub(crate) mod connect_http;
mod disconnect;
mod grant;
mod granted;
pub(crate) mod http;
mod signup;
mod steps;
mod token;

use api::caller::Sees;
use domain::Failure;
use domain::chat::{ChatBusinessProfile, ProfileNumber};
use domain::id::ChatBusinessProfileId;
use futures_util::future::try_join_all;
use store::{OrganizationStore, Page};

pub use signup::SIGNUP_BUDGET;
pub(crate) use signup::{LinkSignup, complete_for_link, hash_of_code};

/// A profile with the numbers that it shows.
type WithNumbers = (ChatBusinessProfile, Vec<ProfileNumber>);

pub(crate) fn no_such_profile(param: &str) -> Failure {
    Failure::not_found(param, "chat business profile")
}

/// Returns the profile if it exists and the caller may see it.
pub(crate) async fn find(
    org: &OrganizationStore,
    caller: &impl Sees,
    id: &ChatBusinessProfileId,
    param: &str,
) -> Result<ChatBusinessProfile, Failure> {
    caller.expect_visible(id.mode(), param, "chat business profile")?;
    org.chat_business_profile(id).await?.ok_or_else(|| no_such_profile(param))
}

async fn with_numbers(org: &OrganizationStore, profile: ChatBusinessProfile) -> Result<WithNumbers, Failure> {
    let numbers = org.numbers_of_profile(&profile.id).await?;
    Ok((profile, numbers))
}

async fn list(org: &OrganizationStore, page: Page<ChatBusinessProfile>) -> Result<Page<WithNumbers>, Failure> {
    let numbers = try_join_all(page.items.iter().map(|profile| org.numbers_of_profile(&profile.id))).await?;
    Ok(Page { items: page.items.into_iter().zip(numbers).collect(), next: page.next })
}
