//! Operations on apps, their keys, webhooks, events and calling configuration.

mod apps;
mod calling;
mod context;
mod event_details;
mod feed;
mod keys;
mod webhooks;

pub use context::AppsContext;

api::routes! {
    pub fn routes(AppsContext);
    apps::http::list_apps => AppsRead,
    apps::http::create_app => AppsWrite,
    apps::http::get_app => AppsRead,
    apps::http::update_app => AppsWrite,
    apps::http::delete_app => AppsWrite,
    keys::http::list_app_keys => KeysRead,
    keys::http::create_app_key => KeysWrite,
    keys::http::update_app_key => KeysWrite,
    keys::http::rotate_app_key => KeysWrite,
    keys::http::delete_app_key => KeysWrite,
    webhooks::http::list_webhooks => WebhooksRead,
    webhooks::http::create_webhook => WebhooksWrite,
    webhooks::http::get_webhook => WebhooksRead,
    webhooks::http::update_webhook => WebhooksWrite,
    webhooks::http::delete_webhook => WebhooksWrite,
    webhooks::deliveries::http::test_webhook => WebhooksWrite,
    webhooks::http::rotate_secret => WebhooksWrite,
    webhooks::deliveries::http::list_deliveries => WebhooksRead,
    webhooks::deliveries::http::get_delivery => WebhooksRead,
    webhooks::deliveries::http::redeliver => WebhooksWrite,
    webhooks::recoveries::http::recover_webhook => WebhooksWrite,
    webhooks::recoveries::http::get_recovery => WebhooksRead,
    webhooks::own_http::list_own_webhooks => WebhooksRead,
    webhooks::own_http::create_own_webhook => WebhooksWrite,
    webhooks::own_http::get_own_webhook => WebhooksRead,
    webhooks::own_http::update_own_webhook => WebhooksWrite,
    webhooks::own_http::delete_own_webhook => WebhooksWrite,
    webhooks::own_http::rotate_own_secret => WebhooksWrite,
    webhooks::deliveries::own_http::test_own_webhook => WebhooksWrite,
    webhooks::deliveries::own_http::list_own_deliveries => WebhooksRead,
    webhooks::deliveries::own_http::get_own_delivery => WebhooksRead,
    webhooks::deliveries::own_http::redeliver_own => WebhooksWrite,
    webhooks::recoveries::own_http::recover_own_webhook => WebhooksWrite,
    webhooks::recoveries::own_http::get_own_recovery => WebhooksRead,
    event_details::http::get_event => EventsRead,
    feed::http::list_events => EventsRead,
    feed::http::list_own_events => EventsRead,
    calling::http::get_calling => AppsRead,
    calling::http::set_calling => AppsWrite,
}
