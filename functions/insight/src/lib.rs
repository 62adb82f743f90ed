//! What has happened and what needs attention: the timelines of messages, the messages that reached nobody, how many there
//! were, and what fails.

mod attention;
mod failures;
mod timeline;
mod usage;

use runtime::Context;

api::routes! {
    pub fn routes(Context);
    attention::http::list_attention as "organization.attention.list" => SettingsRead,
    failures::http::list_own_failures as "failures.list" => EventsRead,
    failures::http::list_failures as "organization.failures.list" => EventsRead,
    usage::http::list_usage as "organization.usage.list" => UsageRead,
    usage::http::list_own_usage as "usage.list" => UsageRead,
    timeline::own_http::list_own_chat_timeline as "chat.messages.timeline.list" => MessagesRead,
    timeline::own_http::list_own_sms_timeline as "sms.timeline.list" => MessagesRead,
    timeline::http::list_chat_timeline as "organization.chat.messages.timeline.list" => MessagesRead,
    timeline::http::list_sms_timeline as "organization.sms.messages.timeline.list" => MessagesRead,
}
