//! Signing in: how sessions begin. A link's token works once, for one member of one organization. `identity.rs` signs in whom the
//! identity provider knows.

pub(crate) mod http;
pub(crate) mod identity;
pub(crate) mod issuer_http;

use api::{Admin, SignedIn};
use domain::audit::{Actor as AuditActor, ActorKind, TargetKind, Trail};
use domain::id::{AdminKeyId, MemberId, OrganizationId, SessionId};
use domain::identity::credential::{Bearer, Secret};
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::{Credential, Holder, OnBehalf};
use domain::identity::key::Actor;
use domain::identity::member::{Member, MemberSession, Proof};
use domain::{Failure, Mode, Timestamp};
use serde::Serialize;
use store::{Change, OrganizationStore};
use tokio::try_join;
use utoipa::ToSchema;

use crate::PeopleContext;
use crate::members::{expect_may_give, no_such_member};

/// The path of the page.
const PAGE: &str = "/sign-in";

/// A link with which a member can sign in once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SignInLink)]
pub(crate) struct LinkView {
    /// The link. Whoever has it can sign in as the member.
    #[schema(format = "uri")]
    url: String,
    expires_at: Timestamp,
}

pub(super) fn is_over() -> Failure {
    let message = "This link was used, has expired, or is damaged. Ask for a new one.";
    Failure::not_found_with("token", message)
}

fn is_suspended() -> Failure {
    Failure::conflict("This member is suspended. Set the status to ACTIVE first.").with_param("memberId")
}

/// Issues a link for a member whom the caller may change.
pub(crate) async fn issue_for(
    people: &PeopleContext,
    caller: &Admin,
    member: Option<Member>,
) -> Result<(LinkView, Change), Failure> {
    caller.require_live()?;
    let member = member.ok_or_else(no_such_member)?;
    expect_may_give(&people.context, caller, member.role).await?;
    if member.suspended_at.is_some() {
        return Err(is_suspended());
    }

    let context = &people.context;
    let issued_by = match &caller.member {
        Some(member) => (Actor::member(&member.id), member.standing),
        None => (Actor::key(&caller.key_id), 0),
    };
    let bearer = Bearer::mint(CredentialKind::SignInLink, &caller.organization, context.random());
    let now = context.now();
    let credential = Credential::of_sign_in_link(caller.organization.clone(), &member, issued_by, now);
    let mut change = Change::new(&caller.organization);
    change.create_credential(&bearer.secret.sha256(), &credential)?;
    change.enter(&context.entry(&caller.trail, Mode::Live).about(TargetKind::Member, &member.id))?;

    let url = format!("{}{PAGE}#{}", people.api_url, bearer.secret.expose());
    Ok((LinkView { url, expires_at: credential.expires_at.unwrap_or(now) }, change))
}

/// A session that has begun.
pub(crate) struct Begun {
    pub(crate) value: Secret,
    pub(crate) session: MemberSession,
    pub(crate) member: Member,
}

/// Uses up a link and begins a session.
pub(super) async fn begin(people: &PeopleContext, token: &Bearer, trail: &Trail) -> Result<Begun, Failure> {
    let context = &people.context;
    let credential = context.store.credential(token).await?;
    let valid = credential
        .filter(|credential| credential.organization_id == token.organization && !credential.is_expired(context.now()));
    let Some(Holder::SignInLink { member_id, issued_by, issuers_standing, standing }) =
        valid.map(|credential| credential.holder)
    else {
        return Err(is_over());
    };

    let (org, member_id, issued_by) = (&context.store.of(&token.organization), &member_id, &issued_by);
    let decide = || async move {
        let is_issued = could_issue(org, issued_by, issuers_standing);
        let (member, is_issued) = try_join!(invited(org, member_id, standing), is_issued)?;
        let member = member.filter(|_| is_issued).ok_or_else(is_over)?;
        let mut change = Change::new(&token.organization);
        change.use_sign_in_link(&token.secret.sha256(), is_over);
        let proof = Proof::Link { issued_by: issued_by.clone() };
        let beginning = Beginning { proof, instead_of: None };
        let begun = session_of(people, &token.organization, &member, beginning, trail, &mut change)?;
        Ok((change, begun))
    };
    context.store.settle(decide).await
}

