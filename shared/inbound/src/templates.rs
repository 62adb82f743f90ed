//! Updates of message templates. A template sync provides more detail, but later.

use domain::chat::Template;
use domain::events::event::EventName;
use domain::{Failure, Mode, Timestamp};
use futures_util::try_join;
use platform::fields::COMPONENTS_UPDATE;
use std::time::Duration;
use store::{Change, NameItem, StoredTemplate};

use crate::apply::UpdateHandler;
use crate::lenient::Object;
use crate::template_components::ComponentsUpdate;
use crate::wire::unreadable;

const APPROVED: &str = "APPROVED";
/// The resolution of the platform's timestamps.
const TIME_RESOLUTION: Duration = Duration::from_secs(1);

struct TemplateUpdate {
    id: Option<String>,
    name: Option<String>,
    language: Option<String>,
    category: Option<String>,
    /// The new status, in a status update.
    event: Option<String>,
    reason: Option<String>,
    /// The new quality, in a quality update.
    quality: Option<String>,
}

impl TemplateUpdate {
    fn read(template: &mut Object<'_>) -> Self {
        let language = template.text("message_template_language");
        TemplateUpdate {
            id: template.id("message_template_id"),
            name: template.text("message_template_name"),
            // Notifications contain both "en-US" and "en_US"; the platform's template API returns the latter.
            language: language.map(|language| language.replace('-', "_")),
            // A category update has the current category as the new one.
            category: template.text("new_category").or_else(|| template.text("message_template_category")),
            event: template.text("event"),
            reason: template.text("reason").filter(|reason| reason != "NONE"),
            quality: template.text("new_quality_score"),
        }
    }
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
        let (sent, _) = self.read(TemplateUpdate::read)?;
        let id = &sent.id.clone().ok_or_else(|| unreadable("an update of a template has no id"))?;
        let known = self.store.template(&self.route.profile_id, id);
        let (known, profile) = try_join!(known, self.profile())?;
        if !self.is_newer(profile.templates_synced_at) {
            return Ok(self.change());
        }

        let mode = profile.mode;
        match (known, sent.event.as_deref().map(fate)) {
            (Some(known), Some(Fate::Deleted)) if self.is_newer(Some(known.status_at)) => {
                self.template_deleted(mode, &known).await
            }
            (Some(known), fate) => self.template_changed(mode, &known, sent, fate).await,
            (None, Some(Fate::Deleted)) => self.template_buried(id),
            // A template cannot be shown without its status. The next sync adds it.
            (None, None | Some(Fate::Unchanged)) => Ok(self.change()),
            (None, Some(Fate::Status(status))) => {
                let buried_at = self.store.template_buried_at(&self.route.profile_id, id).await?;
                if buried_at.is_some_and(|at| self.reported_at() <= at) {
                    return Ok(self.change());
                }
                self.template_created(mode, id, sent, status)
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
        change.bury_template(&self.route.profile_id, id, self.reported_at(), self.now)?;
        Ok(change)
    }

    /// Returns the effect of a write on the item of the template's name and language.
    async fn name_item(&self, template: &Template) -> Result<NameItem, Failure> {
        let (name, language) = (template.name.as_deref(), template.language.as_deref());
        let named =
            self.store.template_named(&self.route.profile_id, name.unwrap_or_default(), language.unwrap_or_default());
        Ok(NameItem::of(template, named.await?.as_ref()))
    }

    async fn template_deleted(&self, mode: Mode, known: &StoredTemplate) -> Result<Change, Failure> {
        let mut change = self.template_buried(&known.template.id)?;
        change.delete_template(known, self.name_item(&known.template).await?)?;
        let event = self.event_for_apps_of_mode(mode, EventName::TemplatesChatDeleted, &known.template)?;
        change.emit(&event)?;
        Ok(change)
    }

    async fn template_changed(
        &self,
        mode: Mode,
        before: &StoredTemplate,
        sent: TemplateUpdate,
        fate: Option<Fate>,
    ) -> Result<Change, Failure> {
        let mut after = before.clone();
        let (template, at) = (&mut after.template, self.reported_at());
        template.name = template.name.take().or(sent.name);
        template.language = template.language.take().or(sent.language);

        if let Some(Fate::Status(status)) = fate
            && self.is_newer(Some(before.status_at))
        {
            template.status = status;
            template.rejected_reason = sent.reason;
            after.status_at = at.max(before.status_at);
        }
        if let Some(score) = sent.quality
            && self.is_newer(Some(before.quality_at))
        {
            template.quality_score = Some(score);
            after.quality_at = at.max(before.quality_at);
        }
        if let Some(category) = sent.category
            && self.is_newer(Some(before.category_at))
        {
            template.category = Some(category);
            after.category_at = at.max(before.category_at);
        }

        if self.update.field == COMPONENTS_UPDATE && self.is_newer(before.components_at) {
            let (components, _) = self.read(ComponentsUpdate::read)?;
            template.components = template.components.take().map(|known| components.applied_to(known));
            after.components_at = Some(at);
        }

        let mut change = self.idempotent_change();
        if after == *before {
            return Ok(change);
        }
        after.is_named = true;
        after.revision += 1;
        let is_changed = after.template != before.template;
        if is_changed {
            after.template.updated_at = self.now;
        }
        change.update_template(before, &after, self.name_item(&after.template).await?)?;

        if is_changed {
            let is_connected = after.template.status == APPROVED && before.template.status != APPROVED;
            let kind = if is_connected { EventName::TemplatesChatConnected } else { EventName::TemplatesChatUpdated };
            change.emit(&self.event_for_apps_of_mode(mode, kind, &after.template)?)?;
        }
        Ok(change)
    }

    fn template_created(&self, mode: Mode, id: &str, sent: TemplateUpdate, status: String) -> Result<Change, Failure> {
        let template = Template {
            id: id.to_owned(),
            chat_business_profile_id: self.route.profile_id.clone(),
            name: sent.name,
            language: sent.language,
            category: sent.category,
            status,
            components: None,
            parameter_format: None,
            message_send_ttl_seconds: None,
            quality_score: sent.quality,
            rejected_reason: sent.reason,
            created_at: self.now,
            updated_at: self.now,
        };

        let at = self.reported_at();
        let (status_at, quality_at, category_at) = (at, at, at);
        let stored = StoredTemplate {
            template,
            status_at,
            quality_at,
            category_at,
            components_at: None,
            is_named: true,
            edited_at: Vec::new(),
            revision: 1,
        };

        let mut change = self.idempotent_change();
        change.create_template(&stored, NameItem::Follows)?;
        let event = self.event_for_apps_of_mode(mode, EventName::TemplatesChatCreated, &stored.template)?;
        change.emit(&event)?;
        Ok(change)
    }
}
