//! Spans that add fields to log lines: the `request`, its `organization`, `app` and `key`, the `object` that it is
//! about, and the `origin` of work that another request has queued. No other code sets these fields, except for
//! `object`.

use std::fmt::Display;

use aws::origin;
use domain::id::{AppId, OrganizationId};
use domain::identity::holder::{Credential, Holder};
use tracing::field::{Empty, display};
use tracing::{Instrument as _, Span, info_span};

/// Returns the span of a gateway request or of another invocation. Its other fields are recorded once known.
pub fn request(id: &str) -> Span {
    info_span!("request", request = id, organization = Empty, app = Empty, key = Empty, object = Empty)
}

/// Runs `work` as part of a gateway request or of another invocation. Its log lines carry the id, and so do its jobs in
/// queues and its events in the outbox.
pub fn traced<F: Future>(id: &str, work: F) -> impl Future<Output = F::Output> {
    origin::within(id, work).instrument(request(id))
}

/// Runs `work` that the request `origin` has queued. Jobs and events of `work` in turn carry the id of that request, or
/// of the running invocation if the request is not known.
pub fn continued<F: Future>(origin: Option<&str>, work: F) -> impl Future<Output = F::Output> {
    let span = origin.map_or_else(Span::none, |id| info_span!("continued", origin = id));
    let id = origin.map(str::to_owned).or_else(origin::current).unwrap_or_default();
    origin::within(&id, work).instrument(span)
}

/// Returns the span for work on one organization, in an invocation that may concern several.
pub fn about(organization: &OrganizationId, app: Option<&AppId>) -> Span {
    info_span!("about", organization = display(organization), app = app.map(display), origin = Empty)
}

/// Records the request that caused the event which the work is about.
pub fn known_origin(request: Option<&str>) {
    Span::current().record("origin", request);
}

/// Records the organization, app and key of a validated credential; an unvalidated one could name any organization.
pub fn known_caller(credential: &Credential) {
    let span = Span::current();
    span.record("organization", display(&credential.organization_id));
    match &credential.holder {
        Holder::AdminKey { key_id, .. } => span.record("key", display(key_id)),
        Holder::AppKey { key_id, app_id, .. } => {
            known_app(app_id);
            span.record("key", display(key_id))
        }
        Holder::Session { session_id } | Holder::MemberSession { session_id, .. } => {
            span.record("key", display(session_id))
        }
        Holder::SignInLink { member_id, .. } => span.record("key", display(member_id)),
        Holder::OnboardingLink { link_id } => span.record("key", display(link_id)),
    };
}

/// Records the app that calls, or that a request with an admin key names.
pub fn known_app(app: &AppId) {
    Span::current().record("app", display(app));
}

/// Records the object of a write whose response and path do not name it.
pub fn known_object(id: &impl Display) {
    Span::current().record("object", display(id));
}
