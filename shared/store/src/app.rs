//! Apps. Every change of an app's keys, webhooks and numbers increments the app's revision, so that a deletion notices
//! concurrent changes.

use domain::app::App;
use domain::calling::CallingSettings;
use domain::id::{AppId, OrganizationId, WebhookId};
use domain::key::AppKey;
use domain::webhook::Webhook;
use domain::{Failure, Mode, Timestamp};
use serde::Deserialize;

use crate::change::{Change, Refused, Verdict, absent_or, fail_with, stale};
use crate::expression::{Condition, Update};
use crate::item::{NewItem, entities, entity, number, value};
use crate::organization::Counter;
use crate::page::{Page, PageRequest};
use crate::table::Range;
use crate::{OrganizationStore, Reads, keys};

pub(crate) fn no_such_app() -> Failure {
    Failure::not_found("appId", "app")
}

fn app_item(organization: &OrganizationId, app: &App) -> Result<NewItem, Failure> {
    Ok(NewItem::new(&keys::app(organization, &app.id), app)?.string_set("numbers"))
}

/// The fields that an update supplies: a new name, a new slug, or both.
pub struct AppUpdate<'a> {
    pub name: Option<&'a str>,
    pub slug: Option<&'a str>,
}

/// The record of a deleted app: what still refers to the app and must be cleared.
#[derive(Deserialize)]
pub struct DeletedApp {
    pub id: AppId,
    #[serde(default)]
    pub numbers: Vec<String>,
    #[serde(default)]
    pub webhooks: Vec<WebhookId>,
}

impl Reads {
    pub async fn app(&self, id: &AppId) -> Result<Option<App>, Failure> {
        self.table.get(&keys::app(&self.organization, id)).await?.map(entity).transpose()
    }

    /// Returns those of `ids` that exist, in no particular order.
    pub async fn apps_by_id<'a>(&self, ids: impl IntoIterator<Item = &'a AppId>) -> Result<Vec<App>, Failure> {
        let keys: Vec<_> = ids.into_iter().map(|id| keys::app(&self.organization, id)).collect();
        entities(self.table.get_all(&keys).await?)
    }

    pub async fn apps(&self, modes: &[Mode], page: &PageRequest) -> Result<Page<App>, Failure> {
        self.table.page(modes.iter().map(|&mode| keys::apps(&self.organization, mode)).collect(), page).await
    }

    pub async fn is_app_slug_taken(&self, slug: &str) -> Result<bool, Failure> {
        Ok(self.table.get(&keys::app_slug(&self.organization, slug)).await?.is_some())
    }

    /// Returns all keys and webhooks of an app. Limits keep both lists short.
    pub async fn app_dependents(&self, id: &AppId) -> Result<(Vec<AppKey>, Vec<Webhook>), Failure> {
        let (app_keys, webhooks) = futures_util::try_join!(
            self.table.query(Range::whole(keys::app_keys(&self.organization, id))),
            self.table.query(Range::whole(keys::webhooks(&self.organization, id))),
        )?;
        Ok((entities(app_keys)?, entities(webhooks)?))
    }

    pub async fn deleted_app(&self, ksuid: &str) -> Result<Option<DeletedApp>, Failure> {
        let key = keys::Key { partition: keys::deleted_apps(&self.organization), sort: ksuid.to_owned() };
        self.table.get(&key).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    /// Changes the name of an app.
    pub async fn rename_app(&self, id: &AppId, name: &str, now: Timestamp) -> Result<App, Failure> {
        let update = Update::new(keys::app(&self.organization, id))
            .set("name", &name)?
            .set("updatedAt", &now)?
            .add("revision", 1);
        self.update_app(update).await
    }

    /// Stores the calling configuration of an app.
    pub async fn set_calling(&self, id: &AppId, settings: &CallingSettings, now: Timestamp) -> Result<App, Failure> {
        let update = Update::new(keys::app(&self.organization, id))
            .set("calling", settings)?
            .set("callingUpdatedAt", &now)?
            .set_if_absent("callingCreatedAt", &now)?
            .add("revision", 1);
        self.update_app(update).await
    }

    async fn update_app(&self, update: Update) -> Result<App, Failure> {
        entity(self.table.update(update.if_present(), no_such_app).await?)
    }
}

impl Change {
    /// Creates an app and reserves its slug. `slug_taken` says what happens if another app of the organization has the
    /// slug.
    pub fn create_app(&mut self, app: &App, slug_taken: SlugTaken) -> Result<(), Failure> {
        self.count(Counter::Apps);
        self.create(NewItem::marker(&keys::app_slug(&self.organization, &app.slug)), slug_taken.verdict());
        self.create(
            app_item(&self.organization, app)?,
            fail_with(|| Failure::internal("a newly minted app id already exists")),
        );
        Ok(())
    }

