//! Sessions of members: who is signed in, keys for a while, and signing out. A session never replaces a key; it gets one.

pub(crate) mod cookie;
pub(crate) mod http;
pub(crate) mod switching;

use api::SignedIn;
use domain::audit::TargetKind;
use domain::id::{AdminKeyId, AppId, AppKeyId};
use domain::identity::app::App;
use domain::identity::credential::{Bearer, Secret};
use domain::identity::holder::{Credential, Holder, OnBehalf};
use domain::identity::member::{Member, SessionKey};
use domain::identity::scope::Scopes;
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
        let before = org.member(&signed.member.id).await?.ok_or_else(Failure::credential_ended)?;
        let holder = match wanted {
            Wanted::Admin(mode) => {
                let key_id = AdminKeyId::mint(*mode, now, context.random());
                Holder::AdminKey { key_id, mode: *mode, member: Some(OnBehalf::of(&before)) }
            }
            Wanted::App(id) => {
                let app = org.app(id).await?.ok_or_else(|| Failure::not_found("appId", "app"))?;
                app_holder(people, &before, app, now)
            }
        };
        let expires_at = before.session(&signed.session_id, now).ok_or_else(Failure::credential_ended)?.end_of_key(now);
        let (value, credential) = credential(people, signed, &before, holder, expires_at);
        let new = SessionKey { value_hash: value.sha256(), expires_at };
        let (after, ended) =
            before.with_key(&signed.session_id, new.clone(), now).ok_or_else(Failure::credential_ended)?;

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

/// The limit of the app is read with each request, because the app does not know this key.
fn app_holder(people: &PeopleContext, member: &Member, app: App, now: Timestamp) -> Holder {
    let key_id = AppKeyId::mint(app.id.mode(), now, people.context.random());
    let App { id: app_id, simulated_chat_number, .. } = app;
    Holder::AppKey { key_id, app_id, simulated_chat_number, member: Some(OnBehalf::of(member)) }
}

/// Returns a new credential of a holder. Records of `Idempotency-Key` belong to the member and the mode.
fn credential(
    people: &PeopleContext,
    signed: &SignedIn,
    member: &Member,
    holder: Holder,
    expires_at: Timestamp,
) -> (Secret, Credential) {
    let mode = holder.mode();
    let value = Bearer::mint(holder.kind(), &signed.organization, people.context.random()).secret;
    let mut credential = Credential::without_limits(signed.organization.clone(), holder, Some(expires_at));
    credential.grant.scopes = member.role.scopes(mode);
    credential.ancestor = Some(member.id.clone());
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
