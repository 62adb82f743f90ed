//! Members: whoever creates or changes one has every right of that member's role, and only owners touch owners.

pub(crate) mod http;
mod keys;
pub(crate) mod link_http;

use api::idempotency::changed_meanwhile;
use api::{Admin, OrgMember};
use domain::audit::Entry;
use domain::id::MemberId;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::grant::Grant;
use domain::identity::member::{Member, Role};
use domain::identity::scope::Scope;
use domain::{Failure, Mode};
use runtime::Context;
use store::{Change, Committed};

const PARAM: &str = "memberId";

/// The validated body of the create operation.
pub(crate) struct NewMember {
    email: String,
    role: Role,
    name: Option<String>,
}

/// The validated body of the update operation.
pub(crate) struct MemberFields {
    name: Option<Option<String>>,
    role: Option<Role>,
    is_suspended: Option<bool>,
}

pub(crate) fn no_such_member() -> Failure {
    Failure::not_found(PARAM, "member")
}

/// Members are live objects, which test keys do not see.
fn expect_live(caller: &OrgMember) -> Result<(), Failure> {
    match caller.mode {
        Mode::Live => Ok(()),
        Mode::Test => {
            Err(Failure::forbidden("Members take a live admin key, but this is a test admin key. Use a live one."))
        }
    }
}

/// Fails with 403 unless a caller may give or take a role, and enters the refusal.
pub(crate) async fn expect_may_give(context: &Context, caller: &Admin, role: Role) -> Result<(), Failure> {
    caller.entered(context, covers(caller, role)).await
}

/// A caller must have every right of the role, in both modes and from anywhere.
fn covers(caller: &Admin, role: Role) -> Result<(), Failure> {
    caller.require_live()?;
    let is_owner = caller.member.as_ref().is_some_and(|member| member.role == Role::Owner);
    if role == Role::Owner && !is_owner {
        let message = "Only an owner who is signed in, or the operator, can create, change or remove an owner.";
        return Err(Failure::forbidden(message).with_param("role"));
    }
    Mode::ALL.into_iter().try_for_each(|mode| {
        let given = Grant { scopes: role.scopes(mode), allowed_ips: None };
        caller.grant.expect_covers(&given, CredentialKind::AdminKey).map_err(|failure| failure.with_param("role"))
    })
}

async fn create(context: &Context, caller: &Admin, new: &NewMember) -> Result<(Member, Change), Failure> {
    expect_may_give(context, caller, new.role).await?;
    let now = context.now();
    let id = MemberId::mint(now, context.random());
    let member = Member::invited(id, &new.email, new.name.clone(), new.role, now);
    let mut change = Change::new(&caller.organization);
    change.create_member(&member)?;
    caller.require_maker(&mut change);
    change.enter(&context.entry(&caller.trail, Mode::Live).created(&member))?;
    Ok((member, change))
}

/// Changes a member. Another role and a suspension end all sessions, whose credentials carry the role.
async fn update(
    context: &Context,
    caller: &Admin,
    before: Option<Member>,
    fields: &MemberFields,
) -> Result<Member, Failure> {
    caller.require_live()?;
    let before = before.ok_or_else(no_such_member)?;
    expect_may_give(context, caller, before.role).await?;
    let role = fields.role.unwrap_or(before.role);
    expect_may_give(context, caller, role).await?;
    let now = context.now();
    let suspended_at = match fields.is_suspended {
        Some(true) => before.suspended_at.or(Some(now)),
        Some(false) => None,
        None => before.suspended_at,
    };
    let (mut after, ended) = before.advanced(now).standing_as(role, suspended_at);
    after.name = fields.name.clone().unwrap_or(after.name);

    let mut change = Change::new(&caller.organization);
    change.end_sessions(&ended);
    change.update_member(&before, &after)?;
    change.enter(&context.entry(&caller.trail, Mode::Live).changed(&before, &after))?;
    match context.store.commit(&change).await? {
        Committed::Stale => Err(changed_meanwhile()),
        _ => Ok(after),
    }
}

/// Removes a member, with all sessions in one transaction, and returns the ids of keys that were revoked after that.
async fn remove(
    context: &Context,
    caller: &Admin,
    id: &MemberId,
    fate: Option<keys::Fate>,
) -> Result<Vec<String>, Failure> {
    caller.require_live()?;
    let org = context.store.of(&caller.organization);
    let Some(member) = org.member(id).await? else {
        return finish_removal(context, caller, id, fate).await;
    };
    expect_may_give(context, caller, member.role).await?;
    expect_may_revoke(context, caller, fate).await?;
    if fate.is_none() && !keys::made_by(&org, id).await?.is_empty() {
        let message = "This member has created keys. Say what becomes of them: keys=revoke also revokes the keys that these have created, keys=keep keeps them.";
        return Err(Failure::invalid("keys", message));
    }

    let mut change = Change::new(&caller.organization);
    change.remove_member(&member);
    change.enter(&removal(context, caller, &member, fate))?;
    if matches!(context.store.commit(&change).await?, Committed::Stale) {
        return Err(changed_meanwhile());
    }
    match fate {
        Some(keys::Fate::Revoke) => keys::revoke(context, caller, id).await,
        _ => Ok(Vec::new()),
    }
}

/// Revoking keys needs the right to delete them, whatever the role of the member who has made them.
async fn expect_may_revoke(context: &Context, caller: &Admin, fate: Option<keys::Fate>) -> Result<(), Failure> {
    match fate {
        Some(keys::Fate::Revoke) => caller.entered(context, caller.grant.expect(Scope::KeysWrite)).await,
        _ => Ok(()),
    }
}

/// Revokes what is left of the keys of a member who was removed before: an earlier request may have failed half-way.
async fn finish_removal(
    context: &Context,
    caller: &Admin,
    id: &MemberId,
    fate: Option<keys::Fate>,
) -> Result<Vec<String>, Failure> {
    if fate != Some(keys::Fate::Revoke) {
        return Err(no_such_member());
    }
    expect_may_revoke(context, caller, fate).await?;
    let revoked = keys::revoke(context, caller, id).await?;
    if revoked.is_empty() { Err(no_such_member()) } else { Ok(revoked) }
}

fn removal(context: &Context, caller: &Admin, member: &Member, fate: Option<keys::Fate>) -> Entry {
    let entry = context.entry(&caller.trail, Mode::Live).deleted(member);
    match fate {
        Some(fate) => entry.field("keys", None, Some(fate.as_str())),
        None => entry,
    }
}
