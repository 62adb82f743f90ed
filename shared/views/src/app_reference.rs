use domain::id::AppId;
use domain::identity::app::App;
use serde::Serialize;
use utoipa::ToSchema;

/// An app that a phone number is assigned to.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppReference {
    pub app_id: AppId,
    /// The app's name.
    pub app_name: String,
    /// The app's slug.
    pub app_slug: String,
}

impl From<App> for AppReference {
    fn from(app: App) -> Self {
        AppReference { app_id: app.id, app_name: app.name, app_slug: app.slug }
    }
}

/// Returns references to the apps, sorted by slug.
pub fn app_references(apps: Vec<App>) -> Vec<AppReference> {
    let mut references: Vec<AppReference> = apps.into_iter().map(AppReference::from).collect();
    references.sort_by(|a, b| a.app_slug.cmp(&b.app_slug));
    references
}
