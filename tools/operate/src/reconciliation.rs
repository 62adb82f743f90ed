//! The restored table beside the one that was live, and the order in which they are reconciled.

use std::collections::BTreeSet;
use std::io::Write;

use domain::port::{Clock as _, SystemClock};
use domain::{Failure, Timestamp};
use serde::Deserialize;
use store::keys::KeyClass;
use store::maintenance::{Items, Maintenance};

use crate::objects::Objects;
use crate::steps::Steps;

/// Everything that proves, counts, or has bytes.
const CLASSES: [KeyClass; 14] = [
    KeyClass::Credential,
    KeyClass::Organization,
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

/// Which credentials live on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Credentials {
    /// What the table before does not have stays deleted.
    AsInOldTable,
    RevokeAll,
    KeepAll,
    /// Functions use the table already: credentials are judged once only, and counters are right.
    AlreadyJudged,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    pub table: String,
    pub bucket: String,
    pub credentials: Credentials,
    /// Where there is one.
    pub old_table: Option<String>,
    /// Ids of apps, keys and webhooks that live on although the table before does not have them.
    pub keep: BTreeSet<String>,
    pub delete_objects: bool,
    pub dry_run: bool,
}

/// Every change is made to `items` too, in a dry run to them alone.
pub struct Reconciliation<W> {
    pub(crate) table: Maintenance,
    pub(crate) old: Option<Maintenance>,
    pub(crate) items: Items,
    pub(crate) steps: Steps<W>,
    pub(crate) now: Timestamp,
}

/// Works on `table`, which no function may use unless its credentials are judged already. Returns the number of steps.
pub async fn reconcile<W: Write>(
    options: &Options,
    (table, old): (Maintenance, Option<Maintenance>),
    objects: &Objects,
    output: W,
) -> Result<usize, Failure> {
    // Before the items, which are made before their bytes and go after them: this holds on a live table too.
    let names = objects.names().await?;
    let items = table.scan(&CLASSES).await?;
    let steps = Steps::new(output, options.dry_run);
    let mut run = Reconciliation { table, old, items, steps, now: SystemClock.now() };
    if options.credentials != Credentials::AlreadyJudged {
        run.steps.say("Counters as they were restored");
        run.correct_counters().await?;
        run.steps.say("Credentials");
        match options.credentials {
            Credentials::AsInOldTable => {
                run.revoke_what_the_old_table_lacks(&options.keep).await?;
                run.list_lost().await?;
            }
            Credentials::RevokeAll => run.revoke_all().await?,
            _ => run.steps.say("   Nothing is revoked: what was deleted since lives again."),
        }
        run.revoke_unlisted().await?;
        run.steps.say("Counters after that");
        run.correct_counters().await?;
    }
    run.steps.say("Media");
    run.reconcile_media(objects, names, options.delete_objects).await?;
    Ok(run.steps.count)
}
