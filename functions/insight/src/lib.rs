//! What has happened: the timelines of messages, the messages that reached nobody, and how many there were.

mod failures;
mod timeline;
mod usage;

use runtime::Context;

api::routes! {
    pub fn routes(Context);
    failures::http::list_own_failures as "failures.list" => EventsRead,
    failures::http::list_failures as "organization.failures.list" => EventsRead,
    usage::http::list_usage as "organization.usage.list" => UsageRead,
    usage::http::list_own_usage as "usage.list" => UsageRead,
    timeline::own_http::list_own_chat_timeline as "chat.messages.timeline.list" => MessagesRead,
    timeline::own_http::list_own_sms_timeline as "sms.timeline.list" => MessagesRead,
    timeline::http::list_chat_timeline as "organization.chat.messages.timeline.list" => MessagesRead,
    timeline::http::list_sms_timeline as "organization.sms.messages.timeline.list" => MessagesRead,
}
