//! What made-up statuses may make of a message. Each event of a message contains the whole message, and a tenant who writes
//! statuses could make many large ones. The real platform's groups are small, and so are its statuses.

use domain::Failure;
use domain::playground::{SIMULATED_MESSAGE_BYTES, SIMULATED_RECIPIENTS};
use store::StoredChat;

/// Returns why a status may not change a simulated message in this way; `None` if it may.
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
    serde_json::to_vec(&views::chat_message(message.record.clone())).map(|json| json.len()).map_err(Failure::internal)
}
