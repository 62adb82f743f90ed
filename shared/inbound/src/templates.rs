//! What the platform tells of templates. A sync knows more, but later.

use domain::chat::Template;
use domain::event::EventName;
use domain::{Failure, Timestamp};
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use store::{Change, StoredTemplate};

use crate::apply::Applying;
use crate::loose::Loose;
use crate::wire::{read, said};

const APPROVED: &str = "APPROVED";
/// The platform's times are whole seconds: what was learnt within the same second may be older than it looks.
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
        let (o, profile) = (self.organization(), &self.route.profile_id);
        let known = self.inbox.context.store.template(o, profile, &told.message_template_id.0).await?;
        match (known, told.event.as_deref().map(fate)) {
            (Some(known), _) if self.said_at().plus(GRAIN) <= known.known_at => Ok(Change::new()),
            (Some(known), Some(Fate::Deleted)) => self.template_deleted(&known),
            (Some(known), fate) => self.template_changed(&known, told, fate),
            // Without its status a template cannot be shown; the next sync brings it.
            (None, None | Some(Fate::Deleted | Fate::Unchanged)) => Ok(Change::new()),
            (None, Some(Fate::Status(status))) => self.template_created(told, status),
        }
    }

    fn template_deleted(&self, known: &StoredTemplate) -> Result<Change, Failure> {
        let mut change = self.once();
        change.delete_template(self.organization(), known);
        let event = self.event_of_account(EventName::TemplatesChatDeleted, &known.template)?;
        change.emit(self.organization(), &event)?;
        Ok(change)
    }

    fn template_changed(
        &self,
        before: &StoredTemplate,
        told: TemplateUpdate,
        fate: Option<Fate>,
    ) -> Result<Change, Failure> {
        let mut after = before.clone();
        let template = &mut after.template;
        if let Some(Fate::Status(status)) = fate {
            template.status = status;
            template.rejected_reason = rejection(told.reason);
        }
        template.quality_score = said(told.new_quality_score).or(template.quality_score.take());
        template.category =
            said(told.new_category).or(said(told.message_template_category)).unwrap_or(template.category.clone());
        let mut change = self.once();
        if after == *before {
            return Ok(change);
        }
        let is_connected = after.template.status == APPROVED && before.template.status != APPROVED;
        let kind = if is_connected { EventName::TemplatesChatConnected } else { EventName::TemplatesChatUpdated };
        after.template.updated_at = self.now;
        after.known_at = before.known_at.max(self.said_at());
        after.revision += 1;
        change.update_template(self.organization(), before, &after)?;
        change.emit(self.organization(), &self.event_of_account(kind, &after.template)?)?;
        Ok(change)
    }

    fn template_created(&self, told: TemplateUpdate, status: String) -> Result<Change, Failure> {
        let at: Timestamp = self.now;
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
            created_at: at,
            updated_at: at,
        };
        let stored = StoredTemplate { template, known_at: self.said_at(), revision: 1 };
        let mut change = self.once();
        change.create_template(self.organization(), &stored)?;
        let event = self.event_of_account(EventName::TemplatesChatCreated, &stored.template)?;
        change.emit(self.organization(), &event)?;
        Ok(change)
    }
}

fn rejection(reason: Option<String>) -> Option<String> {
    said(reason).filter(|reason| reason != "NONE")
}
