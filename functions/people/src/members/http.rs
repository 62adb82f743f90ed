use api::idempotency::Planned;
use api::keys::sent;
use api::list::Only;
use api::{Admin, Answer, Claim, Deferred, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::MemberId;
use domain::identity::member::{Member, MemberStatus, Role, address};
use domain::schema::{EmailAddress, ObjectName};
use domain::{Failure, Timestamp, text};
use runtime::Context;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::keys::Fate;
use super::{MemberFields, NewMember, no_such_member};
use crate::PeopleContext;

const LIST: &str = "members";

/// A member of an organization.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Member)]
pub(crate) struct MemberView {
    id: MemberId,
    /// The address in lower case.
    #[schema(value_type = EmailAddress)]
    email: String,
    /// The member's name.
    name: Option<String>,
    role: Role,
    status: MemberStatus,
    created_at: Timestamp,
    /// When the member last signed in.
    last_signed_in_at: Option<Timestamp>,
}

impl From<Member> for MemberView {
    fn from(member: Member) -> Self {
        let status = member.status();
        let Member { id, email, name, role, created_at, last_signed_in_at, .. } = member;
        MemberView { id, email, name, role, status, created_at, last_signed_in_at }
    }
}

/// The member to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateMember {
    /// The address, which is stored in lower case. An organization has one member per address.
    #[schema(value_type = EmailAddress)]
    email: String,
    role: Role,
    /// The member's name.
    #[schema(value_type = Option<ObjectName>)]
    name: Option<String>,
}

impl Input for CreateMember {
    const REQUIRED: &'static [&'static str] = &["email", "role"];
    type Checked = NewMember;

    fn check(self, _context: &Context) -> Result<NewMember, Failure> {
        let name = self.name.map(|name| text::name(&name, "name")).transpose()?;
        Ok(NewMember { email: address(&self.email, "email")?, role: self.role, name })
    }
}

/// The status that a member can be given.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum NewMemberStatus {
    /// May sign in.
    Active,
    /// May not sign in. Sessions and their keys end.
    Suspended,
}

/// The fields to change, at least one.
#[derive(Deserialize, ToSchema)]
#[schema(min_properties = 1)]
pub(crate) struct UpdateMember {
    /// The member's name; `null` removes it.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<ObjectName>)]
    name: Option<Option<String>>,
    /// Another role ends all sessions of the member.
    role: Option<Role>,
    status: Option<NewMemberStatus>,
}

impl Input for UpdateMember {
    const AT_LEAST_ONE: bool = true;
    const NULLABLE: &'static [&'static str] = &["name"];
    type Checked = MemberFields;

    fn check(self, _context: &Context) -> Result<MemberFields, Failure> {
        let name = self.name.map(|name| name.map(|name| text::name(&name, "name")).transpose()).transpose()?;
        let is_suspended = self.status.map(|status| matches!(status, NewMemberStatus::Suspended));
        Ok(MemberFields { name, role: self.role, is_suspended })
    }
}

/// A member who was removed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RemovedMember)]
pub(crate) struct RemovedView {
    /// A confirmation.
    message: &'static str,
    /// The ids of the keys that were revoked with the member.
    revoked_keys: Vec<String>,
}

/// List members
///
/// Returns the organization's members, newest first.
#[utoipa::path(get, path = "/v1/organization/members", operation_id = "organization.members.list", tag = "Members",
    security(("adminKey" = []), ("session" = [])), params(ListQuery),
    responses((status = 200, description = "A page of members", body = List<MemberView>),
        (status = 403, description = "A test admin key does not see members")))]
pub(crate) async fn list_members(
    State(people): State<PeopleContext>,
    caller: OrgMember,
    query: ListQuery,
) -> Result<Answer<List<MemberView>>, Rejection> {
    super::expect_live(&caller)?;
    let request = query.page(&caller.organization, LIST)?;
    let page = people.context.store.of(&caller.organization).members(&request).await?;
    Ok(Answer::ok(List::new(page.map(MemberView::from), &caller.organization, LIST, |member| member.id.ksuid())?))
}

