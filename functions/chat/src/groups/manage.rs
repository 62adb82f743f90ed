//! Changes of groups. The platform applies them some time after the request, and reports them by a notification. The
//! simulated platform applies them immediately.

use std::future::ready;

use api::AppCaller;
use domain::Failure;
use domain::chat::{Group, GroupStatus};
use platform::{Effect, GroupChange};
use runtime::Context;
use store::{Change, OrganizationStore};

use super::{expect_own, line, no_such_group};
use crate::ChatContext;

/// Returns the platform's id of a group whose status is one of `allowed`.
pub(super) fn platform_id<'a>(group: &'a Group, allowed: &[GroupStatus]) -> Result<&'a str, Failure> {
    let is_allowed = allowed.iter().any(|status| group.status == *status);
    group.provider_group_id.as_deref().filter(|_| is_allowed).ok_or_else(|| {
        let names: Vec<String> = allowed.iter().map(|status| format!("{status:?}").to_uppercase()).collect();
        let message = format!("This is only possible for a group whose status is {}.", names.join(" or "));
        Failure::conflict(message).with_param("groupId")
    })
}

/// Changes the settings of a group.
pub(super) async fn update(
    chat: &ChatContext,
    caller: &AppCaller,
    group: Option<Group>,
    wanted: &GroupChange,
) -> Result<(), Failure> {
    let (group, number) = expect_own(chat, caller, group).await?;
    let platform_id = platform_id(&group, &[GroupStatus::Active])?;
    let line = line(chat, caller, &number).await?;
    match line.platform.update_group(&line.token, platform_id, wanted).await {
        Ok(Effect::Later) => Ok(()),
        Ok(Effect::Now) => {
            let edit = |group: &mut Group| {
                group.subject = wanted.subject.clone().unwrap_or_else(|| group.subject.clone());
                let description = wanted.description.clone().or_else(|| group.description.clone());
                group.description = description.filter(|description| !description.is_empty());
            };
            write(chat, caller, group, edit).await
        }
        Err(error) => Err(line.failure(error, &number.provider_phone_number_id).await),
    }
}

/// Deletes a group at the platform. Its record here is kept, with the status `DELETED`.
pub(super) async fn delete(chat: &ChatContext, caller: &AppCaller, group: Option<Group>) -> Result<(), Failure> {
    let (group, number) = expect_own(chat, caller, group).await?;
    let platform_id = platform_id(&group, &[GroupStatus::Active, GroupStatus::Suspended])?;
    let line = line(chat, caller, &number).await?;
    match line.platform.delete_group(&line.token, platform_id).await {
        Ok(Effect::Later) => Ok(()),
        Ok(Effect::Now) => write(chat, caller, group, |group| group.status = GroupStatus::Deleted.into()).await,
        Err(error) => Err(line.failure(error, &number.provider_phone_number_id).await),
    }
}

/// Replaces the invite link of a group at the platform. Returns the group as it was read, and the new link.
pub(super) async fn replace_invite_link(
    chat: &ChatContext,
    caller: &AppCaller,
    group: Option<Group>,
) -> Result<(Group, String), Failure> {
    let (group, number) = expect_own(chat, caller, group).await?;
    let platform_id = platform_id(&group, &[GroupStatus::Active])?;
    let line = line(chat, caller, &number).await?;
    match line.platform.replace_invite_link(&line.token, platform_id).await {
        Ok(link) => Ok((group, link)),
        Err(error) => Err(line.failure(error, &number.provider_phone_number_id).await),
    }
}

/// Returns the edited group, and the change that writes it. A deleted group loses its reference from the platform's id.
pub(super) fn edited(
    context: &Context,
    org: &OrganizationStore,
    group: Option<Group>,
    edit: impl Fn(&mut Group),
) -> Result<(Group, Change), Failure> {
    let before = group.ok_or_else(no_such_group)?;
    let (mut after, mut change) = (before.clone(), Change::new(org.organization_id()));
    edit(&mut after);
    if after != before {
        after.revision += 1;
        after.updated_at = context.now();
        change.update_group(&before, &after, &[])?;
        if after.status == GroupStatus::Deleted && before.status != GroupStatus::Deleted {
            change.forget_platform_group(&before);
        }
    }
    Ok((after, change))
}

/// Writes the changes that the simulated platform has applied.
pub(super) async fn write(
    chat: &ChatContext,
    caller: &AppCaller,
    group: Group,
    edit: impl Fn(&mut Group),
) -> Result<(), Failure> {
    let (context, org) = (&chat.context, chat.context.store.of(&caller.organization));
    let id = group.id.clone();
    let read = || org.group(&id);
    let decide = |group: Result<Option<Group>, Failure>| {
        let edited = group.and_then(|group| edited(context, &org, group, &edit));
        ready(edited.map(|(_, change)| (change, ())))
    };
    context.store.settle_from(Ok(Some(group)), read, decide).await
}
