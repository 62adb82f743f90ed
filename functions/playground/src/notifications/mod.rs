//! Notifications of the simulated platform that a developer writes.

pub(crate) mod http;

use api::AppCaller;
use domain::Failure;
use domain::chat::ChatPhoneNumber;
use domain::id::ChatPhoneNumberId;
use inbound::{Inbox, Replay, Replayed};
use serde_json::{Map, Value};
use store::{Change, Quota};

/// The validated body of the operation.
pub(crate) struct Notification {
    field: String,
    value: Map<String, Value>,
    target: ChatPhoneNumberId,
}

/// Counts the updates as simulated messages of the app, and applies them.
async fn apply(
    inbox: &Inbox,
    caller: &AppCaller,
    sent: &Notification,
    number: Option<ChatPhoneNumber>,
) -> Result<Replayed, Failure> {
    // A number of a test app is a test number.
    let number = number.filter(|number| number.apps.contains(&caller.app_id));
    let number = number.ok_or_else(|| Failure::not_found("target", "chat phone number of the app"))?;
    let now = inbox.context.now();
    let replay = Replay::new(&caller.organization, &number, (sent.field.as_str(), &sent.value), now)?;
    let updates = u64::try_from(replay.len()).unwrap_or(u64::MAX);
    if updates > 0 {
        let mut change = Change::new(&caller.organization);
        change.spend(&Quota::playground_messages(&caller.app_id), updates, now)?;
        inbox.context.store.commit(&change).await?;
    }
    inbox.replay(replay).await
}
