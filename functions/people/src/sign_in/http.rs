use api::{Answer, Input, Json, Origin, Rejection, SignInHolder};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::id::{MemberId, OrganizationId};
use domain::identity::credential::Bearer;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::member::Role;
use domain::schema::ShortText;
use domain::{Failure, Timestamp};
use http::header::SET_COOKIE;
use runtime::Context;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use tokio::try_join;
use utoipa::ToSchema;

use super::{Begun, begin, invited, is_over, trail_of};
use crate::PeopleContext;
use crate::session::cookie::{self, SameOrigin};

/// Who can sign in with a link.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SignInLinkDetails)]
pub(crate) struct LinkDetailsView {
    organization_id: OrganizationId,
    /// The organization's name.
    organization_name: String,
    member_id: MemberId,
    /// The member's address.
    email: String,
    role: Role,
}

/// How to sign in.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UseLink {
    /// The token: the fragment of the link.
    #[schema(value_type = ShortText)]
    token: String,
    /// `bearer` returns the token of the session instead of setting a cookie.
    r#as: Option<As>,
}

/// How a session reaches whoever signs in.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = SessionTransport)]
pub(crate) enum As {
    Bearer,
    Cookie,
}

pub(crate) struct Wanted {
    token: Bearer,
    is_bearer: bool,
}

impl Input for UseLink {
    const REQUIRED: &'static [&'static str] = &["token"];
    type Checked = Wanted;

    fn check(self, _context: &Context) -> Result<Wanted, Failure> {
        let token = Bearer::parse(&self.token).filter(|token| token.kind == CredentialKind::SignInLink);
        Ok(Wanted { token: token.ok_or_else(is_over)?, is_bearer: self.r#as == Some(As::Bearer) })
    }
}

/// A session that has begun.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BegunSession)]
pub(crate) struct BegunView {
    member_id: MemberId,
    role: Role,
    /// When the session ends, unless a key is asked for before.
    expires_at: Timestamp,
    /// The token of the session; only with `as: "bearer"`.
    session_token: Option<String>,
}

impl BegunView {
    pub(crate) fn without_token(begun: &Begun) -> Self {
        BegunView {
            member_id: begun.member.id.clone(),
            role: begun.member.role,
            expires_at: begun.session.expires_at(),
            session_token: None,
        }
    }

    pub(crate) fn with_token(begun: &Begun) -> Self {
        BegunView { session_token: Some(begun.value.expose().to_owned()), ..Self::without_token(begun) }
    }
}

/// Get a sign-in link
///
/// Returns who can sign in with the link, whose token is the credential. Used by the page of the link, before it is used up.
#[utoipa::path(get, path = "/v1/sign-in/link", operation_id = "signIn.link.get", tag = "Signing in",
    security(("signInLink" = [])),
    responses((status = 200, description = "Who can sign in", body = LinkDetailsView)))]
pub(crate) async fn get_link(
    State(people): State<PeopleContext>,
    holder: SignInHolder,
) -> Result<Answer<LinkDetailsView>, Rejection> {
    let org = people.context.store.of(&holder.organization);
    let (organization, member) = try_join!(org.organization(), invited(&org, &holder.member_id, holder.standing))?;
    let organization = organization.ok_or_else(|| Failure::internal("the organization of a link does not exist"))?;
    let member = member.ok_or_else(Failure::credential_ended)?;
    Ok(Answer::ok(LinkDetailsView {
        organization_id: organization.id,
        organization_name: organization.name,
        member_id: member.id,
        email: member.email,
        role: member.role,
    }))
}

/// Sign in with a link
///
/// Uses up the link and begins a session, which lives for 12 hours and ends after 2 hours in which no key was asked for. The
/// session is a cookie for the pages of this installation or, with `as: "bearer"`, a token for programs. A member can have 10
/// sessions; the oldest ends.
#[utoipa::path(post, path = "/v1/sign-in/link", operation_id = "signIn.link.redeem", tag = "Signing in", security(()),
    request_body = UseLink,
    responses((status = 200, description = "The session", body = BegunView),
        (status = 403, description = "The request comes from another site"),
        (status = 404, description = "The link was used, has expired, or is damaged")))]
pub(crate) async fn use_link(
    State(people): State<PeopleContext>,
    same: SameOrigin,
    origin: Origin,
    body: Json<UseLink>,
) -> Result<Response, Rejection> {
    let Wanted { token, is_bearer } = body.input;
    if !is_bearer {
        same.expect(&people.api_url)?;
    }
    let begun = begin(&people, &token, &trail_of(origin)).await?;
    if is_bearer {
        return Ok(Answer::ok(BegunView::with_token(&begun)).into_response());
    }
    let mut response = Answer::ok(BegunView::without_token(&begun)).into_response();
    response.headers_mut().insert(SET_COOKIE, cookie::set(&begun.value)?);
    Ok(response)
}
