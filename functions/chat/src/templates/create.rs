//! The creation of templates. The platform creates a template first, and its response is stored afterwards. If a request stops
//! in between, a repeated one finds the template at the platform and adopts it.

use api::Admin;
use domain::audit::{Entry, TargetKind};
use domain::chat::template_draft::{FoundSample, ParameterFormat, is_same_content};
use domain::chat::{ChatBusinessProfile, Template, TemplateDraft};
use domain::events::event::{Audience, EventName};
use domain::id::ChatBusinessProfileId;
use domain::{Failure, Json};
use inbound::{TemplateRef, simulated_review};
use platform::{CreatedTemplate, Line, PlatformError, PlatformTemplate};
use runtime::event;
use store::{Change, NameItem, OrganizationStore, StoredTemplate};

use super::filter::PROFILE;
use super::sample;
use crate::{ChatContext, audit, profiles};

const PENDING: &str = "PENDING";
/// The platform's code for a request that it finds invalid, and for an object that does not exist.
pub(super) const INVALID_PARAMETER: i64 = 100;

/// The validated body of the operation.
pub(crate) struct Creation {
    pub(super) profile: ChatBusinessProfileId,
    pub(super) draft: TemplateDraft,
    pub(super) dry_run: bool,
}

/// The stored state of the template so far: from a notification about it, and the template that has its name.
#[derive(Default)]
pub(super) struct Known {
    template: Option<StoredTemplate>,
    named: Option<StoredTemplate>,
}

impl Known {
    pub(super) async fn read(org: &OrganizationStore, template: &Template) -> Result<Self, Failure> {
        let profile = &template.chat_business_profile_id;
        let (name, language) = (template.name.as_deref(), template.language.as_deref());
        Ok(Known {
            template: org.template(profile, &template.id).await?,
            named: org.template_named(profile, name.unwrap_or_default(), language.unwrap_or_default()).await?,
        })
    }
}

/// Checks the requirements that depend on stored objects. Returns the profile, and the example files of headers.
pub(super) async fn check(
    chat: &ChatContext,
    caller: &Admin,
    wanted: &Creation,
) -> Result<(ChatBusinessProfile, Vec<FoundSample>), Failure> {
    let organization = &caller.organization;
    let profile = profiles::find(&chat.context.store.of(organization), caller, &wanted.profile, PROFILE).await?;
    let samples = sample::find(chat, organization, profile.mode, &wanted.draft.components).await?;
    Ok((profile, samples))
}

/// Creates the template at the platform, and returns it in the form to store.
pub(super) async fn request(chat: &ChatContext, caller: &Admin, wanted: &Creation) -> Result<Template, Failure> {
    let (org, now) = (chat.context.store.of(&caller.organization), chat.context.now());
    let (profile, samples) = check(chat, caller, wanted).await?;
    let line = chat.platforms.line_of_account(&org, &profile, now).await?;
    let account = &profile.provider_waba_id;
    let sent = &wanted.draft.components;
    let components = sample::uploaded(chat, &caller.organization, &line, samples, sent, account).await?;

    let draft = TemplateDraft { components, ..wanted.draft.clone() };
    let under_way = audit::begin(chat, &caller.organization, entry(chat, caller, wanted)).await?;
    let created = created(&org, &line, account, wanted, &draft).await;
    let created = under_way.end_with(created, |entry, made| entry.about(TargetKind::Template, &made.id)).await?;

    let template = template(wanted, created, now);
    if profile.mode.is_test() {
        report_review(chat, &profile, &template, caller).await?;
    }
    Ok(template)
}

/// Returns the entry of the audit log. The target is the account until the template has an id.
fn entry(chat: &ChatContext, caller: &Admin, wanted: &Creation) -> Entry {
    let draft = &wanted.draft;
    let entry = chat.context.entry(&caller.trail, wanted.profile.mode());
    let entry = entry.about(TargetKind::ChatBusinessProfile, &wanted.profile);
    entry.field("name", None, Some(&draft.name)).field("language", None, Some(&draft.language))
}

/// Creates the template at the platform, or adopts the one that an earlier request created there.
async fn created(
    org: &OrganizationStore,
    line: &Line,
    account: &str,
    wanted: &Creation,
    draft: &TemplateDraft,
) -> Result<CreatedTemplate, Failure> {
    match line.platform.create_template(&line.token, account, draft).await {
        Ok(created) => Ok(created),
        Err(PlatformError::Rejected(provider)) if provider.number() == INVALID_PARAMETER => {
            match existing(line, account, &wanted.draft).await {
                Some(listed) => adopt(org, wanted, listed).await,
                None => Err(line.failure(PlatformError::Rejected(provider), account).await),
            }
        }
        Err(error) => Err(line.failure(error, account).await),
    }
}

