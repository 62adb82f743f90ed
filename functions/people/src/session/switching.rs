//! Switching between the memberships of a person. A session that began with a link opens its own membership only.

use api::{Answer, Input, Json, Rejection, SignedIn};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::Failure;
use domain::id::{Identifier as _, MemberId};
use http::header::SET_COOKIE;
use runtime::{Context, logging};
use serde::Deserialize;
use store::Membership;
use utoipa::ToSchema;

use super::cookie::{self, SameOrigin};
use crate::PeopleContext;
use crate::sign_in::http::BegunView;
use crate::sign_in::{Begun, identity, renew};

/// The membership to switch to.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SwitchSession {
    /// The member of the other organization, from `memberships`.
    #[schema(value_type = MemberId)]
    member_id: String,
}

impl Input for SwitchSession {
    const REQUIRED: &'static [&'static str] = &["memberId"];
    type Checked = MemberId;

    fn check(self, _context: &Context) -> Result<MemberId, Failure> {
        MemberId::in_param(&self.member_id, "memberId")
    }
}

/// Switch to another membership
///
/// Begins a session of another membership of the same person, and ends this one with its keys. The cookie gets a new value; a
/// program gets a new token. Only sessions that began with the identity provider have other memberships.
#[utoipa::path(put, path = "/v1/session", operation_id = "session.switch", tag = "Signing in",
    security(("session" = []), ("sessionCookie" = [])), request_body = SwitchSession,
    responses((status = 200, description = "The new session", body = BegunView),
        (status = 403, description = "The request comes from another site"),
        (status = 404, description = "The person has no such membership")))]
pub(crate) async fn switch_session(
    State(people): State<PeopleContext>,
    same: SameOrigin,
    signed: SignedIn,
    body: Json<SwitchSession>,
) -> Result<Response, Rejection> {
    same.expect_with_cookie(&people.api_url)?;
    logging::known_object(&signed.session_id);
    let begun = if body.input == signed.member.id {
        renew(&people, &signed).await?
    } else {
        let begun = switch(&people, &signed, &body.input).await?;
        super::end(&people, &signed).await?;
        begun
    };

    if same.has_authorization() {
        return Ok(Answer::ok(BegunView::with_token(&begun)).into_response());
    }
    let mut response = Answer::ok(BegunView::without_token(&begun)).into_response();
    response.headers_mut().insert(SET_COOKIE, cookie::set(&begun.value)?);
    Ok(response)
}

async fn switch(people: &PeopleContext, signed: &SignedIn, to: &MemberId) -> Result<Begun, Failure> {
    let none = || Failure::not_found("memberId", "membership");
    let person = signed.person.as_ref().ok_or_else(none)?;
    let memberships = people.context.store.memberships_of(person).await?;
    let wanted: Membership = memberships.into_iter().find(|known| known.member == *to).ok_or_else(none)?;
    let member = people.context.store.of(&signed.organization).member(&signed.member.id).await?;
    let session = member.as_ref().and_then(|member| member.session(&signed.session_id, people.context.now()));
    let session = session.ok_or_else(Failure::credential_ended)?;
    identity::begin(people, &wanted, person, Some(session), &signed.trail).await?.map_err(|_| none())
}