/// Create a member
///
/// Invites a person, who signs in with a link or with the installation's identity provider. You must have every scope of the
/// role. Only an owner who is signed in, or the operator, can create an owner. An organization can have up to 200 members.
#[utoipa::path(post, path = "/v1/organization/members", operation_id = "organization.members.create", tag = "Members",
    security(("adminKey" = [])), request_body = CreateMember,
    responses((status = 201, description = "The member", body = MemberView),
        (status = 403, description = "You have fewer rights than the role, or this is a test admin key"),
        (status = 409, description = "The organization has a member with this address")))]
pub(crate) async fn create_member(
    State(people): State<PeopleContext>,
    caller: Admin,
    once: Once,
    body: Json<CreateMember>,
) -> Result<Response, Rejection> {
    let planned = super::create(&people.context, &caller, &body.input)
        .await
        .map(|(member, change)| Planned { change, answer: Answer::created(MemberView::from(member)) });
    once.attempt(&people.context, body.fingerprint).finish(planned).await
}

/// Get a member
#[utoipa::path(get, path = "/v1/organization/members/{memberId}", operation_id = "organization.members.get",
    tag = "Members", security(("adminKey" = []), ("session" = [])), params(("memberId" = MemberId, Path)),
    responses((status = 200, description = "The member", body = MemberView),
        (status = 403, description = "A test admin key does not see members")))]
pub(crate) async fn get_member(
    claim: Claim<OrgMember>,
    path: Deferred<Path<(MemberId,)>>,
) -> Result<Answer<MemberView>, Rejection> {
    let (caller, member) = claim.with(path, |reads, Path((id,))| async move { reads.member(&id).await }).await?;
    super::expect_live(&caller)?;
    Ok(Answer::ok(member.ok_or_else(no_such_member)?.into()))
}

/// Update a member
///
/// Changes the name, role or status. Another role and a suspension end all sessions of the member and their keys. The last
/// active owner cannot be suspended and stays one.
#[utoipa::path(patch, path = "/v1/organization/members/{memberId}", operation_id = "organization.members.update",
    tag = "Members", security(("adminKey" = [])), params(("memberId" = MemberId, Path)), request_body = UpdateMember,
    responses((status = 200, description = "The member", body = MemberView),
        (status = 403, description = "You have fewer rights than one of the roles, or this is a test admin key"),
        (status = 409, description = "The organization would have no active owner")))]
pub(crate) async fn update_member(
    State(people): State<PeopleContext>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(MemberId,)>, Json<UpdateMember>)>,
) -> Result<Answer<MemberView>, Rejection> {
    let read =
        claim.with(input, |reads, (Path((id,)), body)| async move { Ok((reads.member(&id).await?, body.input)) });
    let (caller, (member, fields)) = read.await?;
    Ok(Answer::ok(super::update(&people.context, &caller, member, &fields).await?.into()))
}

/// Remove a member
///
/// Removes a member with all sessions and their keys. `keys` says what becomes of the keys that the member has created, and is
/// required if there are any: `revoke` also revokes the keys that these have created and needs `keys:write`, `keep` keeps all. If a
/// request with `keys=revoke` fails half-way, send it again.
#[utoipa::path(delete, path = "/v1/organization/members/{memberId}", operation_id = "organization.members.delete",
    tag = "Members", security(("adminKey" = [])),
    params(("memberId" = MemberId, Path), ("keys" = Option<String>, Query, pattern = "^(revoke|keep)$")),
    responses((status = 200, description = "The member was removed", body = RemovedView),
        (status = 403, description = "You have fewer rights than the member's role, or this is a test admin key"),
        (status = 409, description = "The organization would have no active owner")))]
pub(crate) async fn delete_member(
    State(people): State<PeopleContext>,
    caller: Admin,
    Path((id,)): Path<(MemberId,)>,
    Only(fate): Only<Fate>,
) -> Result<Answer<RemovedView>, Rejection> {
    let revoked_keys = super::remove(&people.context, &caller, &id, fate).await?;
    Ok(Answer::ok(RemovedView { message: "Member removed", revoked_keys }))
}
