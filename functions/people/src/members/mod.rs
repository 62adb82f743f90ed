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

/// Fails with 403 unless a caller may give or take a role: it must have every right of the role, from anywhere.
pub(crate) fn expect_may_give(caller: &Admin, role: Role) -> Result<(), Failure> {
    caller.require_live()?;
    let is_owner = caller.member.as_ref().is_some_and(|member| member.role == Role::Owner);
    if role == Role::Owner && !is_owner {
        let message = "Only an owner who is signed in, or the operator, can create, change or remove an owner.";
        return Err(Failure::forbidden(message).with_param("role"));
    }
    let given = Grant { scopes: role.scopes(Mode::Live), allowed_ips: None };
    caller.grant.expect_covers(&given, CredentialKind::AdminKey).map_err(|failure| failure.with_param("role"))
}

fn create(context: &Context, caller: &Admin, new: &NewMember) -> Result<(Member, Change), Failure> {
    expect_may_give(caller, new.role)?;
    let now = context.now();
    let id = MemberId::mint(now, context.random());
    let member = Member::invited(id, &new.email, new.name.clone(), new.role, now);
    let mut change = Change::new(&caller.organization);
    change.create_member(&member)?;
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
    expect_may_give(caller, before.role)?;
    let now = context.now();
    let mut after = before.advanced(now);
    after.name = fields.name.clone().unwrap_or(after.name);
    after.role = fields.role.unwrap_or(after.role);
    after.suspended_at = match fields.is_suspended {
        Some(true) => after.suspended_at.or(Some(now)),
        Some(false) => None,
        None => after.suspended_at,
    };
    expect_may_give(caller, after.role)?;

    let mut change = Change::new(&caller.organization);
    if after.role != before.role || after.suspended_at != before.suspended_at {
        change.end_sessions(&before.sessions);
        after.sessions.clear();
    }
    change.update_member(&before, &after)?;
    change.enter(&context.entry(&caller.trail, Mode::Live).changed(&before, &after))?;
    match context.store.commit(&change).await? {
        Committed::Stale => Err(changed_meanwhile()),
        _ => Ok(after),
    }
}

/// Removes a member, with all sessions in one transaction, and returns the ids of keys that were revoked with that.
async fn remove(
    context: &Context,
    caller: &Admin,
    member: Option<Member>,
    fate: Option<keys::Fate>,
) -> Result<Vec<String>, Failure> {
    caller.require_live()?;
    let member = member.ok_or_else(no_such_member)?;
    expect_may_give(caller, member.role)?;
    let org = context.store.of(&caller.organization);
    let made = keys::made_by(&org, &member.id).await?;
    if fate.is_none() && !made.is_empty() {
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
        Some(keys::Fate::Revoke) => keys::revoke(context, caller, made).await,
        _ => Ok(Vec::new()),
    }
}

fn removal(context: &Context, caller: &Admin, member: &Member, fate: Option<keys::Fate>) -> Entry {
    let entry = context.entry(&caller.trail, Mode::Live).deleted(member);
    match fate {
        Some(fate) => entry.field("keys", None, Some(fate.as_str())),
        None => entry,
    }
}
