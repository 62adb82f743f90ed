//! Signing in as whom the identity provider knows. The first time, an address for which the provider vouches binds a person to
//! the members with that address. From then on only issuer and subject count.

use std::cmp::Reverse;

use domain::audit::{Actor, TargetKind, Trail};
use domain::identity::holder::OnBehalf;
use domain::identity::member::{MEMBERSHIPS_PER_PERSON, Member, MemberSession, Proof, address};
use domain::identity::person::Person;
use domain::{Failure, Mode};
use futures_util::future::try_join_all;
use issuer::Identity;
use store::{Change, Membership};

use super::{Beginning, Begun, session_of};
use crate::PeopleContext;

/// Why somebody whom the provider knows is not signed in.
pub(crate) enum Denied {
    /// Nobody with the person's address was invited.
    NoMembership,
    /// The provider does not vouch for an address.
    NoVerifiedAddress,
    /// All memberships are suspended.
    Suspended,
}

/// Signs a person in, to the membership that was used last, or else to the oldest one.
pub(super) async fn sign_in(
    people: &PeopleContext,
    identity: &Identity,
    trail: &Trail,
) -> Result<Result<Begun, Denied>, Failure> {
    let person = &identity.person;
    let mut memberships = people.context.store.memberships_of(person).await?;
    // An address that no member can have is that of no member.
    let email = identity.email.as_deref().and_then(|email| address(email, "email").ok());
    if let Some(email) = &email {
        let invited = people.context.store.memberships_with_address(email).await?;
        for membership in invited {
            let is_known = memberships.iter().any(|known| known.organization == membership.organization);
            if !is_known && bind(people, &membership, person, trail).await? {
                memberships.push(membership);
            }
        }
    }

    let found = members(people, &memberships).await?;
    let active = found.iter().filter(|(_, member)| member.suspended_at.is_none());
    match active.max_by_key(|(membership, member)| (membership.last_used_at, Reverse(member.created_at))) {
        Some((membership, _)) => begin(people, membership, person, None, trail).await,
        None if !found.is_empty() => Ok(Err(Denied::Suspended)),
        None if email.is_none() => Ok(Err(Denied::NoVerifiedAddress)),
        None => Ok(Err(Denied::NoMembership)),
    }
}

/// Returns the members of memberships, each with its membership.
pub(crate) async fn members(
    people: &PeopleContext,
    memberships: &[Membership],
) -> Result<Vec<(Membership, Member)>, Failure> {
    let reads = memberships.iter().take(MEMBERSHIPS_PER_PERSON).cloned().map(|membership| async move {
        let member = people.context.store.of(&membership.organization).member(&membership.member).await?;
        Ok::<_, Failure>(member.map(|member| (membership, member)))
    });
    Ok(try_join_all(reads).await?.into_iter().flatten().collect())
}

/// Binds a member to a person, unless the member is suspended or bound. Returns whether it did. The entry does not say where the
/// person is: nobody has asked them whether they want to be seen by this organization.
async fn bind(
    people: &PeopleContext,
    Membership { organization, member: id, .. }: &Membership,
    person: &Person,
    trail: &Trail,
) -> Result<bool, Failure> {
    let (context, org) = (&people.context, &people.context.store.of(organization));
    let decide = || async move {
        let mut change = Change::new(organization);
        let Some(before) = org.member(id).await? else { return Ok((change, false)) };
        if before.person.is_some() || before.suspended_at.is_some() {
            // Another sign-in of the same person may have been faster.
            return Ok((change, before.person.as_ref() == Some(person)));
        }
        let mut after = before.advanced(context.now());
        after.person = Some(person.clone());
        change.bind_member(&before, &after, person)?;
        let trail = Trail {
            actor: Actor::member(&OnBehalf::of(&before)),
            source_ip: None,
            user_agent: None,
            action: trail.action,
        };
        let entry = context.entry(&trail, Mode::Live).about(TargetKind::Member, &before.id);
        change.enter(&entry.field("identity", None, Some("bound")))?;
        Ok((change, true))
    };
    context.store.settle(decide).await
}

/// Begins a session of a membership, unless the member was suspended meanwhile or the person is somebody else. `instead_of` is
/// the session that it replaces.
pub(crate) async fn begin(
    people: &PeopleContext,
    Membership { organization, member: id, .. }: &Membership,
    person: &Person,
    instead_of: Option<&MemberSession>,
    trail: &Trail,
) -> Result<Result<Begun, Denied>, Failure> {
    let (context, org) = (&people.context, &people.context.store.of(organization));
    let decide = || async move {
        let mut change = Change::new(organization);
        let member = org.member(id).await?.filter(|member| member.person.as_ref() == Some(person));
        let Some(member) = member else { return Ok((change, Err(Denied::NoMembership))) };
        if member.suspended_at.is_some() {
            return Ok((change, Err(Denied::Suspended)));
        }
        let proof = Proof::Issuer { person: person.clone() };
        let beginning = Beginning { proof, instead_of };
        let begun = session_of(people, organization, &member, beginning, trail, &mut change)?;
        change.use_membership(person, context.now())?;
        Ok((change, Ok(begun)))
    };
    context.store.settle(decide).await
}
