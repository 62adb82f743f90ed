//! The app that an operation concerns.

use domain::Failure;
use domain::audit::Trail;
use domain::id::{AppId, OrganizationId};

use crate::caller::{AppCaller, Sees};
use crate::may_see::MaySee;

/// The app that an operation concerns, and that its caller may access. Callers of the organization name it in the path;
/// an app key belongs to it. Rules that take it serve both.
#[derive(Clone, Debug)]
pub struct AppScope {
    pub organization: OrganizationId,
    pub app: AppId,
    pub may_see: MaySee,
    pub trail: Trail,
}

impl AppScope {
    /// Returns the app that the path names. Fails with 404 if apps of its mode are hidden from the caller.
    pub fn of_path(caller: &impl Sees, app: AppId) -> Result<Self, Failure> {
        caller.expect_visible(app.mode(), "appId", "app")?;
        let (organization, trail) = (caller.organization().clone(), caller.trail().clone());
        Ok(AppScope { organization, app, may_see: caller.may_see(), trail })
    }
}

impl From<AppCaller> for AppScope {
    fn from(caller: AppCaller) -> Self {
        let AppCaller { organization, app_id, may_see, trail } = caller;
        AppScope { organization, app: app_id, may_see, trail }
    }
}
