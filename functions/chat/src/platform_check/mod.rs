//! The platform check of an organization: finds problems that would prevent messages before a message fails.

pub(crate) mod http;

use api::Admin;
use domain::Failure;
use domain::chat::Finding;
use domain::id::ChatBusinessProfileId;
use futures_util::future::{join, try_join_all};
use platform::{CHECKED_PROFILES, Checker, ToCheck};
use store::{Change, OrganizationStore, PageRequest, Quota};

use crate::{ChatContext, profiles};

/// Checks the installation and the profiles that the caller may see, or one of them.
async fn check(
    chat: &ChatContext,
    caller: &Admin,
    only: Option<&ChatBusinessProfileId>,
) -> Result<Vec<Finding>, Failure> {
    let context = &chat.context;
    // Created first, because the reads count towards the time, too.
    let checker = Checker::new(&chat.platforms, &context.installation.webhook_addresses, context.now());
    let org = context.store.of(&caller.organization);
    let mode = only.map_or(caller.mode, ChatBusinessProfileId::mode);
    let to_check = to_check(&org, caller, only).await?;
    let mut change = Change::new(&caller.organization);
    change.spend(&Quota::platform_checks(mode), 1, context.now())?;
    context.store.commit(&change).await?;
    let (mut findings, of_profiles) = join(checker.installation(mode), checker.profiles(to_check)).await;
    findings.extend(of_profiles);
    Ok(findings)
}

async fn to_check(
    org: &OrganizationStore,
    caller: &Admin,
    only: Option<&ChatBusinessProfileId>,
) -> Result<Vec<ToCheck>, Failure> {
    let found = match only {
        Some(id) => vec![profiles::find(org, caller, id, http::PROFILE).await?],
        None => {
            let all = PageRequest { limit: CHECKED_PROFILES, before: None };
            org.chat_business_profiles(caller.mode.visible(), &all).await?.items
        }
    };
    let with_numbers = found.into_iter().map(|profile| async move {
        let numbers = org.whole_numbers_of_profile(&profile.id).await?;
        Ok(ToCheck { profile, numbers })
    });
    try_join_all(with_numbers).await
}
