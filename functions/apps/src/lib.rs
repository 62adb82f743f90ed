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
    apps::http::list_apps,
    apps::http::create_app,
    apps::http::get_app,
    apps::http::update_app,
    apps::http::delete_app,
    keys::http::list_app_keys,
    keys::http::create_app_key,
    keys::http::delete_app_key,
    webhooks::http::list_webhooks,
    webhooks::http::create_webhook,
    webhooks::http::get_webhook,
    webhooks::http::update_webhook,
    webhooks::http::delete_webhook,
    webhooks::deliveries::http::test_webhook,
    webhooks::http::rotate_secret,
    webhooks::deliveries::http::list_deliveries,
    webhooks::deliveries::http::get_delivery,
    webhooks::deliveries::http::redeliver,
    webhooks::recoveries::http::recover_webhook,
    webhooks::recoveries::http::get_recovery,
    webhooks::own_http::list_own_webhooks,
    webhooks::own_http::create_own_webhook,
    webhooks::own_http::get_own_webhook,
    webhooks::own_http::update_own_webhook,
    webhooks::own_http::delete_own_webhook,
    webhooks::own_http::rotate_own_secret,
    webhooks::deliveries::own_http::test_own_webhook,
    webhooks::deliveries::own_http::list_own_deliveries,
    webhooks::deliveries::own_http::get_own_delivery,
    webhooks::deliveries::own_http::redeliver_own,
    webhooks::recoveries::own_http::recover_own_webhook,
    webhooks::recoveries::own_http::get_own_recovery,
    event_details::http::get_event,
    feed::http::list_events,
    feed::http::list_own_events,
    calling::http::get_calling,
    calling::http::set_calling,
}
