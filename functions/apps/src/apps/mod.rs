//! Apps. A test app is created with everything the playground needs. Deleting an app invalidates its keys immediately.

pub(crate) mod http;
mod playground;

use api::Admin;
use api::caller::Sees;
use domain::app::App;
use domain::id::{AppId, WebhookId};
use domain::key::AppKey;
use domain::port::random_bytes;
use domain::webhook::Webhook;
use domain::{Failure, text};
use futures_util::future::try_join;
use runtime::Context;
use store::{AppUpdate, Change, DeletedApp, OrganizationStore, SlugTaken};

/// The validated body of the create operation.
pub(crate) struct NewApp {
    name: String,
    slug: Option<String>,
    test: Option<bool>,
}

/// The validated body of the update operation.
pub(crate) struct AppChange {
    name: Option<String>,
    slug: Option<String>,
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
        simulated_chat_number: None,
        numbers: Default::default(),
        calling: None,
        calling_created_at: None,
        calling_updated_at: None,
        revision: 1,
        created_at: now,
        updated_at: now,
    };
    let mut change = Change::new(&caller.organization);
    if mode.is_test() {
        playground::equip(context, &caller.organization, &mut app, &mut change)?;
    }
    change.create_app(&app, if_taken)?;
    Ok((app, change))
}

/// Returns the slug to use and what to do if it is taken: a requested slug is rejected then, and a slug derived from the
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
    let suffix = domain::credential::hex(&random_bytes::<3>(context.random()));
    Ok((text::slug_with_suffix(&suggested, &suffix), SlugTaken::TryAnother))
}

/// Returns the app if it exists and the caller may see it.
pub(crate) fn visible(found: Option<App>, caller: &impl Sees) -> Result<App, Failure> {
    let app = found.ok_or_else(no_such_app)?;
    caller.expect_visible(app.id.mode(), "appId", "app")?;
    Ok(app)
}

/// Fails if the app does not exist. Tells an empty list of an app from a missing app.
pub(crate) async fn expect_app(org: &OrganizationStore, id: &AppId) -> Result<(), Failure> {
    org.app(id).await?.map(|_| ()).ok_or_else(no_such_app)
}

async fn update(context: &Context, caller: &Admin, id: &AppId, update: &AppChange) -> Result<App, Failure> {
    caller.expect_visible(id.mode(), "appId", "app")?;
    let org = context.store.of(&caller.organization);
    match (&update.name, &update.slug) {
        (Some(name), None) => org.rename_app(id, name, context.now()).await,
        (name, slug) => {
            update_slug(context, caller, id, &AppUpdate { name: name.as_deref(), slug: slug.as_deref() }).await
        }
    }
}

/// Changes the slug, and the name if it is given.
async fn update_slug(context: &Context, caller: &Admin, id: &AppId, update: &AppUpdate<'_>) -> Result<App, Failure> {
    let org = &context.store.of(&caller.organization);
    let decide = || async move {
        let mut app = org.app(id).await?.ok_or_else(no_such_app)?;
        let now = context.now();
        let mut change = Change::new(&caller.organization);
        change.update_app(&app, update, now)?;
        app.name = update.name.map_or(app.name, str::to_owned);
        app.slug = update.slug.map_or(app.slug, str::to_owned);
        app.updated_at = now;
        Ok((change, app))
    };
    context.store.settle(decide).await
}

/// An app with the objects that are deleted with it.
type AppWithDependents = (Option<App>, (Vec<AppKey>, Vec<Webhook>));

async fn delete(context: &Context, caller: &Admin, id: &AppId, stored: AppWithDependents) -> Result<(), Failure> {
    let org = context.store.of(&caller.organization);
    let read = || try_join(org.app(id), org.app_dependents(id));
    let decide = |stored: Result<AppWithDependents, Failure>| async move {
        let (app, (keys, webhooks)) = stored?;
        let app = visible(app, caller)?;
        let mut change = Change::new(&caller.organization);
        change.delete_app(&app, &keys, &webhooks, context.now())?;
        let webhooks: Vec<WebhookId> = webhooks.into_iter().map(|webhook| webhook.id).collect();
        Ok((change, DeletedApp { id: app.id, numbers: app.numbers.into_iter().collect(), webhooks }))
    };
    let deleted = context.store.settle_from(Ok(stored), read, decide).await?;
    if !(deleted.numbers.is_empty() && deleted.webhooks.is_empty()) {
        // The app is deleted even if this fails: numbers show existing apps only, events go to existing webhooks only, and
        // the sweep clears what is left.
        let _ = context.store.clear_deleted_app(&caller.organization, &deleted, context.now()).await;
    }
    Ok(())
}
