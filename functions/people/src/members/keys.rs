//! The keys that descend from a member: those that the member has created, and those that these keys have created.

use std::collections::BTreeSet;

use api::Admin;
use api::idempotency::changed_meanwhile;
use api::list::Filter;
use domain::id::{AppId, MemberId};
use domain::identity::key::{AdminKey, AppKey, KeyState};
use domain::{Failure, Mode};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use runtime::Context;
use store::{Change, Committed, OrganizationStore};
use tokio::try_join;

/// How many apps' lists of keys are read, and batches revoked, at the same time.
const AT_ONCE: usize = 10;
/// How many keys one transaction revokes: each with two credentials, its entry in the audit log and what needs attention.
const BATCH: usize = 15;
/// How often the keys are looked for.
const ROUNDS: usize = 10;

/// What becomes of the keys of a member who is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Revoke,
    Keep,
}

impl Fate {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Fate::Revoke => "revoke",
            Fate::Keep => "keep",
        }
    }
}

impl Filter for Fate {
    const NAME: &'static str = "keys";

    fn parse(text: &str) -> Result<Self, Failure> {
        match text {
            "revoke" => Ok(Fate::Revoke),
            "keep" => Ok(Fate::Keep),
            _ => Err(Failure::invalid(Self::NAME, "keys must be revoke or keep.")),
        }
    }
}

/// Keys of either kind that one transaction revokes.
pub(super) enum Batch {
    Admin(Vec<AdminKey>),
    App(AppId, Vec<AppKey>),
}

/// Returns the keys that descend from a member, in batches. Limits keep all lists short.
pub(super) async fn made_by(org: &OrganizationStore, member: &MemberId) -> Result<Vec<Batch>, Failure> {
    let [live, test] = Mode::ALL;
    // In this order, because live keys can make test keys, and both can make keys of apps: what a key leaves behind that is deleted
    // meanwhile is in a later list.
    let (of_live, of_test) = (org.all_admin_keys(live).await?, org.all_admin_keys(test).await?);
    let (live_apps, test_apps) = try_join!(org.app_ids(live), org.app_ids(test))?;
    let is_made = |state: &KeyState| state.ancestor.as_ref() == Some(member);
    let admin_keys: Vec<_> = of_live.into_iter().chain(of_test).filter(|key| is_made(&key.state)).collect();
    let mut batches: Vec<_> = admin_keys.chunks(BATCH).map(|keys| Batch::Admin(keys.to_vec())).collect();

    let lists = live_apps.into_iter().chain(test_apps).map(|app| async move {
        let app_keys = org.all_app_keys(&app).await?;
        Ok::<_, Failure>((app, app_keys))
    });
    let of_apps: Vec<_> = stream::iter(lists).buffer_unordered(AT_ONCE).try_collect().await?;
    for (app, mut app_keys) in of_apps {
        app_keys.retain(|key| is_made(&key.state));
        batches.extend(app_keys.chunks(BATCH).map(|keys| Batch::App(app.clone(), keys.to_vec())));
    }
    Ok(batches)
}

/// Revokes the keys that descend from a member, each with its entry, and returns their ids. Looks again until there are none: a
/// key may have been changed meanwhile, or may just have made another one.
pub(super) async fn revoke(context: &Context, caller: &Admin, member: &MemberId) -> Result<Vec<String>, Failure> {
    let org = context.store.of(&caller.organization);
    let mut revoked = BTreeSet::new();
    for _ in 0..ROUNDS {
        let left = made_by(&org, member).await?;
        if left.is_empty() {
            return Ok(revoked.into_iter().collect());
        }
        let batches = left.into_iter().map(|batch| revoke_batch(context, caller, batch));
        let done: Vec<Vec<String>> = stream::iter(batches).buffer_unordered(AT_ONCE).try_collect().await?;
        revoked.extend(done.into_iter().flatten());
    }
    Err(changed_meanwhile())
}

/// Returns the ids of the keys that were revoked: all, or none because one of them has changed.
async fn revoke_batch(context: &Context, caller: &Admin, batch: Batch) -> Result<Vec<String>, Failure> {
    let mut change = Change::new(&caller.organization);
    let ids = match batch {
        Batch::Admin(keys) => {
            change.revoke_admin_keys(&keys)?;
            for key in &keys {
                change.enter(&context.entry(&caller.trail, key.id.mode()).deleted(key))?;
            }
            keys.iter().map(|key| key.id.to_string()).collect()
        }
        Batch::App(app, keys) => {
            change.revoke_app_keys(&app, &keys)?;
            for key in &keys {
                change.enter(&context.entry(&caller.trail, app.mode()).deleted(key))?;
            }
            keys.iter().map(|key| key.id.to_string()).collect()
        }
    };
    Ok(match context.store.commit(&change).await? {
        Committed::Stale => Vec::new(),
        _ => ids,
    })
}
