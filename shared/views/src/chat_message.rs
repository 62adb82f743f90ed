use domain::chat::ChatMessageDetails;
use domain::chat::status::Tracked;
use store::ChatRecord;

/// Returns a chat message as responses and events show it.
pub fn chat_message(record: ChatRecord) -> ChatMessageDetails {
    let ChatRecord { tracked, referral, order, data, reported: _ } = record;
    let recipients = tracked.shown_recipients();
    let Tracked { message, recipients: _, group: _, window } = tracked;
    ChatMessageDetails { message, recipients, referral, order, conversation_window: window, data }
}
