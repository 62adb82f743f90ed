//! The keys that a member has created, and those that these keys have created.

use std::collections::BTreeSet;

use api::Admin;
use api::list::Filter;
use domain::Failure;
use domain::Mode;
use domain::id::{Identifier as _, MemberId};
use domain::identity::key::{Actor, AdminKey, AppKey};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use runtime::Context;
use store::{Change, OrganizationStore};
use tokio::try_join;

/// How many apps' lists of keys are read at the same time.
const LISTS_AT_ONCE: usize = 10;

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

/// A key of either kind.
pub(super) enum AnyKey {
    Admin(AdminKey),
    App(AppKey),
}

impl AnyKey {
    fn id(&self) -> &str {
        match self {
            AnyKey::Admin(key) => key.id.as_str(),
            AnyKey::App(key) => key.id.as_str(),
        }
    }

    fn created_by(&self) -> Option<&Actor> {
        match self {
            AnyKey::Admin(key) => key.state.created_by.as_ref(),
            AnyKey::App(key) => key.state.created_by.as_ref(),
        }
    }
}

/// Returns all keys of an organization. Limits keep all lists short.
async fn all_keys(org: &OrganizationStore) -> Result<Vec<AnyKey>, Failure> {
    let [live, test] = Mode::ALL;
    let (of_live, of_test, live_apps, test_apps) =
        try_join!(org.all_admin_keys(live), org.all_admin_keys(test), org.app_ids(live), org.app_ids(test))?;
    let lists = live_apps.into_iter().chain(test_apps).map(|app| async move { org.all_app_keys(&app).await });
    let of_apps: Vec<Vec<AppKey>> = stream::iter(lists).buffer_unordered(LISTS_AT_ONCE).try_collect().await?;

    let admin_keys = of_live.into_iter().chain(of_test).map(AnyKey::Admin);
    Ok(admin_keys.chain(of_apps.into_iter().flatten().map(AnyKey::App)).collect())
}

/// Returns the keys that a member has created, and those that these have created.
pub(super) async fn made_by(org: &OrganizationStore, member: &MemberId) -> Result<Vec<AnyKey>, Failure> {
    let mut left = all_keys(org).await?;
    let (mut makers, mut made) = (BTreeSet::from([member.to_string()]), Vec::new());
    loop {
        let is_made = |key: &AnyKey| {
            key.created_by().and_then(|maker| maker.id.as_ref()).is_some_and(|maker| makers.contains(maker))
        };
        let (found, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(is_made);
        if found.is_empty() {
            return Ok(made);
        }
        makers.extend(found.iter().map(|key| key.id().to_owned()));
        made.extend(found);
        left = rest;
    }
}

/// Revokes keys, each in a transaction with its entry, and returns their ids.
pub(super) async fn revoke(context: &Context, caller: &Admin, keys: Vec<AnyKey>) -> Result<Vec<String>, Failure> {
    let mut revoked = Vec::new();
    for key in keys {
        let mut change = Change::new(&caller.organization);
        let entry = match &key {
            AnyKey::Admin(key) => {
                change.delete_admin_key(key);
                context.entry(&caller.trail, key.id.mode()).deleted(key)
            }
            AnyKey::App(key) => {
                change.delete_app_key(key);
                context.entry(&caller.trail, key.id.mode()).deleted(key)
            }
        };
        change.enter(&entry)?;
        context.store.commit(&change).await?;
        revoked.push(key.id().to_owned());
    }
    Ok(revoked)
}
