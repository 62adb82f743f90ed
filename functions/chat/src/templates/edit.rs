//! Edits of templates.

use api::Admin;
use domain::chat::template::APPROVED;
use domain::chat::template_draft::{Category, ParameterFormat, edits_that_count, expect_editable};
use domain::chat::{Template, TemplateEdit, TemplateId};
use domain::events::event::{Audience, EventName};
use domain::id::Identifier as _;
use domain::{Failure, Json, Timestamp};
use platform::PlatformTemplate;
use runtime::event;
use serde_json::Value;
use store::{Change, NameItem, StoredTemplate};

use super::create::report_review;
use super::manage::{entry, find, no_such_template};
use super::sample;
use crate::{ChatContext, audit};

const PENDING: &str = "PENDING";

/// Edits a template at the platform, and returns the platform's template after the edit.
pub(super) async fn edit(
    chat: &ChatContext,
    caller: &Admin,
    id: &TemplateId,
    wanted: &TemplateEdit,
) -> Result<Template, Failure> {
    let (org, now) = (chat.context.store.of(&caller.organization), chat.context.now());
    let (profile, stored) = find(&org, caller, id).await?;
    let edit = allowed(&stored, wanted, now)?;
    let sent = edit.components.as_deref().unwrap_or_default();
    let samples = sample::find(chat, &caller.organization, profile.mode, sent).await?;

    let line = chat.platforms.line_of_account(&org, &profile, now).await?;
    let account = &profile.provider_waba_id;
    let uploaded = sample::uploaded(chat, &caller.organization, &line, samples, sent, account).await?;

    let components = edit.components.is_some().then_some(uploaded);
    let request = TemplateEdit { components, ..edit.clone() };
    let under_way = audit::begin(chat, &caller.organization, entry(chat, caller, &stored.template)).await?;
    let done = match line.platform.edit_template(&line.token, account, id.as_str(), &request).await {
        Ok(()) => Ok(()),
        Err(error) => Err(line.failure(error, account).await),
    };
    under_way.end(done).await?;
    if profile.mode.is_test() {
        report_review(chat, &profile, &stored.template, caller).await?;
    }

    // The edit has taken effect. If the platform does not return the template, it is stored as it was sent; the next
    // sync corrects it.
    let shown = line.platform.template(&line.token, account, id.as_str()).await.ok();
    let made = Made { edit, shown, was_approved: stored.template.status == APPROVED, seen: stored.status_at, at: now };

    let read = || async {
        let found = org.template(&profile.id, id.as_str()).await?.ok_or_else(no_such_template)?;
        let (name, language) = (found.template.name.as_deref(), found.template.language.as_deref());
        let named = org.template_named(&profile.id, name.unwrap_or_default(), language.unwrap_or_default()).await?;
        Ok((found, named))
    };
    let decide = |seen: Result<(StoredTemplate, Option<StoredTemplate>), Failure>| {
        let decided = seen.and_then(|(before, named)| {
            let after = made.applied_to(&before);
            let mut change = Change::new(&caller.organization);
            change.update_template(&before, &after, NameItem::of(&after.template, named.as_ref()))?;
            let kind = EventName::TemplatesChatUpdated;
            change.emit(&event(&chat.context, kind, profile.mode, Audience::AllApps, &after.template)?)?;
            Ok((change, after.template))
        });
        std::future::ready(decided)
    };

    // The item by name rarely belongs to another template, so it is read only if a commit on this assumption is
    // rejected.
    chat.context.store.settle_from(Ok((stored, None)), read, decide).await
}

/// Returns the valid edit if the platform allows it now.
fn allowed(stored: &StoredTemplate, wanted: &TemplateEdit, now: Timestamp) -> Result<TemplateEdit, Failure> {
    let template = &stored.template;
    let Some(category) = template.category.as_deref().and_then(Category::of) else {
        let message =
            "The category of this template is not known yet, so it cannot be edited. Sync the templates first.";
        return Err(Failure::conflict(message).with_param("templateId"));
    };
    let format = ParameterFormat::of(template.parameter_format.as_deref());
    let edit = wanted.clone().checked(category, format, template.language.as_deref().unwrap_or_default())?;
    let changes_category = edit.category.is_some_and(|wanted| wanted != category);
    expect_editable(template, &stored.edited_at, changes_category, now)?;
    Ok(edit)
}

/// An edit that has taken effect at the platform.
struct Made {
    edit: TemplateEdit,
    /// The template as the platform showed it afterwards.
    shown: Option<PlatformTemplate>,
    was_approved: bool,
    /// The time of the status before the edit.
    seen: Timestamp,
    at: Timestamp,
}

impl Made {
    fn applied_to(&self, before: &StoredTemplate) -> StoredTemplate {
        let mut after = before.clone();
        let template = &mut after.template;
        let sent = self.edit.components.as_ref().map(|sent| Json::from(Value::Array(sent.clone())));
        template.components = sent.or(template.components.take());
        if let Some(category) = self.edit.category {
            template.category = Some(category.as_str().to_owned());
        }

        let shown = self.shown.as_ref();
        let seconds = shown.and_then(|shown| shown.message_send_ttl_seconds).or(self.edit.message_send_ttl_seconds);
        template.message_send_ttl_seconds = seconds.or(template.message_send_ttl_seconds);
        if let Some(shown) = shown {
            template.components = Some(Json::from(shown.components.clone()));
            template.category = Some(shown.category.clone());
        }

        // A notification of the review may have arrived in the meantime; its status is newer.
        if before.status_at <= self.seen {
            template.status = shown.map_or_else(|| PENDING.to_owned(), |shown| shown.status.clone());
            template.rejected_reason = shown.and_then(|shown| shown.rejected_reason.clone());
            after.status_at = self.at;
        }

        template.updated_at = self.at;
        after.category_at = after.category_at.max(self.at);
        after.edited_at = edits_that_count(&before.edited_at, self.at);
        after.edited_at.extend(self.was_approved.then_some(self.at));
        after.is_named = true;
        after.revision += 1;
        after
    }
}
