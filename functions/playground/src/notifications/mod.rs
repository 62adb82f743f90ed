//! Notifications of the simulated platform that a developer writes.

pub(crate) mod http;

use api::Tester;
use domain::chat::ChatPhoneNumber;
use domain::id::ChatPhoneNumberId;
use domain::{E164, Failure};
use futures_util::future::try_join_all;
use inbound::{Inbox, Replay, Replayed};
use serde_json::{Map, Value};
use store::{Change, OrganizationStore, PlaygroundNumber, Quota};

use crate::numbers;

const TARGET: &str = "target";

/// The validated body of the operation.
pub(crate) struct Notification {
    field: String,
    value: Map<String, Value>,
    /// `None` for the number that was created with the app.
    target: Option<ChatPhoneNumberId>,
}

/// Counts the updates as simulated messages and their bytes as stored ones, makes the senders of their messages users
/// of the playground, and applies them. `found` is the number that the request names.
async fn apply(
    inbox: &Inbox,
    caller: &Tester,
    sent: &Notification,
    found: Option<ChatPhoneNumber>,
) -> Result<Replayed, Failure> {
    let (context, organization) = (&inbox.context, caller.organization());
    let store = &context.store.of(organization);

    let number = target(store, caller, sent, found).await?;
    let replay = Replay::new(organization, &number, &sent.field, &sent.value, context.now())?;
    if !replay.is_empty() {
        let bytes = serde_json::to_vec(&sent.value).map_err(Failure::internal)?.len() as u64;
        let (updates, senders) = (replay.len() as u64, &replay.senders());
        let decide = || async move {
            let (new, silent) = newly_writing(store, senders).await?;
            let (mut change, now) = (Change::new(organization), context.now());
            let messages = caller.app().map_or_else(Quota::playground_messages_of_admins, Quota::playground_messages);
            change.spend(&messages, updates, now)?;
            change.spend(&Quota::stored_by_test_apps(), bytes, now)?;
            change.admit(&new, None, now)?;
            for user in &silent {
                change.note_first_use(user, now)?;
            }
            Ok((change, ()))
        };
        context.store.settle(decide).await?;
    }
    inbox.replay(replay).await
}

/// Returns the test number that the notification is about.
async fn target(
    store: &OrganizationStore,
    caller: &Tester,
    sent: &Notification,
    found: Option<ChatPhoneNumber>,
) -> Result<ChatPhoneNumber, Failure> {
    match (caller, &sent.target) {
        (Tester::Admin(_), None) => {
            let message = "target is required with an admin key: the id of a test chat phone number, which begins with wapn_test_.";
            Err(Failure::missing_with(TARGET, message))
        }
        (Tester::Admin(_), Some(_)) => {
            let number = found.filter(|number| number.id.mode().is_test());
            number.ok_or_else(|| Failure::not_found(TARGET, "test chat phone number"))
        }
        (Tester::App(test), None) => numbers::of_app(store, test, None, TARGET).await,
        // A number of a test app is a test number.
        (Tester::App(test), Some(_)) => {
            let number = found.filter(|number| number.is_assigned_to(&test.app.app_id));
            number.ok_or_else(|| Failure::not_found(TARGET, "chat phone number of the app"))
        }
    }
}

/// Returns the senders who are not users of the playground yet, and the users who have not written before. The
/// organization's own simulated numbers are in neither list.
async fn newly_writing(store: &OrganizationStore, senders: &[E164]) -> Result<(Vec<E164>, Vec<E164>), Failure> {
    let reads: Vec<_> = senders.iter().map(|sender| store.playground_number(sender)).collect();
    let known = try_join_all(reads).await?;
    let (mut new, mut silent) = (Vec::new(), Vec::new());
    for (sender, known) in senders.iter().zip(known) {
        match known {
            None => new.push(sender.clone()),
            Some(PlaygroundNumber::User { has_written: false }) => silent.push(sender.clone()),
            Some(PlaygroundNumber::User { has_written: true } | PlaygroundNumber::System) => {}
        }
    }
    Ok((new, silent))
}
