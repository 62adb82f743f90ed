//! Spans that add the fields `request`, `organization` and `app` to log lines. No other code sets these fields.

use domain::id::{AppId, OrganizationId};
use domain::key::{Credential, Holder};
use tracing::field::{Empty, display};
use tracing::{Span, info_span};

/// Returns the span of a gateway request or of another invocation. Its organization and app are recorded once known.
pub fn request(id: &str) -> Span {
    info_span!("request", request = id, organization = Empty, app = Empty)
}

/// Returns the span for work on one organization, in an invocation that may concern several.
pub fn about(organization: &OrganizationId, app: Option<&AppId>) -> Span {
    info_span!("about", organization = display(organization), app = app.map(display))
}

/// Records the organization and app of a validated credential; an unvalidated one could name any organization.
pub fn known_caller(credential: &Credential) {
    Span::current().record("organization", display(&credential.organization_id));
    if let Holder::AppKey { app_id, .. } = &credential.holder {
        known_app(app_id);
    }
}

/// Records the app that calls, or that a request with an admin key names.
pub fn known_app(app: &AppId) {
    Span::current().record("app", display(app));
}
