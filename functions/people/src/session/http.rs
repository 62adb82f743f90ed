use api::{Answer, Input, Json, Rejection, SignedIn};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::id::{AppId, Identifier as _, MemberId, OrganizationId, SessionId};
use domain::identity::member::Role;
use domain::identity::person::Person;
use domain::identity::scope::{Scope, Scopes};
use domain::{Failure, Mode, Timestamp};
use futures_util::future::try_join_all;
use http::header::SET_COOKIE;
use runtime::{Context, logging};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use tokio::try_join;
use utoipa::ToSchema;

use super::Wanted;
use super::cookie::{self, SameOrigin};
use crate::PeopleContext;
use crate::members::http::MemberView;
use crate::sign_in::identity;

/// Who is signed in.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
pub(crate) struct SessionView {
    id: SessionId,
    organization: SessionOrganizationView,
    member: MemberView,
    role: Role,
    /// What live keys of the session may do; absent if everything.
    #[schema(value_type = Option<Vec<Scope>>)]
    scopes: Option<Scopes>,
    /// When the session ends, unless a key is asked for before.
    expires_at: Timestamp,
    /// All memberships of a person who has signed in with the identity provider, at most 20, this one included.
    memberships: Vec<MembershipView>,
}

/// A membership of a signed-in person, to which the session can switch.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Membership)]
pub(crate) struct MembershipView {
    organization: SessionOrganizationView,
    member_id: MemberId,
    role: Role,
}

/// The organization of a session.
#[derive(Serialize, ToSchema)]
#[schema(as = SessionOrganization)]
pub(crate) struct SessionOrganizationView {
    id: OrganizationId,
    /// The organization's name.
    name: String,
}

/// The key that is asked for: one of the two fields.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateSessionKey {
    /// For an admin key: whether it is a live or a test key.
    mode: Option<KeyMode>,
    /// For a key of this app.
    #[schema(value_type = Option<AppId>)]
    app_id: Option<String>,
}

/// Whether a key sees live or test objects.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KeyMode {
    Live,
    Test,
}

impl Input for CreateSessionKey {
    type Checked = Wanted;

    fn check(self, _context: &Context) -> Result<Wanted, Failure> {
        match (self.mode, self.app_id) {
            (Some(KeyMode::Live), None) => Ok(Wanted::Admin(Mode::Live)),
            (Some(KeyMode::Test), None) => Ok(Wanted::Admin(Mode::Test)),
            (None, Some(app)) => AppId::in_param(&app, "appId").map(Wanted::App),
            _ => Err(Failure::invalid("mode", "Send either mode, for an admin key, or appId, for a key of that app.")),
        }
    }
}

/// A key of a session, which no list shows.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SessionKey)]
pub(crate) struct SessionKeyView {
    /// The value of the key. Keep it in memory only.
    key: String,
    expires_at: Timestamp,
    /// What the key may do; absent if everything.
    #[schema(value_type = Option<Vec<Scope>>)]
    scopes: Option<Scopes>,
}

/// Get the session
///
/// Returns who is signed in with the cookie of this installation's pages, or with the token of a session.
#[utoipa::path(get, path = "/v1/session", operation_id = "session.get", tag = "Signing in",
    security(("session" = []), ("sessionCookie" = [])),
    responses((status = 200, description = "Who is signed in", body = SessionView),
        (status = 403, description = "The request comes from another site")))]
pub(crate) async fn get_session(
    State(people): State<PeopleContext>,
    same: SameOrigin,
    signed: SignedIn,
) -> Result<Answer<SessionView>, Rejection> {
    same.expect_with_cookie(&people.api_url)?;
    let org = people.context.store.of(&signed.organization);
    let (organization, member) = try_join!(org.organization(), org.member(&signed.member.id))?;
    let organization = organization.ok_or_else(|| Failure::internal("the organization of a session does not exist"))?;
    let member = member.ok_or_else(Failure::credential_ended)?;
    let session = member.session(&signed.session_id, people.context.now()).ok_or_else(Failure::credential_ended)?;
    let memberships = match &signed.person {
        Some(person) => memberships(&people, person).await?,
        None => Vec::new(),
    };
    Ok(Answer::ok(SessionView {
        id: session.id.clone(),
        organization: SessionOrganizationView { id: organization.id, name: organization.name },
        memberships,
        role: member.role,
        scopes: member.role.scopes(Mode::Live),
        expires_at: session.expires_at(),
        member: member.into(),
    }))
}

/// Returns the memberships to which a person can switch.
async fn memberships(people: &PeopleContext, person: &Person) -> Result<Vec<MembershipView>, Failure> {
    let store = &people.context.store;
    let found = identity::members(people, &store.memberships_of(person).await?).await?;
    let active = found.into_iter().filter(|(_, member)| member.suspended_at.is_none());
    let shown = active.map(|(membership, member)| async move {
        let organization = store.of(&membership.organization).organization().await?;
        let organization = organization.map(|found| SessionOrganizationView { id: found.id, name: found.name });
        Ok::<_, Failure>(organization.map(|organization| MembershipView {
            organization,
            member_id: member.id,
            role: member.role,
        }))
    });
    Ok(try_join_all(shown).await?.into_iter().flatten().collect())
}

/// Sign out
///
/// Ends the session with its keys.
#[utoipa::path(delete, path = "/v1/session", operation_id = "session.delete", tag = "Signing in",
    security(("session" = []), ("sessionCookie" = [])),
    responses((status = 200, description = "Signed out", body = api::answer::Message),
        (status = 403, description = "The request comes from another site"),
        (status = 415, description = "The request has the cookie, but not `Content-Type: application/json`")))]
pub(crate) async fn end_session(
    State(people): State<PeopleContext>,
    same: SameOrigin,
    signed: SignedIn,
) -> Result<Response, Rejection> {
    same.expect_with_cookie(&people.api_url)?;
    logging::known_object(&signed.session_id);
    super::end(&people, &signed).await?;
    let mut response = Answer::message("Signed out").into_response();
    response.headers_mut().insert(SET_COOKIE, cookie::remove());
    Ok(response)
}

/// Create a key of the session
///
/// Returns an admin key or the key of an app, which works for 15 minutes with the rights of the member's role, and ends with the
/// session. It counts in no limit and is in no list. A session has at most 5 of them; the oldest ends.
#[utoipa::path(post, path = "/v1/session/key", operation_id = "session.createKey", tag = "Signing in",
    security(("session" = []), ("sessionCookie" = [])), request_body = CreateSessionKey,
    responses((status = 201, description = "The key", body = SessionKeyView),
        (status = 403, description = "The request comes from another site"),
        (status = 404, description = "No such app")))]
pub(crate) async fn create_session_key(
    State(people): State<PeopleContext>,
    same: SameOrigin,
    signed: SignedIn,
    body: Json<CreateSessionKey>,
) -> Result<Answer<SessionKeyView>, Rejection> {
    same.expect_with_cookie(&people.api_url)?;
    logging::known_object(&signed.session_id);
    let given = super::key(&people, &signed, &body.input).await?;
    Ok(Answer::created(SessionKeyView {
        key: given.value.expose().to_owned(),
        expires_at: given.expires_at,
        scopes: given.scopes,
    }))
}