    /// Changes name and slug of an app; `seen` is the app as it was read. Stale if its slug has changed since.
    pub fn update_app(&mut self, seen: &App, update: &AppUpdate<'_>, now: Timestamp) -> Result<(), Failure> {
        let mut write = Update::new(keys::app(&self.organization, &seen.id)).set("updatedAt", &now)?.add("revision", 1);
        if let Some(name) = update.name {
            write = write.set("name", &name)?;
        }
        if let Some(slug) = update.slug {
            write = write.set("slug", &slug)?;
        }
        let slug_as_seen = ":seenSlug";
        let write = write.when("#slug = :seenSlug").value(slug_as_seen, value(&seen.slug)?);
        self.update(write, absent_or(no_such_app, |_| Refused::Stale));
        if let Some(slug) = update.slug.filter(|slug| *slug != seen.slug) {
            self.delete_any(keys::app_slug(&self.organization, &seen.slug));
            self.create(NewItem::marker(&keys::app_slug(&self.organization, slug)), SlugTaken::Refuse.verdict());
        }
        Ok(())
    }

    /// Deletes an app with its slug, keys, credentials, webhooks and their secrets, in one transaction. `seen` is the
    /// app as it was read; anything added since makes the change stale. Other references to the app are cleared later,
    /// by `Store::clear_deleted_app`.
    pub fn delete_app(
        &mut self,
        seen: &App,
        app_keys: &[AppKey],
        webhooks: &[Webhook],
        now: Timestamp,
    ) -> Result<(), Failure> {
        let as_seen = Condition::new("#revision = :revision").value(":revision", number(seen.revision));
        self.delete(keys::app(&self.organization, &seen.id), as_seen, absent_or(no_such_app, |_| Refused::Stale));
        self.delete_any(keys::app_slug(&self.organization, &seen.slug));
        self.uncount(Counter::Apps);
        for key in app_keys {
            self.delete_any(keys::app_key(&self.organization, &seen.id, &key.id));
            self.delete_credential(&key.value_hash);
        }
        for webhook in webhooks {
            self.delete_any(keys::webhook(&self.organization, &seen.id, &webhook.id));
            self.delete_any(keys::webhook_secrets(&self.organization, &seen.id, &webhook.id));
        }
        // Fictional numbers are scarce: those of apps may be allocated again, those of users never are.
        for number in &seen.system_numbers {
            self.delete_any(keys::playground_number(&self.organization, number));
        }
        if !seen.numbers.is_empty() || !webhooks.is_empty() {
            let key = keys::deleted_app(&self.organization, &seen.id);
            self.put(app_marker(&key, seen, webhooks)?.due(now));
        }
        Ok(())
    }

    /// Deletes the record of a deleted app, once nothing refers to the app any more.
    pub fn forget_deleted_app(&mut self, id: &AppId) {
        self.delete_any(keys::deleted_app(&self.organization, id));
    }

    /// Counts a new key or webhook of an app. Fails if the app does not exist or already has `limit` of them.
    pub(crate) fn count_under_app(&mut self, app: &AppId, counter: &'static str, limit: u32, message: &'static str) {
        let update = Update::new(keys::app(&self.organization, app))
            .add(counter, 1)
            .add("revision", 1)
            .if_present()
            .when(&format!("attribute_not_exists(#{counter}) OR #{counter} < :limit"))
            .value(":limit", number(limit));
        self.update(update, absent_or(no_such_app, move |_| Refused::With(Failure::limit(counter, message))));
    }

    pub(crate) fn uncount_under_app(&mut self, app: &AppId, counter: &'static str) {
        let update = Update::new(keys::app(&self.organization, app)).add(counter, -1).add("revision", 1).if_present();
        self.update(update, fail_with(no_such_app));
    }
}

fn app_marker(key: &keys::Key, app: &App, webhooks: &[Webhook]) -> Result<NewItem, Failure> {
    let webhooks: Vec<&WebhookId> = webhooks.iter().map(|webhook| &webhook.id).collect();
    let marker = NewItem::marker(key).with("id", value(&app.id)?).with("numbers", value(&app.numbers)?);
    Ok(marker.with("webhooks", value(&webhooks)?).string_set("numbers").string_set("webhooks"))
}

/// What happens if the slug of a new app is taken: a slug that the caller chose is rejected, a generated one is retried
/// with a suffix.
#[derive(Clone, Copy)]
pub enum SlugTaken {
    Refuse,
    TryAnother,
}

impl SlugTaken {
    fn verdict(self) -> Verdict {
        match self {
            SlugTaken::Refuse => fail_with(|| {
                Failure::already_exists("slug", "Another app of this organization has this slug. Choose another slug.")
            }),
            SlugTaken::TryAnother => stale(),
        }
    }
}
