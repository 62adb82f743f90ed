//! Limits on the growth of a message by simulated statuses. Each event of a message contains the whole message, and a
//! tenant who writes statuses could cause many large events. The real platform's groups are small, and so are its
//! statuses.

use domain::Failure;
use domain::testing::playground::{SIMULATED_MESSAGE_BYTES, SIMULATED_RECIPIENTS};
use store::StoredChat;

/// Returns the reason why a change of a simulated message by a status exceeds a limit; `None` if it does not.
pub(crate) fn exceeds_bounds(before: Option<&StoredChat>, after: &StoredChat) -> Result<Option<String>, Failure> {
    if !after.message().id.mode().is_test() {
        return Ok(None);
    }
    let recipients = |message: &StoredChat| message.tracked.recipients.len();
    if recipients(after) > SIMULATED_RECIPIENTS.max(before.map_or(0, recipients)) {
        return Ok(Some(format!("A simulated message may have at most {SIMULATED_RECIPIENTS} recipients.")));
    }
    let bytes = size(after)?;
    if bytes > SIMULATED_MESSAGE_BYTES && bytes > before.map(size).transpose()?.unwrap_or(0) {
        let most = SIMULATED_MESSAGE_BYTES;
        return Ok(Some(format!("A status may not make a simulated message larger than {most} bytes.")));
    }
    Ok(None)
}

/// Returns the size of a message in its events.
fn size(message: &StoredChat) -> Result<usize, Failure> {
    serde_json::to_vec(&message.record.clone().into_details()).map(|json| json.len()).map_err(Failure::internal)
}
