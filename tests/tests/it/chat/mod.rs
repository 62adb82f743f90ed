//! Accounts, numbers, templates and groups of the chat platform, and what the platform reports.

mod blocked_users;
mod calling;
mod chat_numbers;
mod connecting;
mod disconnecting;
mod graph_client;
mod group_management;
mod groups;
mod inbound;
mod notifications;
mod number_profiles;
mod onboarding_links;
mod platform_check;
mod replayed_notifications;
mod signup;
mod template_edits;
mod template_media;
mod template_sync;
mod templates;
