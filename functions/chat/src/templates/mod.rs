//! Templates: synchronised from the platform by a job of the worker, and listed.

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
use store::{Quota, SyncOutcome, SyncRun, SyncStart, SyncState};
use tokio::time::{Instant, sleep};

use crate::{ChatContext, profiles};

const FIRST_LOOK: Duration = Duration::from_millis(100);
const SLOWEST_LOOK: Duration = Duration::from_secs(1);
const RETRY_AFTER: u32 = 10;

pub(crate) struct Sync {
    profile: ChatBusinessProfileId,
    dry_run: bool,
}

/// One run for everybody who asks while it is under way, or who asks for an outcome that nobody has got yet.
async fn sync(chat: &ChatContext, caller: &Admin, wanted: &Sync) -> Result<SyncOutcome, Failure> {
    let organization = &caller.organization;
    let profile = profiles::find(chat, caller, organization, (&wanted.profile, "chatBusinessProfileId")).await?;
    let store = &chat.context.store;
    let fresh = hex(&random_bytes::<16>(chat.context.random()));
    let run = match store.of(organization).start_sync(&profile.id, wanted.dry_run, &fresh, chat.context.now()).await? {
        SyncStart::Started => {
            begin(chat, organization, &profile, wanted.dry_run, &fresh).await?;
            None
        }
        SyncStart::Found(run) => Some(run),
    };
    let outcome = wait(chat, organization, wanted, run).await?;
    outcome.ok_or_else(|| {
        let message = "The sync is still running; ask again for its outcome.";
        Failure::of_code(ErrorCode::PlatformApiUnavailable, message).with_retry_after(RETRY_AFTER)
    })
}

/// A run without its job would only be given up when its lease has run out.
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
    let (store, now) = (&chat.context.store, chat.context.now());
    if let Err(spent) = store.of(organization).spend(&Quota::syncs(&profile.id), now).await {
        store.of(organization).fail_sync(&profile.id, dry_run, run, &spent, now).await?;
        return Err(spent);
    }
    let sent = chat.queue.send(&[job]).await;
    if sent.is_err() {
        let failed = Failure::internal("the sync could not be queued");
        store.of(organization).fail_sync(&profile.id, dry_run, run, &failed, now).await?;
    }
    sent
}

/// `None`: it is still running when patience ends.
async fn wait(
    chat: &ChatContext,
    organization: &OrganizationId,
    wanted: &Sync,
    mut run: Option<SyncRun>,
) -> Result<Option<SyncOutcome>, Failure> {
    let store = &chat.context.store;
    let give_up = Instant::now() + chat.sync_patience;
    let mut pause = FIRST_LOOK;
    loop {
        if let Some(seen) = &run {
            match seen.state {
                SyncState::Running => {}
                SyncState::Done => {
                    store.of(organization).collect_sync(&wanted.profile, wanted.dry_run, &seen.run).await?;
                    return Ok(Some(seen.outcome));
                }
                SyncState::Failed => return Err(failure_of(seen)),
            }
        }
        if Instant::now() + pause > give_up {
            return Ok(None);
        }
        sleep(pause).await;
        pause = (pause * 2).min(SLOWEST_LOOK);
        run = store.of(organization).sync_run(&wanted.profile, wanted.dry_run).await?;
    }
}

fn failure_of(run: &SyncRun) -> Failure {
    let failure = run.failure.as_deref().and_then(|text| serde_json::from_str(text).ok());
    failure.unwrap_or_else(|| Failure::internal("a failed sync without its failure"))
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
    let (found, page) = join(
        profiles::find(chat, caller, organization, (profile, "chatBusinessProfileId")),
        chat.context.store.of(organization).templates(profile, &request),
    )
    .await;
    found?;
    Ok(List::new(page?.map(|stored| stored.template), organization, &name))
}
