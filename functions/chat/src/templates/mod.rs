//! Templates: synced from the platform by a job of the worker, listed, created, edited and deleted.

mod create;
pub(crate) mod create_http;
mod edit;
mod filter;
pub(crate) mod http;
mod manage;
pub(crate) mod manage_http;
mod own;
pub(crate) mod own_http;
mod sample;

use std::time::Duration;

use api::{Admin, List, ListBy, OrgMember};
use domain::Failure;
use domain::chat::{ChatBusinessProfile, Template};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::identity::credential::hex;
use domain::job::Job;
use domain::port::random_bytes;
use futures_util::future::join;
use store::{OrganizationStore, SyncOutcome, SyncRun, SyncStart, SyncState, failure_from_text};
use tokio::time::{Instant, sleep};

use self::filter::{OfProfile, PROFILE};
use crate::{ChatContext, profiles};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
const RETRY_AFTER: u32 = 10;

/// The validated body of the sync operation.
pub(crate) struct Sync {
    profile: ChatBusinessProfileId,
    dry_run: bool,
}

/// Starts a run and waits for its outcome. A request that finds a run in progress does not wait for it: it fails at
/// once, and a later request returns the outcome.
async fn sync(chat: &ChatContext, caller: &Admin, wanted: &Sync) -> Result<SyncOutcome, Failure> {
    let organization = &caller.organization;
    let org = chat.context.store.of(organization);
    let profile = profiles::find(&org, caller, &wanted.profile, "chatBusinessProfileId").await?;
    if profile.is_given_up() {
        return Err(platform::not_connected());
    }

    let fresh = hex(&random_bytes::<16>(chat.context.random()));
    let found = match org.start_sync(&profile.id, wanted.dry_run, &fresh, chat.context.now()).await? {
        SyncStart::Started => {
            begin(chat, organization, &profile, wanted.dry_run, &fresh).await?;
            wait(&org, chat.sync_patience, wanted, &fresh).await?
        }
        SyncStart::Found(run) => run,
    };

    match found.state {
        SyncState::Running => Err(still_running()),
        SyncState::Failed => Err(failure_of(&found)),
        SyncState::Done => {
            org.collect_sync(&wanted.profile, wanted.dry_run, &found.run).await?;
            Ok(found.outcome)
        }
    }
}

fn still_running() -> Failure {
    let message = "The sync is still running. Retry after the seconds in `Retry-After` to get its result.";
    Failure::in_progress(message, RETRY_AFTER)
}

/// Queues the job of a run. If that fails, the run is ended at once instead of when its lease expires.
async fn begin(
    chat: &ChatContext,
    organization: &OrganizationId,
    profile: &ChatBusinessProfile,
    dry_run: bool,
    run: &str,
) -> Result<(), Failure> {
    let job = Job::SyncTemplates {
        v: domain::job::VERSION,
        organization_id: organization.clone(),
        profile_id: profile.id.clone(),
        dry_run,
        run: run.to_owned(),
    };
    let sent = chat.queue.send(&[job]).await;
    if sent.is_err() {
        let (org, now) = (chat.context.store.of(organization), chat.context.now());
        let failed = Failure::internal("the sync could not be queued");
        org.fail_sync(&profile.id, dry_run, run, &failed, now).await?;
    }
    sent
}

/// Waits for the end of the run `own`, and returns its last known state, which is still running if `patience` ends
/// first. Fails with the response for a running sync if another request has collected the outcome, and perhaps started
/// the next run.
async fn wait(org: &OrganizationStore, patience: Duration, wanted: &Sync, own: &str) -> Result<SyncRun, Failure> {
    let give_up = Instant::now() + patience;
    let mut pause = FIRST_PAUSE;
    loop {
        sleep(pause).await;
        let run = org.sync_run(&wanted.profile, wanted.dry_run).await?.ok_or_else(still_running)?;
        if run.run != own {
            return Err(still_running());
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
        if run.state != SyncState::Running || Instant::now() + pause > give_up {
            return Ok(run);
        }
    }
}

fn failure_of(run: &SyncRun) -> Failure {
    let failure = run.failure.as_deref().and_then(|text| failure_from_text(text).ok());
    failure.unwrap_or_else(|| Failure::internal("a failed sync has no stored failure"))
}

async fn list(chat: &ChatContext, caller: &OrgMember, list: &ListBy<OfProfile>) -> Result<List<Template>, Failure> {
    let organization = &caller.organization;
    let OfProfile { profile, filter } = &list.filters;
    let name = filter.list_name(profile);
    let request = list.query.page(organization, &name)?;
    let org = chat.context.store.of(organization);
    let (found, page) =
        join(profiles::find(&org, caller, profile, PROFILE), filter.page(&org, profile, &request)).await;
    found?;
    List::new(page?, organization, &name, |template| filter.place(template))
}
