//! What lines are about: the one place that names `request`, `organization` and `app`.

use domain::id::{AppId, OrganizationId};
use domain::key::{Credential, Holder};
use tracing::field::{Empty, display};
use tracing::{Span, info_span};

/// A request of the gateway, or an invocation with other events. Whose it is may become known later.
pub fn request(id: &str) -> Span {
    info_span!("request", request = id, organization = Empty, app = Empty)
}

/// Work for one organization within an invocation that may be about many.
pub fn about(organization: &OrganizationId, app: Option<&AppId>) -> Span {
    info_span!("about", organization = display(organization), app = app.map(display))
}

/// Proven: what a credential merely claims is nobody's.
pub fn known_caller(credential: &Credential) {
    Span::current().record("organization", display(&credential.organization_id));
    if let Holder::AppKey { app_id, .. } = &credential.holder {
        known_app(app_id);
    }
}

/// The app that calls, or that an admin's request names.
pub fn known_app(app: &AppId) {
    Span::current().record("app", display(app));
}
