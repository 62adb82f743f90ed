//! Messages that are sent, chat and SMS: one attempt, its outcome, the queue, and the log.

mod bodies;
mod dead_sends;
mod deciding_recipients;
mod deciding_sms_recipients;
mod erased_sends;
mod failure_reasons;
mod message_log;
mod messages;
mod once;
mod queued_sends;
mod queued_soak;
mod refusals;
mod requests;
mod speed;
mod template_kinds;
mod whole_messages;
