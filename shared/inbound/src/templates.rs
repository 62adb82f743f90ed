//! What the platform tells of templates. A sync knows more, but later.

use domain::chat::Template;
use domain::event::EventName;
use domain::{Failure, Timestamp};
use futures_util::try_join;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use store::{Change, StoredTemplate};

use crate::apply::Applying;
use crate::loose::Loose;
use crate::wire::{read, said};

const APPROVED: &str = "APPROVED";
const GRAIN: Duration = Duration::from_secs(1);

#[derive(Deserialize)]
struct TemplateUpdate {
    message_template_id: Loose,
    message_template_name: Option<String>,
    message_template_language: Option<String>,
    message_template_category: Option<String>,
    /// Of a status.
    event: Option<String>,
    reason: Option<String>,
    /// Of a quality.
    new_quality_score: Option<String>,
    /// Of a category; the current one, whether another is announced or was left.
    new_category: Option<String>,
}

/// What becomes of a template by an event of its status.
enum Fate {
    Status(String),
    Unchanged,
    Deleted,
}

fn fate(event: &str) -> Fate {
    match event {
        "DELETED" => Fate::Deleted,
        "REINSTATED" | "UNARCHIVED" => Fate::Status(APPROVED.to_owned()),
        // A warning; the template goes on being used.
        "FLAGGED" => Fate::Unchanged,
        status => Fate::Status(status.to_owned()),
    }
}

impl Applying<'_> {
    pub(crate) async fn template(&self) -> Result<Change, Failure> {
        let told: TemplateUpdate = read(&self.update.body)?;
        let id = &told.message_template_id.0;
        let known = self.store.template(&self.route.profile_id, id);
        let (known, profile) = try_join!(known, self.store.chat_business_profile(&self.route.profile_id))?;
        let synced_at = profile.and_then(|profile| profile.templates_synced_at);
        if !self.is_news(synced_at) {
            return Ok(self.change());
        }
        match (known, told.event.as_deref().map(fate)) {
            (Some(known), Some(Fate::Deleted)) if self.is_news(Some(known.status_at)) => self.template_deleted(&known),
            (Some(known), fate) => self.template_changed(&known, told, fate),
            (None, Some(Fate::Deleted)) => self.template_buried(id),
            // Without its status a template cannot be shown; the next sync brings it.
            (None, None | Some(Fate::Unchanged)) => Ok(self.change()),
            (None, Some(Fate::Status(status))) => {
                let buried_at = self.store.template_buried_at(&self.route.profile_id, id).await?;
                if buried_at.is_some_and(|at| self.said_at() <= at) {
                    return Ok(self.change());
                }
                self.template_created(told, status)
            }
        }
    }

    /// The platform's times are whole seconds: what was learnt within the same one may be older than it looks.
    fn is_news(&self, known_at: Option<Timestamp>) -> bool {
        known_at.is_none_or(|known| self.said_at().plus(GRAIN) > known)
    }

    fn template_buried(&self, id: &str) -> Result<Change, Failure> {
        let mut change = self.once();
        change.bury_template((&self.route.profile_id, id), self.said_at(), self.now)?;
        Ok(change)
    }

    fn template_deleted(&self, known: &StoredTemplate) -> Result<Change, Failure> {
        let mut change = self.template_buried(&known.template.id)?;
        change.delete_template(known);
        let event = self.event_of_account(EventName::TemplatesChatDeleted, &known.template)?;
        change.emit(&event)?;
        Ok(change)
    }

    fn template_changed(
        &self,
        before: &StoredTemplate,
        told: TemplateUpdate,
        fate: Option<Fate>,
    ) -> Result<Change, Failure> {
        let mut after = before.clone();
        let (template, at) = (&mut after.template, self.said_at());
        if let Some(Fate::Status(status)) = fate
            && self.is_news(Some(before.status_at))
        {
            template.status = status;
            template.rejected_reason = rejection(told.reason);
            after.status_at = at.max(before.status_at);
        }
        if let Some(score) = said(told.new_quality_score)
            && self.is_news(Some(before.quality_at))
        {
            template.quality_score = Some(score);
            after.quality_at = at.max(before.quality_at);
        }
        if let Some(category) = said(told.new_category).or(said(told.message_template_category))
            && self.is_news(Some(before.category_at))
        {
            template.category = category;
            after.category_at = at.max(before.category_at);
        }
        let mut change = self.once();
        if after == *before {
            return Ok(change);
        }
        after.revision += 1;
        let is_changed = after.template != before.template;
        if is_changed {
            after.template.updated_at = self.now;
        }
        change.update_template(before, &after)?;
        if is_changed {
            let is_connected = after.template.status == APPROVED && before.template.status != APPROVED;
            let kind = if is_connected { EventName::TemplatesChatConnected } else { EventName::TemplatesChatUpdated };
            change.emit(&self.event_of_account(kind, &after.template)?)?;
        }
        Ok(change)
    }

    fn template_created(&self, told: TemplateUpdate, status: String) -> Result<Change, Failure> {
        let template = Template {
            id: told.message_template_id.0,
            chat_business_profile_id: self.route.profile_id.clone(),
            name: told.message_template_name.unwrap_or_default(),
            // Both "en-US" and "en_US" occur; the API of templates has the second.
            language: told.message_template_language.unwrap_or_default().replace('-', "_"),
            category: said(told.new_category).or(told.message_template_category).unwrap_or_default(),
            status,
            components: json!([]),
            parameter_format: None,
            quality_score: said(told.new_quality_score),
            rejected_reason: rejection(told.reason),
            created_at: self.now,
            updated_at: self.now,
        };
        let at = self.said_at();
        let stored = StoredTemplate { template, status_at: at, quality_at: at, category_at: at, revision: 1 };
        let mut change = self.once();
        change.create_template(&stored)?;
        let event = self.event_of_account(EventName::TemplatesChatCreated, &stored.template)?;
        change.emit(&event)?;
        Ok(change)
    }
}

fn rejection(reason: Option<String>) -> Option<String> {
    said(reason).filter(|reason| reason != "NONE")
}
