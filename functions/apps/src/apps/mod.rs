//! Apps. A test app comes with everything the playground needs; deleting an app kills its keys at once.

pub(crate) mod http;
mod playground;

use api::Admin;
use api::caller::Sees;
use domain::app::App;
use domain::id::{AppId, OrganizationId, WebhookId};
use domain::key::AppKey;
use domain::port::random_bytes;
use domain::webhook::Webhook;
use domain::{Failure, text};
use futures_util::future::try_join;
use runtime::Context;
use store::{AppUpdate, Change, DeletedApp, SlugTaken};

pub(crate) struct NewApp {
    name: String,
    slug: Option<String>,
    test: Option<bool>,
}

pub(crate) struct AppChange {
    name: Option<String>,
    slug: Option<String>,
}

pub(crate) fn no_such_app() -> Failure {
    Failure::not_found("appId", "app")
}

/// `again` is set when an earlier try met a slug or a playground number that was taken.
async fn create(context: &Context, caller: &Admin, new: &NewApp, again: bool) -> Result<(App, Change), Failure> {
    let mode = caller.mode_of_new(new.test)?;
    let now = context.now();
    let (slug, taken) = slug(context, &caller.organization, new, again).await?;
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
    change.create_app(&app, taken)?;
    Ok((app, change))
}

/// A chosen slug is kept or refused; one made from the name gets a suffix where it is taken.
async fn slug(
    context: &Context,
    o: &OrganizationId,
    new: &NewApp,
    again: bool,
) -> Result<(String, SlugTaken), Failure> {
    if let Some(slug) = &new.slug {
        return Ok((slug.clone(), SlugTaken::Refuse));
    }
    let suggested = text::slug_of_name(&new.name, "app");
    if !again || !context.store.of(o).is_app_slug_taken(&suggested).await? {
        return Ok((suggested, SlugTaken::TryAnother));
    }
    let suffix = domain::credential::hex(&random_bytes::<3>(context.random()));
    Ok((text::slug_with_suffix(&suggested, &suffix), SlugTaken::TryAnother))
}

/// The app that was found, if the caller may see it.
pub(crate) fn visible(found: Option<App>, caller: &impl Sees) -> Result<App, Failure> {
    let app = found.ok_or_else(no_such_app)?;
    caller.expect_visible(app.id.mode(), "appId", "app")?;
    Ok(app)
}

/// A list under an app that turns out empty may be so because there is no app.
pub(crate) async fn expect_app(context: &Context, o: &OrganizationId, id: &AppId) -> Result<(), Failure> {
    context.store.of(o).app(id).await?.map(|_| ()).ok_or_else(no_such_app)
}

async fn update(context: &Context, caller: &Admin, id: &AppId, update: &AppChange) -> Result<App, Failure> {
    caller.expect_visible(id.mode(), "appId", "app")?;
    let o = &caller.organization;
    match (&update.name, &update.slug) {
        (Some(name), None) => context.store.of(o).rename_app(id, name, context.now()).await,
        (name, slug) => {
            move_to_slug(context, caller, id, &AppUpdate { name: name.as_deref(), slug: slug.as_deref() }).await
        }
    }
}

async fn move_to_slug(context: &Context, caller: &Admin, id: &AppId, update: &AppUpdate<'_>) -> Result<App, Failure> {
    let own = &context.store.of(&caller.organization);
    let decide = || async move {
        let mut app = own.app(id).await?.ok_or_else(no_such_app)?;
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

/// An app with everything under it.
type AppWithDependents = (Option<App>, (Vec<AppKey>, Vec<Webhook>));

async fn delete(context: &Context, caller: &Admin, id: &AppId, found: AppWithDependents) -> Result<(), Failure> {
    let own = context.store.of(&caller.organization);
    let read = || try_join(own.app(id), own.app_dependents(id));
    let decide = |found: Result<AppWithDependents, Failure>| async move {
        let (app, (keys, webhooks)) = found?;
        let app = visible(app, caller)?;
        let mut change = Change::new(&caller.organization);
        change.delete_app(&app, &keys, &webhooks, context.now())?;
        let webhooks: Vec<WebhookId> = webhooks.into_iter().map(|webhook| webhook.id).collect();
        Ok((change, DeletedApp { id: app.id, numbers: app.numbers.into_iter().collect(), webhooks }))
    };
    let deleted = context.store.settle_from(Ok(found), read, decide).await?;
    if !(deleted.numbers.is_empty() && deleted.webhooks.is_empty()) {
        // The app is gone whatever becomes of this. Its numbers name only apps that exist, events find only webhooks that
        // exist, and what is left is due for the sweep.
        let _ = context.store.clear_deleted_app(&caller.organization, &deleted, context.now()).await;
    }
    Ok(())
}
