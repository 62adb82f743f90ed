//! Operations on apps, their keys, webhooks and calling configuration.

mod apps;
mod calling;
mod context;
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
    webhooks::deliveries::http::redeliver,
    calling::http::get_calling,
    calling::http::set_calling,
}
