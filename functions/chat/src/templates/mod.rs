//! Templates: synced from the platform by a job of the worker, and listed.

pub(crate) mod http;

use std::time::Duration;

use api::{Admin, FilteredList, List, OrgMember};
use aws::queue::Job;
use domain::chat::{ChatBusinessProfile, Template};
use domain::credential::hex;
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::port::random_bytes;
use domain::{ErrorCode, Failure};
use futures_util::future::join;
use store::{OrganizationStore, Quota, SyncOutcome, SyncRun, SyncStart, SyncState};
use tokio::time::{Instant, sleep};

use crate::{ChatContext, profiles};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
const RETRY_AFTER: u32 = 10;

/// The validated body of the sync operation.
pub(crate) struct Sync {
    profile: ChatBusinessProfileId,
    dry_run: bool,
}

/// Starts a run, or joins the one that is running or whose outcome was not collected yet, and waits for its outcome.
async fn sync(chat: &ChatContext, caller: &Admin, wanted: &Sync) -> Result<SyncOutcome, Failure> {
    let organization = &caller.organization;
    let org = chat.context.store.of(organization);
    let profile = profiles::find(&org, caller, &wanted.profile, "chatBusinessProfileId").await?;
    let fresh = hex(&random_bytes::<16>(chat.context.random()));
    let run = match org.start_sync(&profile.id, wanted.dry_run, &fresh, chat.context.now()).await? {
        SyncStart::Started => {
            begin(chat, organization, &profile, wanted.dry_run, &fresh).await?;
            None
        }
        SyncStart::Found(run) => Some(run),
    };
    let outcome = wait(&org, chat.sync_patience, wanted, run).await?;
    outcome.ok_or_else(|| {
        let message = "The sync is still running. Retry the request to get its outcome.";
        Failure::of_code(ErrorCode::PlatformApiUnavailable, message).with_retry_after(RETRY_AFTER)
    })
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
        v: aws::queue::VERSION,
        organization_id: organization.clone(),
        profile_id: profile.id.clone(),
        dry_run,
        run: run.to_owned(),
    };
    let (org, now) = (chat.context.store.of(organization), chat.context.now());
    if let Err(spent) = org.spend(&Quota::syncs(&profile.id), now).await {
        org.fail_sync(&profile.id, dry_run, run, &spent, now).await?;
        return Err(spent);
    }
    let sent = chat.queue.send(&[job]).await;
    if sent.is_err() {
        let failed = Failure::internal("the sync could not be queued");
        org.fail_sync(&profile.id, dry_run, run, &failed, now).await?;
    }
    sent
}

/// Waits for the outcome of a run. Returns `None` if it is still running when `patience` ends.
async fn wait(
    org: &OrganizationStore,
    patience: Duration,
    wanted: &Sync,
    mut run: Option<SyncRun>,
) -> Result<Option<SyncOutcome>, Failure> {
    let give_up = Instant::now() + patience;
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(seen) = &run {
            match seen.state {
                SyncState::Running => {}
                SyncState::Done => {
                    org.collect_sync(&wanted.profile, wanted.dry_run, &seen.run).await?;
                    return Ok(Some(seen.outcome));
                }
                SyncState::Failed => return Err(failure_of(seen)),
            }
        }
        if Instant::now() + pause > give_up {
            return Ok(None);
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
        run = org.sync_run(&wanted.profile, wanted.dry_run).await?;
    }
}

fn failure_of(run: &SyncRun) -> Failure {
    let failure = run.failure.as_deref().and_then(|text| serde_json::from_str(text).ok());
    failure.unwrap_or_else(|| Failure::internal("a failed sync has no stored failure"))
}

async fn list(
    chat: &ChatContext,
    caller: &OrgMember,
    list: &FilteredList<ChatBusinessProfileId>,
) -> Result<List<Template>, Failure> {
    let organization = &caller.organization;
    let profile = list.required()?;
    let name = format!("chat-templates/{profile}");
    let request = list.query.page(organization, &name)?;
    let org = chat.context.store.of(organization);
    let (profile, page) =
        join(profiles::find(&org, caller, profile, "chatBusinessProfileId"), org.templates(profile, &request)).await;
    profile?;
    Ok(List::new(page?.map(|stored| stored.template), organization, &name))
}
