//! Apps. A test app is created with everything the playground needs. Deleting an app invalidates its keys immediately.

pub(crate) mod http;
mod playground;

use api::Admin;
use api::caller::Sees;
use domain::id::AppId;
use domain::identity::app::App;
use domain::identity::rate::RateLimit;
use domain::port::random_bytes;
use domain::{Failure, text};
use futures_util::future::try_join;
use runtime::Context;
use store::{AppToDelete, AppToUpdate, AppUpdate, Change, OrganizationStore, SlugTaken};

/// The validated body of the create operation.
pub(crate) struct NewApp {
    name: String,
    slug: Option<String>,
    test: Option<bool>,
    event_feed: Option<bool>,
    rate_limit: Option<RateLimit>,
}

pub(crate) fn no_such_app() -> Failure {
    Failure::not_found("appId", "app")
}

/// Decides on a new app. `is_retry` is set if a slug or playground number of the previous decision was taken.
async fn create(context: &Context, caller: &Admin, new: &NewApp, is_retry: bool) -> Result<(App, Change), Failure> {
    let mode = caller.mode_of_new(new.test)?;
    let now = context.now();
    let org = context.store.of(&caller.organization);
    let (slug, if_taken) = slug(context, &org, new, is_retry).await?;

    let mut app = App {
        id: AppId::mint(mode, now, context.random()),
        name: new.name.clone(),
        slug,
        system_numbers: Vec::new(),
        system_number_ids: Vec::new(),
        simulated_chat_number: None,
        numbers: Default::default(),
        calling: None,
        calling_created_at: None,
        calling_updated_at: None,
        event_feed: new.event_feed.unwrap_or(mode.is_test()),
        rate_limit: new.rate_limit,
        revision: 1,
        created_at: now,
        updated_at: now,
    };

    let mut change = Change::new(&caller.organization);
    if mode.is_test() {
        playground::add_numbers(context, &caller.organization, &mut app, &mut change)?;
    }
    change.create_app(&app, if_taken)?;
    change.enter(&context.entry(&caller.trail, mode).created(&app))?;
    Ok((app, change))
}

/// Returns the slug to use, and the outcome if it is taken: a requested slug is rejected, and a slug derived from the
/// name gets a random suffix.
async fn slug(
    context: &Context,
    org: &OrganizationStore,
    new: &NewApp,
    is_retry: bool,
) -> Result<(String, SlugTaken), Failure> {
    if let Some(slug) = &new.slug {
        return Ok((slug.clone(), SlugTaken::Refuse));
    }
    let suggested = text::slug_of_name(&new.name, "app");
    if !is_retry || !org.is_app_slug_taken(&suggested).await? {
        return Ok((suggested, SlugTaken::TryAnother));
    }
    let suffix = domain::identity::credential::hex(&random_bytes::<3>(context.random()));
    Ok((text::slug_with_suffix(&suggested, &suffix), SlugTaken::TryAnother))
}

/// Returns the app if it exists and the caller may see it.
pub(crate) fn visible(found: Option<App>, caller: &impl Sees) -> Result<App, Failure> {
    let app = found.ok_or_else(no_such_app)?;
    caller.expect_visible(app.id.mode(), "appId", "app")?;
    Ok(app)
}

/// Fails if the app does not exist. Called for an empty list, to distinguish an app without entries from a missing app.
pub(crate) async fn expect_app(org: &OrganizationStore, id: &AppId) -> Result<(), Failure> {
    org.app(id).await?.map(|_| ()).ok_or_else(no_such_app)
}

/// Changes the fields that were sent. The decision depends on the state of the app: its slug, whether it has a feed, and its
/// rate limit, which the credentials of its keys repeat.
async fn update(
    context: &Context,
    caller: &Admin,
    id: &AppId,
    seen: Result<Option<App>, Failure>,
    update: &AppUpdate,
) -> Result<App, Failure> {
    caller.expect_visible(id.mode(), "appId", "app")?;
    let org = &context.store.of(&caller.organization);
    let decide = |seen: Result<Option<App>, Failure>| async move {
        let app = seen?.ok_or_else(no_such_app)?;
        let feed = async {
            match update.event_feed {
                Some(_) => org.feed_head(id).await,
                None => Ok(None),
            }
        };
        let keys = async {
            match update.rate_limit {
                Some(_) => org.all_app_keys(id).await,
                None => Ok(Vec::new()),
            }
        };
        let (feed, keys) = try_join(feed, keys).await?;
        let seen = AppToUpdate { app, keys, feed };
        let after = update.applied_to(&seen.app, context.now());
        let mut change = Change::new(&caller.organization);
        change.update_app(&seen, update, after.updated_at)?;
        change.enter(&context.entry(&caller.trail, id.mode()).changed(&seen.app, &after))?;
        Ok((change, after))
    };
    context.store.settle_from(seen, || org.app(id), decide).await
}

async fn delete(context: &Context, caller: &Admin, id: &AppId) -> Result<(), Failure> {
    caller.expect_visible(id.mode(), "appId", "app")?;
    let org = &context.store.of(&caller.organization);
    let stored = with_dependents(org, id).await;
    if let Ok(AppToDelete { app, .. }) = &stored {
        context.store.remember_numbers_of_app(&caller.organization, app, context.now()).await?;
    }

    // The numbers that a test app was created with rarely have other apps, so they are read only if a first deletion was stale.
    let read = || async move {
        let mut stored = with_dependents(org, id).await?;
        if let Some(own) = &stored.app.simulated_chat_number {
            stored.simulated_number = org.chat_phone_number(&own.id).await?;
        }
        stored.system_numbers = org.system_numbers_of(&stored.app).await?;
        Ok(stored)
    };

    let decide = |stored: Result<AppToDelete, Failure>| async move {
        let stored = stored?;
        // Before, because the transaction has no room for them.
        org.end_previous_values(&stored.keys).await?;
        let mut change = Change::new(&caller.organization);
        change.delete_app(&stored, context.now())?;
        change.enter(&context.entry(&caller.trail, id.mode()).deleted(&stored.app))?;
        Ok((change, stored.leftovers()))
    };

    let deleted = context.store.settle_from(stored, read, decide).await?;
    if !deleted.is_empty() {
        // The app is deleted even if this fails: numbers show existing apps only, events go to existing webhooks only,
        // and the sweep clears the rest.
        let _ = context.store.clear_deleted_app(&caller.organization, &deleted, context.now()).await;
    }
    Ok(())
}

async fn with_dependents(org: &OrganizationStore, id: &AppId) -> Result<AppToDelete, Failure> {
    let (app, (keys, webhooks)) = try_join(org.app(id), org.app_dependents(id)).await?;
    Ok(AppToDelete {
        app: app.ok_or_else(no_such_app)?,
        keys,
        webhooks,
        simulated_number: None,
        system_numbers: Vec::new(),
    })
}
