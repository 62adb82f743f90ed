//! Single templates: found by the platform's id, and deleted.

use std::future::ready;

use api::Admin;
use api::caller::Sees;
use domain::Failure;
use domain::audit::{Entry, TargetKind};
use domain::chat::{ChatBusinessProfile, Template, TemplateId};
use domain::events::event::{Audience, EventName};
use domain::id::Identifier as _;
use platform::{Line, PlatformError};
use runtime::event;
use store::{Change, NameItem, OrganizationStore, PageRequest, StoredTemplate};

use super::create::INVALID_PARAMETER;
use crate::{ChatContext, audit};

/// An upper bound on the number of languages of the platform.
const LANGUAGES: usize = 1000;

pub(super) fn no_such_template() -> Failure {
    Failure::not_found("templateId", "template")
}

/// Returns a template that the caller may see, with its profile.
pub(super) async fn find(
    org: &OrganizationStore,
    caller: &impl Sees,
    id: &TemplateId,
) -> Result<(ChatBusinessProfile, StoredTemplate), Failure> {
    let found = org.template_of_any_profile(caller.mode().visible(), id.as_str()).await?;
    found.ok_or_else(no_such_template)
}

/// Deletes a template, or all templates of its name, at the platform and here. Returns the ids of those that were stored.
pub(super) async fn delete(
    chat: &ChatContext,
    caller: &Admin,
    id: &TemplateId,
    all_languages: bool,
) -> Result<Vec<String>, Failure> {
    let org = chat.context.store.of(&caller.organization);
    let (profile, stored) = find(&org, caller, id).await?;
    let name = stored.template.name.clone().ok_or_else(|| {
        let message = "The name of this template is not known yet, so it cannot be deleted. Sync the templates first.";
        Failure::conflict(message).with_param("templateId")
    })?;
    let line = chat.platforms.line_of_account(&org, &profile, chat.context.now()).await?;
    let only = (!all_languages).then_some(id.as_str());
    let entry = entry(chat, caller, &stored.template).field("name", Some(&name), None);
    let under_way = audit::begin(chat, &caller.organization, entry).await?;
    under_way.end(delete_at_platform(&line, &profile.provider_waba_id, &name, only).await).await?;

    let mut gone = Vec::new();
    if all_languages {
        let all = PageRequest { limit: LANGUAGES, before: None };
        let others = org.templates_of_name(&profile.id, &name, &all).await?.items;
        gone.extend(others.into_iter().filter(|other| other.template.id != stored.template.id));
    }
    // The template of the request is the last one: as long as it exists, the request can be repeated.
    gone.push(stored);

    for stored in &gone {
        forget(chat, caller, &org, &profile, stored).await?;
    }
    Ok(gone.into_iter().map(|stored| stored.template.id).collect())
}

/// Returns the entry of the audit log for a change of a stored template.
pub(super) fn entry(chat: &ChatContext, caller: &Admin, template: &Template) -> Entry {
    let mode = template.chat_business_profile_id.mode();
    chat.context.entry(&caller.trail, mode).about(TargetKind::Template, &template.id)
}

/// Deletes templates at the platform. Templates that are missing there count as deleted, perhaps by an earlier request.
async fn delete_at_platform(line: &Line, account: &str, name: &str, only: Option<&str>) -> Result<(), Failure> {
    let Err(error) = line.platform.delete_template(&line.token, account, name, only).await else { return Ok(()) };
    if matches!(&error, PlatformError::Rejected(provider) if provider.number() == INVALID_PARAMETER) {
        let listed = line.platform.templates_named(&line.token, account, name).await;
        let is_gone = |listed: &Vec<platform::PlatformTemplate>| {
            !listed.iter().any(|listed| only.is_none_or(|only| listed.id == only))
        };
        if listed.as_ref().is_ok_and(is_gone) {
            return Ok(());
        }
    }
    Err(line.failure(error, account).await)
}

/// Deletes the stored data of a template that the platform has deleted, unless a notification has already done so.
async fn forget(
    chat: &ChatContext,
    caller: &Admin,
    org: &OrganizationStore,
    profile: &ChatBusinessProfile,
    stored: &StoredTemplate,
) -> Result<(), Failure> {
    let (context, id) = (&chat.context, stored.template.id.clone());
    let read = || async {
        let found = org.template(&profile.id, &id).await?;
        let named = match &found {
            Some(StoredTemplate { template: Template { name: Some(name), language: Some(language), .. }, .. }) => {
                org.template_named(&profile.id, name, language).await?
            }
            _ => None,
        };
        Ok((found, named))
    };

    let decide = |seen: Result<(Option<StoredTemplate>, Option<StoredTemplate>), Failure>| {
        let decided = seen.and_then(|(found, named)| {
            let mut change = Change::new(&caller.organization);
            let Some(found) = found else { return Ok((change, ())) };

            let now = context.now();
            change.bury_template(&profile.id, &found.template.id, now, now)?;
            change.delete_template(&found, NameItem::of(&found.template, named.as_ref()))?;
            let kind = EventName::TemplatesChatDeleted;
            change.emit(&event(context, kind, profile.mode, Audience::AllApps, &found.template)?)?;
            Ok((change, ()))
        });
        ready(decided)
    };

    context.store.settle_from(Ok((Some(stored.clone()), None)), read, decide).await
}
