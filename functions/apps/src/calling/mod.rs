//! The calling configuration: one per app, set as a whole.

pub(crate) mod http;

use api::Admin;
use api::caller::Sees as _;
use domain::calling::CallingSettings;
use domain::id::AppId;
use domain::identity::app::App;
use domain::{ErrorCode, Failure, Timestamp};
use runtime::Context;
use store::Change;

use crate::apps::no_such_app;

/// An app's configuration, with the times when it was first and last set.
struct Configuration {
    app_id: AppId,
    settings: CallingSettings,
    created_at: Timestamp,
    updated_at: Timestamp,
}

fn configuration(app: App) -> Option<Configuration> {
    Some(Configuration {
        app_id: app.id,
        settings: app.calling?,
        created_at: app.calling_created_at?,
        updated_at: app.calling_updated_at?,
    })
}

fn configured(app: App) -> Result<Configuration, Failure> {
    configuration(app).ok_or_else(|| {
        Failure::of_code(
            ErrorCode::CallingNotConfigured,
            "The app has no calling configuration. Set it with PUT /v1/organization/apps/{appId}/calling.",
        )
        .with_param("appId")
    })
}

async fn set(
    context: &Context,
    caller: &Admin,
    app: &AppId,
    seen: Result<Option<App>, Failure>,
    settings: &CallingSettings,
) -> Result<Configuration, Failure> {
    caller.expect_visible(app.mode(), "appId", "app")?;
    let org = &context.store.of(&caller.organization);
    let decide = |seen: Result<Option<App>, Failure>| async move {
        let (before, now) = (seen?.ok_or_else(no_such_app)?, context.now());
        let mut after = before.clone();
        after.calling = Some(settings.clone());
        after.calling_created_at = before.calling_created_at.or(Some(now));
        after.calling_updated_at = Some(now);
        let mut change = Change::new(&caller.organization);
        change.set_calling(&before, &after)?;
        change.enter(&context.entry(&caller.trail, app.mode()).changed(&before, &after))?;
        Ok((change, after))
    };
    let after = context.store.settle_from(seen, || org.app(app), decide).await?;
    configuration(after).ok_or_else(|| Failure::internal("the calling configuration that was set is missing"))
}