/// Makes the simulated platform report the review of a template that was created or edited now.
pub(super) async fn report_review(
    chat: &ChatContext,
    profile: &ChatBusinessProfile,
    template: &Template,
    caller: &Admin,
) -> Result<(), Failure> {
    let reviewed = TemplateRef {
        id: template.id.clone(),
        name: template.name.clone(),
        language: template.language.clone(),
        category: template.category.clone(),
    };
    let jobs = simulated_review(&caller.organization, profile, &reviewed, chat.context.now())?;
    chat.queue.send_later(&jobs).await
}

/// Returns the account's template with this name and language. Also `None` if the platform cannot be read: then the
/// error of the creation is reported.
async fn existing(line: &Line, account: &str, draft: &TemplateDraft) -> Option<PlatformTemplate> {
    let listed = line.platform.templates_named(&line.token, account, &draft.name).await;
    listed.ok()?.into_iter().find(|listed| listed.language == draft.language)
}

/// Adopts a template that the platform already has because an earlier request created it and was not finished. Fails if
/// it is another one, or if it is stored.
async fn adopt(
    org: &OrganizationStore,
    wanted: &Creation,
    listed: PlatformTemplate,
) -> Result<CreatedTemplate, Failure> {
    let stored = org.template(&wanted.profile, &listed.id).await?;
    let is_stored = stored.is_some_and(|stored| stored.template.components.is_some());
    if is_stored || !is_same_content(&wanted.draft.components, &listed.components, wanted.draft.category) {
        let message = "The account has a template with this name and language. Change it with PATCH \
                       /v1/organization/chat/templates/{templateId}, or use another name or language. If it is not listed, \
                       sync the templates.";
        return Err(Failure::already_exists("name", message));
    }
    Ok(CreatedTemplate { id: listed.id, status: Some(listed.status), category: Some(listed.category) })
}

fn template(wanted: &Creation, created: CreatedTemplate, now: domain::Timestamp) -> Template {
    let draft = &wanted.draft;
    let format = draft.parameter_format.unwrap_or(ParameterFormat::Positional);
    Template {
        id: created.id,
        chat_business_profile_id: wanted.profile.clone(),
        name: Some(draft.name.clone()),
        language: Some(draft.language.clone()),
        category: Some(created.category.unwrap_or_else(|| draft.category.as_str().to_owned())),
        status: created.status.unwrap_or_else(|| PENDING.to_owned()),
        components: Some(Json::from(serde_json::Value::Array(draft.components.clone()))),
        parameter_format: Some(format.as_str().to_owned()),
        message_send_ttl_seconds: draft.message_send_ttl_seconds,
        quality_score: None,
        rejected_reason: None,
        created_at: now,
        updated_at: now,
    }
}

/// Decides on the template to store. A notification may have stored it already, with a newer status.
pub(super) fn store(
    chat: &ChatContext,
    caller: &Admin,
    new: &Template,
    known: &Known,
) -> Result<(Template, Change), Failure> {
    let (mut change, mode) = (Change::new(&caller.organization), new.chat_business_profile_id.mode());
    let name = NameItem::of(new, known.named.as_ref());
    let (stored, kind) = match &known.template {
        None => {
            let (template, at) = (new.clone(), new.created_at);
            let stored = StoredTemplate {
                template,
                status_at: at,
                quality_at: at,
                category_at: at,
                components_at: None,
                is_named: true,
                edited_at: Vec::new(),
                revision: 1,
            };
            change.create_template(&stored, name)?;
            (stored, EventName::TemplatesChatCreated)
        }
        Some(before) => {
            let mut after = before.clone();
            after.template = Template {
                category: before.template.category.clone().or(new.category.clone()),
                status: before.template.status.clone(),
                quality_score: before.template.quality_score.clone(),
                rejected_reason: before.template.rejected_reason.clone(),
                created_at: before.template.created_at,
                ..new.clone()
            };
            after.is_named = true;
            after.revision += 1;
            change.update_template(before, &after, NameItem::of(&after.template, known.named.as_ref()))?;
            (after, EventName::TemplatesChatUpdated)
        }
    };

    change.emit(&event(&chat.context, kind, mode, Audience::AllApps, &stored.template)?)?;
    Ok((stored.template, change))
}