/// Returns the member of a link, unless the member has another role or status than when it was issued.
pub(super) async fn invited(
    org: &OrganizationStore,
    member: &MemberId,
    standing: u32,
) -> Result<Option<Member>, Failure> {
    let member = org.member(member).await?;
    Ok(member.filter(|member| member.suspended_at.is_none() && member.standing == standing))
}

/// Whether the member or key that has issued a link is still there, with the same standing.
async fn could_issue(org: &OrganizationStore, issuer: &Actor, standing: u32) -> Result<bool, Failure> {
    let Some(id) = &issuer.id else { return Ok(true) };
    if let Ok(member) = id.parse::<MemberId>() {
        return Ok(org.member(&member).await?.is_some_and(|member| member.standing == standing));
    }
    match id.parse::<AdminKeyId>() {
        Ok(key) => Ok(org.admin_key(&key).await?.is_some()),
        Err(_) => Ok(false),
    }
}

/// Begins another session of the same member, and ends this one.
pub(crate) async fn renew(people: &PeopleContext, signed: &SignedIn) -> Result<Begun, Failure> {
    let (context, org) = (&people.context, &people.context.store.of(&signed.organization));
    let decide = || async move {
        let before = org.member(&signed.member.id).await?.ok_or_else(Failure::credential_ended)?;
        let (without, Some(ended)) = before.signed_out(&signed.session_id, context.now()) else {
            return Err(Failure::credential_ended());
        };
        let mut change = Change::new(&signed.organization);
        change.end_sessions(std::slice::from_ref(&ended));
        let member = Member { revision: before.revision, ..without };
        let beginning = Beginning { proof: ended.proof.clone(), instead_of: Some(&ended) };
        let begun = session_of(people, &signed.organization, &member, beginning, &signed.trail, &mut change)?;
        Ok((change, begun))
    };
    context.store.settle(decide).await
}

/// How a session begins.
pub(crate) struct Beginning<'a> {
    pub(crate) proof: Proof,
    /// The session that it replaces, whose end it keeps.
    pub(crate) instead_of: Option<&'a MemberSession>,
}

/// Adds the beginning of a session to a change.
pub(crate) fn session_of(
    people: &PeopleContext,
    organization: &OrganizationId,
    before: &Member,
    Beginning { proof, instead_of }: Beginning<'_>,
    trail: &Trail,
    change: &mut Change,
) -> Result<Begun, Failure> {
    let (context, now) = (&people.context, people.context.now());
    let bearer = Bearer::mint(CredentialKind::Session, organization, context.random());
    let id = SessionId::mint(now, context.random());
    let with = match &proof {
        Proof::Link { issued_by } => format!("a link of {}", issued_by.id.as_deref().unwrap_or("OPERATOR")),
        Proof::Issuer { .. } => "the identity provider".to_owned(),
    };
    let session = MemberSession::new(id, bearer.secret.sha256(), proof, now);
    let session = match instead_of {
        Some(other) => session.instead_of(other),
        None => session,
    };
    let (member, ended) = before.signed_in(session.clone(), now);
    change.require_organization();
    change.end_sessions(&ended);
    change.update_member(before, &member)?;
    change.create_member_session(&session, &member)?;

    let trail = Trail { actor: AuditActor::member(&OnBehalf::of(&member)), ..trail.clone() };
    let entry = context.entry(&trail, Mode::Live).about(TargetKind::Member, &member.id);
    change.enter(&entry.field("with", None, Some(&with)))?;
    Ok(Begun { value: bearer.secret, session, member })
}

/// Returns the trail of a request without a credential of its own.
pub(super) fn trail_of(origin: api::Origin) -> Trail {
    let actor = AuditActor { kind: ActorKind::Member, id: None, email: None };
    origin.trail(actor)
}
