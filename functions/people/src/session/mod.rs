//! Sessions of members: who is signed in, keys for a while, and signing out. A session never replaces a key; it gets one.

pub(crate) mod cookie;
pub(crate) mod http;
pub(crate) mod switching;

use std::time::Duration;

use api::SignedIn;
use domain::audit::TargetKind;
use domain::id::{AdminKeyId, AppId, AppKeyId};
use domain::identity::app::App;
use domain::identity::credential::{Bearer, Secret};
use domain::identity::holder::{Credential, Holder, OnBehalf};
use domain::identity::member::{KEY_SECONDS, Member, SessionKey};
use domain::identity::rate::RateLimit;
use domain::identity::scope::Scopes;
use domain::identity::unauthenticated::Unauthenticated;
use domain::{Failure, Mode, Timestamp};
use store::Change;

use crate::PeopleContext;

/// The key that is asked for.
pub(crate) enum Wanted {
    Admin(Mode),
    App(AppId),
}

/// A key that works for a while.
pub(super) struct Given {
    value: Secret,
    expires_at: Timestamp,
    scopes: Option<Scopes>,
}

/// Gives a session a key with the rights of the member's role.
async fn key(people: &PeopleContext, signed: &SignedIn, wanted: &Wanted) -> Result<Given, Failure> {
    let (context, org) = (&people.context, &people.context.store.of(&signed.organization));
    let decide = || async move {
        let now = context.now();
        let before = org.member(&signed.member.id).await?.ok_or_else(has_ended)?;
        let holder = match wanted {
            Wanted::Admin(mode) => admin_holder(people, &before, *mode, now),
            Wanted::App(id) => {
                let app = org.app(id).await?.ok_or_else(|| Failure::not_found("appId", "app"))?;
                app_holder(people, &before, app, now)
            }
        };
        let (value, credential) = credential(people, signed, &before, holder, now);
        let new = SessionKey { value_hash: value.sha256(), expires_at: credential.expires_at.unwrap_or(now) };
        let (after, ended) = before.with_key(&signed.session_id, new.clone(), now).ok_or_else(has_ended)?;

        let mut change = Change::new(&signed.organization);
        change.update_member(&before, &after)?;
        change.create_credential(&new.value_hash, &credential)?;
        change.end_session_keys(&ended);
        if let Some(session) = after.session(&signed.session_id, now) {
            change.prolong_session(session)?;
        }
        Ok((change, Given { value, expires_at: new.expires_at, scopes: credential.grant.scopes }))
    };
    context.store.settle(decide).await
}

/// The session has ended since its credential was read.
fn has_ended() -> Failure {
    Failure::unauthenticated(Unauthenticated::InvalidKey.message())
}

fn on_behalf_of(member: &Member) -> Option<OnBehalf> {
    Some(OnBehalf { id: member.id.clone(), email: member.email.clone(), role: member.role })
}

fn admin_holder(people: &PeopleContext, member: &Member, mode: Mode, now: Timestamp) -> (Holder, Option<RateLimit>) {
    let key_id = AdminKeyId::mint(mode, now, people.context.random());
    (Holder::AdminKey { key_id, mode, member: on_behalf_of(member) }, None)
}

fn app_holder(people: &PeopleContext, member: &Member, app: App, now: Timestamp) -> (Holder, Option<RateLimit>) {
    let key_id = AppKeyId::mint(app.id.mode(), now, people.context.random());
    let App { id: app_id, simulated_chat_number, rate_limit, .. } = app;
    (Holder::AppKey { key_id, app_id, simulated_chat_number, member: on_behalf_of(member) }, rate_limit)
}

/// Returns a new credential of a holder. Records of `Idempotency-Key` belong to the member and the mode.
fn credential(
    people: &PeopleContext,
    signed: &SignedIn,
    member: &Member,
    (holder, app_rate_limit): (Holder, Option<RateLimit>),
    now: Timestamp,
) -> (Secret, Credential) {
    let mode = holder.mode();
    let value = Bearer::mint(holder.kind(), &signed.organization, people.context.random()).secret;
    let expires_at = Some(now.plus(Duration::from_secs(KEY_SECONDS)));
    let mut credential = Credential::without_limits(signed.organization.clone(), holder, expires_at);
    credential.grant.scopes = member.role.scopes(mode);
    credential.app_rate_limit = app_rate_limit;
    credential.identity = Some(format!("{} {}", member.id, mode.as_str()));
    (value, credential)
}

/// Ends a session with its keys.
async fn end(people: &PeopleContext, signed: &SignedIn) -> Result<(), Failure> {
    let (context, org) = (&people.context, &people.context.store.of(&signed.organization));
    let decide = || async move {
        let mut change = Change::new(&signed.organization);
        let Some(before) = org.member(&signed.member.id).await? else { return Ok((change, ())) };
        let (after, ended) = before.signed_out(&signed.session_id, context.now());
        let Some(ended) = ended else { return Ok((change, ())) };
        change.end_sessions(&[ended]);
        change.update_member(&before, &after)?;
        change.enter(&context.entry(&signed.trail, Mode::Live).about(TargetKind::Member, &before.id))?;
        Ok((change, ()))
    };
    context.store.settle(decide).await
}
