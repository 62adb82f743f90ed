//! Updates of message templates. A template sync provides more detail, but later.

use domain::chat::Template;
use domain::event::EventName;
use domain::{Failure, Timestamp};
use futures_util::try_join;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use store::{Change, StoredTemplate};

use crate::apply::UpdateHandler;
use crate::lenient::TextOrNumber;
use crate::wire::{non_empty, read};

const APPROVED: &str = "APPROVED";
/// The resolution of the platform's timestamps.
const TIME_RESOLUTION: Duration = Duration::from_secs(1);

#[derive(Deserialize)]
struct TemplateUpdate {
    message_template_id: TextOrNumber,
    message_template_name: Option<String>,
    message_template_language: Option<String>,
    message_template_category: Option<String>,
    /// The new status, in a status update.
    event: Option<String>,
    reason: Option<String>,
    /// The new quality, in a quality update.
    new_quality_score: Option<String>,
    /// The current category, in a category update.
    new_category: Option<String>,
}

/// The effect of a status event on a template.
enum Fate {
    Status(String),
    Unchanged,
    Deleted,
}

fn fate(event: &str) -> Fate {
    match event {
        "DELETED" => Fate::Deleted,
        "REINSTATED" | "UNARCHIVED" => Fate::Status(APPROVED.to_owned()),
        // A warning: the template can still be used.
        "FLAGGED" => Fate::Unchanged,
        status => Fate::Status(status.to_owned()),
    }
}

impl UpdateHandler<'_> {
    pub(crate) async fn template(&self) -> Result<Change, Failure> {
        let sent: TemplateUpdate = read(&self.update.body)?;
        let id = &sent.message_template_id.0;
        let known = self.store.template(&self.route.profile_id, id);
        let (known, profile) = try_join!(known, self.store.chat_business_profile(&self.route.profile_id))?;
        let synced_at = profile.and_then(|profile| profile.templates_synced_at);
        if !self.is_newer(synced_at) {
            return Ok(self.change());
        }
        match (known, sent.event.as_deref().map(fate)) {
            (Some(known), Some(Fate::Deleted)) if self.is_newer(Some(known.status_at)) => self.template_deleted(&known),
            (Some(known), fate) => self.template_changed(&known, sent, fate),
            (None, Some(Fate::Deleted)) => self.template_buried(id),
            // A template cannot be shown without its status. The next sync adds it.
            (None, None | Some(Fate::Unchanged)) => Ok(self.change()),
            (None, Some(Fate::Status(status))) => {
                let buried_at = self.store.template_buried_at(&self.route.profile_id, id).await?;
                if buried_at.is_some_and(|at| self.reported_at() <= at) {
                    return Ok(self.change());
                }
                self.template_created(sent, status)
            }
        }
    }

    /// Returns whether the update is newer than the stored state. The platform's timestamps are whole seconds, so an
    /// update of the same second counts as newer.
    fn is_newer(&self, known_at: Option<Timestamp>) -> bool {
        known_at.is_none_or(|known| self.reported_at().plus(TIME_RESOLUTION) > known)
    }

    fn template_buried(&self, id: &str) -> Result<Change, Failure> {
        let mut change = self.idempotent_change();
        change.bury_template((&self.route.profile_id, id), self.reported_at(), self.now)?;
        Ok(change)
    }

    fn template_deleted(&self, known: &StoredTemplate) -> Result<Change, Failure> {
        let mut change = self.template_buried(&known.template.id)?;
        change.delete_template(known);
        let event = self.event_for_live_apps(EventName::TemplatesChatDeleted, &known.template)?;
        change.emit(&event)?;
        Ok(change)
    }

    fn template_changed(
        &self,
        before: &StoredTemplate,
        sent: TemplateUpdate,
        fate: Option<Fate>,
    ) -> Result<Change, Failure> {
        let mut after = before.clone();
        let (template, at) = (&mut after.template, self.reported_at());
        if let Some(Fate::Status(status)) = fate
            && self.is_newer(Some(before.status_at))
        {
            template.status = status;
            template.rejected_reason = rejection(sent.reason);
            after.status_at = at.max(before.status_at);
        }
        if let Some(score) = non_empty(sent.new_quality_score)
            && self.is_newer(Some(before.quality_at))
        {
            template.quality_score = Some(score);
            after.quality_at = at.max(before.quality_at);
        }
        if let Some(category) = non_empty(sent.new_category).or(non_empty(sent.message_template_category))
            && self.is_newer(Some(before.category_at))
        {
            template.category = category;
            after.category_at = at.max(before.category_at);
        }
        let mut change = self.idempotent_change();
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
            change.emit(&self.event_for_live_apps(kind, &after.template)?)?;
        }
        Ok(change)
    }

    fn template_created(&self, sent: TemplateUpdate, status: String) -> Result<Change, Failure> {
        let template = Template {
            id: sent.message_template_id.0,
            chat_business_profile_id: self.route.profile_id.clone(),
            name: sent.message_template_name.unwrap_or_default(),
            // Both "en-US" and "en_US" occur; the API of templates has the second.
            language: sent.message_template_language.unwrap_or_default().replace('-', "_"),
            category: non_empty(sent.new_category).or(sent.message_template_category).unwrap_or_default(),
            status,
            components: json!([]),
            parameter_format: None,
            quality_score: non_empty(sent.new_quality_score),
            rejected_reason: rejection(sent.reason),
            created_at: self.now,
            updated_at: self.now,
        };
        let at = self.reported_at();
        let stored = StoredTemplate { template, status_at: at, quality_at: at, category_at: at, revision: 1 };
        let mut change = self.idempotent_change();
        change.create_template(&stored)?;
        let event = self.event_for_live_apps(EventName::TemplatesChatCreated, &stored.template)?;
        change.emit(&event)?;
        Ok(change)
    }
}

fn rejection(reason: Option<String>) -> Option<String> {
    non_empty(reason).filter(|reason| reason != "NONE")
}
