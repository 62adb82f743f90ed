//! Compares the restored table with the old table, and defines the order of reconciliation.

use std::collections::BTreeSet;
use std::io::Write;

use domain::port::{Clock as _, SystemClock};
use domain::{Failure, Timestamp};
use serde::Deserialize;
use store::keys::KeyClass;
use store::maintenance::{Items, Maintenance};

use crate::objects::Objects;
use crate::steps::Steps;

/// The items that matter for credentials, counters and media.
const CLASSES: [KeyClass; 17] = [
    KeyClass::Credential,
    KeyClass::OnboardingToken,
    KeyClass::SignInToken,
    KeyClass::Organization,
    KeyClass::Member,
    KeyClass::AdminKey,
    KeyClass::App,
    KeyClass::AppKey,
    KeyClass::Webhook,
    KeyClass::WebhookSecrets,
    KeyClass::PhoneNumber,
    KeyClass::Profile,
    KeyClass::ChatNumber,
    KeyClass::PlaygroundNumber,
    KeyClass::Media,
    KeyClass::Spent,
    KeyClass::Message,
];

/// Which credentials remain valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Credentials {
    /// Items that the old table does not have are deleted.
    AsInOldTable,
    RevokeAll,
    KeepAll,
    /// Functions already use the table: credentials were already reconciled, and counters are right.
    AlreadyJudged,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    pub table: String,
    pub bucket: String,
    pub credentials: Credentials,
    /// The old table, if credentials are to be as it has them.
    pub old_table: Option<String>,
    /// The table that the functions used last, if it still exists. It knows which requests have sent a message since the
    /// restore point.
    #[serde(default)]
    pub previous_table: Option<String>,
    /// Ids of apps, keys and webhooks to keep although the old table does not have them.
    pub keep: BTreeSet<String>,
    pub delete_objects: bool,
    pub dry_run: bool,
}

/// The tables of a run.
pub struct Tables {
    pub restored: Maintenance,
    pub old: Option<Maintenance>,
    pub previous: Option<Maintenance>,
}

/// The state of a run. Every change is also made to `items`; in a dry run, only to them.
pub struct Reconciliation<W> {
    pub(crate) table: Maintenance,
    pub(crate) old: Option<Maintenance>,
    pub(crate) previous: Option<Maintenance>,
    pub(crate) items: Items,
    pub(crate) steps: Steps<W>,
    pub(crate) now: Timestamp,
}

/// Reconciles the restored table, which no function may use unless its credentials were already reconciled. Returns the number of
/// steps.
pub async fn reconcile<W: Write>(
    options: &Options,
    tables: Tables,
    objects: &Objects,
    output: W,
) -> Result<usize, Failure> {
    // List objects before items. Items are created before their bytes and deleted after them, so this is safe on a live
    // table.
    let names = objects.names().await?;
    let Tables { restored: table, old, previous } = tables;
    let items = table.scan(&CLASSES).await?;
    let steps = Steps::new(output, options.dry_run);
    let mut run = Reconciliation { table, old, previous, items, steps, now: SystemClock.now() };

    if options.credentials != Credentials::AlreadyJudged {
        run.steps.say("Counters after the restore");
        run.correct_counters().await?;
        run.steps.say("Credentials");
        match options.credentials {
            Credentials::AsInOldTable => {
                run.follow_members(&options.keep).await?;
                run.revoke_what_the_old_table_lacks(&options.keep).await?;
                run.list_lost().await?;
            }
            Credentials::RevokeAll => run.revoke_all().await?,
            _ => run
                .steps
                .say("   Nothing is revoked: credentials that were deleted since the restore point are valid again."),
        }
        run.revoke_unlisted().await?;
        run.steps.say("Counters after reconciling credentials");
        run.correct_counters().await?;
        run.steps.say("Requests to send");
        run.keep_send_records().await?;
        run.steps.say("Usage");
        run.note_usage_gap().await?;
    }

    run.steps.say("Media");
    run.reconcile_media(objects, names, options.delete_objects).await?;
    Ok(run.steps.count)
}
