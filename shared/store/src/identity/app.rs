//! Apps. Every change of an app's keys, webhooks and numbers increments the app's revision, so that a deletion notices
//! concurrent changes.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::due::DueClass;
use domain::events::feed::FeedHead;
use domain::events::webhook::Webhook;
use domain::id::{AppId, Identifier as _, OrganizationId};
use domain::identity::app::App;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::key::AppKey;
use domain::identity::rate::RateLimit;
use domain::number::PhoneNumber;
use domain::{Failure, Mode, Timestamp};

use crate::engine::change::{Change, Refused, Verdict, absent_or, fail_with, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{NewItem, entities, entity, number};
use crate::engine::page::{Page, PageRequest};
use crate::engine::table::Range;
use crate::identity::deleted_app::{AppToDelete, CLAIMS_WITH_APP, DeletedApp};
use crate::limits::counter::Counter;
use crate::{OrganizationStore, Reads, keys};

/// Returns the keys of the system numbers that an app still has.
pub(crate) fn system_number_keys(organization: &OrganizationId, app: &App) -> Vec<keys::Key> {
    let left = app.system_number_ids.iter().filter(|id| app.numbers.contains(id.as_str()));
    left.map(|id| keys::phone_number(organization, id)).collect()
}

fn count_of<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

pub(crate) fn no_such_app() -> Failure {
    Failure::not_found("appId", "app")
}

fn app_item(organization: &OrganizationId, app: &App) -> Result<NewItem, Failure> {
    Ok(NewItem::new(&keys::app(organization, &app.id), app)?.string_set("numbers"))
}

/// The fields that an update supplies, at least one.
pub struct AppUpdate {
    pub name: Option<String>,
    pub slug: Option<String>,
    pub event_feed: Option<bool>,
    /// `Some(None)` removes the limit.
    pub rate_limit: Option<Option<RateLimit>>,
}

impl AppUpdate {
    /// Returns the app with these fields.
    pub fn applied_to(&self, before: &App, now: Timestamp) -> App {
        let mut after = before.clone();
        after.name = self.name.clone().unwrap_or(after.name);
        after.slug = self.slug.clone().unwrap_or(after.slug);
        after.event_feed = self.event_feed.unwrap_or(after.event_feed);
        after.rate_limit = self.rate_limit.unwrap_or(after.rate_limit);
        after.updated_at = now;
        after
    }
}

/// An app as it was read for an update.
pub struct AppToUpdate {
    pub app: App,
    /// The app's keys. Read only if the update changes the rate limit.
    pub keys: Vec<AppKey>,
    /// The end of the app's feed, if there is one. Read only if the update switches the feed.
    pub feed: Option<FeedHead>,
}

impl Reads {
    pub async fn app(&self, id: &AppId) -> Result<Option<App>, Failure> {
        self.table.get(&keys::app(&self.organization, id)).await?.map(entity).transpose()
    }

    pub async fn is_app_slug_taken(&self, slug: &str) -> Result<bool, Failure> {
        Ok(self.table.get(&keys::app_slug(&self.organization, slug)).await?.is_some())
    }

    pub async fn deleted_app(&self, ksuid: &str) -> Result<Option<DeletedApp>, Failure> {
        let key = keys::Key { partition: keys::deleted_apps(&self.organization), sort: ksuid.to_owned() };
        self.table.get(&key).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    /// Returns the system numbers of an app that exist and that it still has, in no particular order.
    pub async fn system_numbers_of(&self, app: &App) -> Result<Vec<PhoneNumber>, Failure> {
        entities(self.table.get_all(&system_number_keys(&self.organization, app)).await?)
    }

    /// Returns those of `ids` that exist, in no particular order.
    pub async fn apps_by_id<'a>(&self, ids: impl IntoIterator<Item = &'a AppId>) -> Result<Vec<App>, Failure> {
        let keys: Vec<_> = ids.into_iter().map(|id| keys::app(&self.organization, id)).collect();
        entities(self.table.get_all(&keys).await?)
    }

    /// Returns the apps of a mode that have a feed.
    pub async fn apps_with_feed(&self, mode: Mode) -> Result<Vec<AppId>, Failure> {
        let apps: Vec<App> = entities(self.table.query(Range::whole(keys::apps(&self.organization, mode))).await?)?;
        Ok(apps.into_iter().filter(|app| app.event_feed).map(|app| app.id).collect())
    }

    pub async fn apps(&self, modes: &[Mode], page: &PageRequest) -> Result<Page<App>, Failure> {
        self.table.page(modes.iter().map(|&mode| keys::apps(&self.organization, mode)).collect(), page).await
    }

    /// Returns all keys and webhooks of an app. Limits keep both lists short.
    pub async fn app_dependents(&self, id: &AppId) -> Result<(Vec<AppKey>, Vec<Webhook>), Failure> {
        let (app_keys, webhooks) = futures_util::try_join!(
            self.table.query(Range::whole(keys::app_keys(&self.organization, id))),
            self.table.query(Range::whole(keys::webhooks(&self.organization, id))),
        )?;
        Ok((entities(app_keys)?, entities(webhooks)?))
    }

    /// Returns all keys of an app.
    pub async fn all_app_keys(&self, id: &AppId) -> Result<Vec<AppKey>, Failure> {
        entities(self.table.query(Range::whole(keys::app_keys(&self.organization, id))).await?)
    }
}

impl Change {
    /// Creates an app and reserves its slug. `slug_taken` decides the outcome if another app of the organization has
    /// the slug.
    pub fn create_app(&mut self, app: &App, slug_taken: SlugTaken) -> Result<(), Failure> {
        let mut new = vec![(Counter::Apps, 1)];
        if let count @ 1.. = count_of(&app.system_number_ids) {
            new.push((Counter::PhoneNumbers, count));
        }
        self.count_all(&new, app.id.mode());
        if app.event_feed {
            self.switch_feed_on(&app.id, None)?;
        }
        self.create(NewItem::marker(&keys::app_slug(&self.organization, &app.slug)), slug_taken.verdict());
        self.create(
            app_item(&self.organization, app)?,
            fail_with(|| Failure::internal("a newly minted app id already exists")),
        );
        Ok(())
    }

    /// Changes the name, slug and rate limit of an app, and switches its feed; `seen` is the app as it was read. Stale if
    /// the app or one of its keys has changed since.
    pub fn update_app(&mut self, seen: &AppToUpdate, update: &AppUpdate, now: Timestamp) -> Result<(), Failure> {
        let AppToUpdate { app: seen, keys: app_keys, feed } = seen;
        let mut write = self.update_seen_app(seen).set("updatedAt", &now)?;
        if let Some(name) = &update.name {
            write = write.set("name", name)?;
        }
        if let Some(slug) = &update.slug {
            write = write.set("slug", slug)?;
        }

        let switched = update.event_feed.filter(|on| *on != seen.event_feed);
        if let Some(on) = switched {
            write = write.set("eventFeed", &on)?;
        }

        if let Some(limit) = update.rate_limit {
            write = match limit {
                Some(limit) => write.set("rateLimit", &limit)?,
                None => write.remove("rateLimit"),
            };
            for key in app_keys {
                self.limit_app_of_key(key, limit, now)?;
            }
        }

        self.update(write, absent_or(no_such_app, |_| Refused::Stale));
        match switched {
            Some(true) => self.switch_feed_on(&seen.id, feed.as_ref())?,
            Some(false) => self.switch_feed_off(&seen.id)?,
            None => {}
        }
        if let Some(slug) = update.slug.as_ref().filter(|slug| **slug != seen.slug) {
            self.delete_any(keys::app_slug(&self.organization, &seen.slug));
            self.create(NewItem::marker(&keys::app_slug(&self.organization, slug)), SlugTaken::Refuse.verdict());
        }
        Ok(())
    }

    /// Stores the calling configuration of an app. Stale if the app has changed since it was read.
    pub fn set_calling(&mut self, before: &App, after: &App) -> Result<(), Failure> {
        let write = self
            .update_seen_app(before)
            .set("calling", &after.calling)?
            .set("callingUpdatedAt", &after.calling_updated_at)?
            .set_if_absent("callingCreatedAt", &after.calling_created_at)?;
        self.update(write, absent_or(no_such_app, |_| Refused::Stale));
        Ok(())
    }

    /// Returns a write of an app as it was read, which increments its revision. Creating and deleting a key does so, too.
    fn update_seen_app(&self, seen: &App) -> Update {
        Update::new(keys::app(&self.organization, &seen.id))
            .add("revision", 1)
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(seen.revision))
    }

    /// Deletes an app with its slug, keys, credentials, webhooks and their secrets, and the numbers that a test app was
    /// created with, in one transaction. System numbers that also have other apps stay. The records of the app's
    /// fictional numbers stay too, because no number is allocated twice. Stale if anything has changed since it was
    /// read, or if a number that was created with the app was not read and has other apps. Call
    /// `Store::remember_numbers_of_app` before; `Store::clear_deleted_app` later clears the other references to the
    /// app.
    pub fn delete_app(&mut self, seen: &AppToDelete, now: Timestamp) -> Result<(), Failure> {
        let app = &seen.app;
        let as_seen = Condition::new("#revision = :revision").value(":revision", number(app.revision));
        self.delete(keys::app(&self.organization, &app.id), as_seen, absent_or(no_such_app, |_| Refused::Stale));
        self.delete_any(keys::app_slug(&self.organization, &app.slug));

        let own_numbers: Vec<_> = seen.own_system_numbers().collect();
        self.uncount_all(&[(Counter::Apps, 1), (Counter::PhoneNumbers, count_of(&own_numbers))], app.id.mode());
        self.delete_feed(&app.id);

        for key in &seen.keys {
            self.delete_any(keys::app_key(&self.organization, &app.id, &key.id));
            self.delete_credential(CredentialKind::AppKey(app.id.mode()), &key.state.value_hash);
        }
        for webhook in &seen.webhooks {
            self.delete_any(keys::webhook(&self.organization, &app.id, &webhook.id));
            self.delete_any(keys::webhook_secrets(&self.organization, &app.id, &webhook.id));
        }
        for (index, (id, number)) in own_numbers.into_iter().enumerate() {
            let as_seen = Condition::new("attribute_not_exists(#apps) OR #apps = :only")
                .value(":only", AttributeValue::Ss(vec![app.id.to_string()]));
            self.delete(keys::phone_number(&self.organization, id), as_seen, stale());
            if index < CLAIMS_WITH_APP {
                self.delete_any(keys::phone_number_claim(&self.organization, number));
            }
        }
        if let Some(own) = &app.simulated_chat_number {
            self.delete_simulated_number(own, &app.id, seen.simulated_number.as_ref());
        }

        let leftovers = seen.leftovers();
        if !leftovers.is_empty() {
            let key = keys::deleted_app(&self.organization, &app.id);
            let record = NewItem::new(&key, &leftovers)?;
            self.put(
                record.string_set("numbers").string_set("webhooks").string_set("sharedWith").due(DueClass::Apps, now),
            );
        }
        Ok(())
    }

    /// Deletes the record of a deleted app, once nothing refers to the app any more.
    pub fn forget_deleted_app(&mut self, id: &AppId) {
        self.delete_any(keys::deleted_app(&self.organization, id));
    }

    /// Counts a new key or webhook of an app. Fails if the app does not exist or already has `limit` of them.
    pub(crate) fn count_under_app(&mut self, app: &AppId, counter: &'static str, limit: u32, message: String) {
        let update = self.counting_under_app(app, counter, limit);
        self.update(update, absent_or(no_such_app, move |_| Refused::With(Failure::limit(counter, message.clone()))));
    }

    /// Returns the write that counts a new key or webhook of an app, unless it has `limit` of them.
    pub(crate) fn counting_under_app(&self, app: &AppId, counter: &str, limit: u32) -> Update {
        Update::new(keys::app(&self.organization, app))
            .add(counter, 1)
            .add("revision", 1)
            .if_present()
            .when(&format!("attribute_not_exists(#{counter}) OR #{counter} < :limit"))
            .value(":limit", number(limit))
    }

    pub(crate) fn uncount_under_app(&mut self, app: &AppId, counter: &'static str) {
        self.update(self.uncounting_under_app(app, counter, 1), fail_with(no_such_app));
    }

    /// Returns the write that uncounts keys or webhooks of an app.
    pub(crate) fn uncounting_under_app(&self, app: &AppId, counter: &str, gone: i64) -> Update {
        Update::new(keys::app(&self.organization, app)).add(counter, -gone).add("revision", 1).if_present()
    }
}

/// The outcome if the slug of a new app is taken: a slug that the caller chose is rejected, a generated one is retried
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
