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
    apps::http::list_apps as "organization.apps.list" => AppsRead,
    apps::http::create_app as "organization.apps.create" => AppsWrite,
    apps::http::get_app as "organization.apps.get" => AppsRead,
    apps::http::update_app as "organization.apps.update" => AppsWrite,
    apps::http::delete_app as "organization.apps.delete" => AppsWrite,
    keys::http::list_app_keys as "organization.apps.keys.list" => KeysRead,
    keys::http::create_app_key as "organization.apps.keys.create" => KeysWrite,
    keys::http::update_app_key as "organization.apps.keys.update" => KeysWrite,
    keys::http::rotate_app_key as "organization.apps.keys.rotate" => KeysWrite,
    keys::http::delete_app_key as "organization.apps.keys.delete" => KeysWrite,
    webhooks::http::list_webhooks as "organization.apps.webhooks.list" => WebhooksRead,
    webhooks::http::create_webhook as "organization.apps.webhooks.create" => WebhooksWrite,
    webhooks::http::get_webhook as "organization.apps.webhooks.get" => WebhooksRead,
    webhooks::http::update_webhook as "organization.apps.webhooks.update" => WebhooksWrite,
    webhooks::http::delete_webhook as "organization.apps.webhooks.delete" => WebhooksWrite,
    webhooks::deliveries::http::test_webhook as "organization.apps.webhooks.test" => WebhooksWrite,
    webhooks::http::rotate_secret as "organization.apps.webhooks.rotateSecret" => WebhooksWrite,
    webhooks::deliveries::http::list_deliveries as "organization.apps.webhooks.deliveries.list" => WebhooksRead,
    webhooks::deliveries::http::get_delivery as "organization.apps.webhooks.deliveries.get" => WebhooksRead,
    webhooks::deliveries::http::redeliver as "organization.apps.webhooks.deliveries.redeliver" => WebhooksWrite,
    webhooks::recoveries::http::recover_webhook as "organization.apps.webhooks.recover" => WebhooksWrite,
    webhooks::recoveries::http::get_recovery as "organization.apps.webhooks.recoveries.get" => WebhooksRead,
    webhooks::own_http::list_own_webhooks as "webhooks.list" => WebhooksRead,
    webhooks::own_http::create_own_webhook as "webhooks.create" => WebhooksWrite,
    webhooks::own_http::get_own_webhook as "webhooks.get" => WebhooksRead,
    webhooks::own_http::update_own_webhook as "webhooks.update" => WebhooksWrite,
    webhooks::own_http::delete_own_webhook as "webhooks.delete" => WebhooksWrite,
    webhooks::own_http::rotate_own_secret as "webhooks.rotateSecret" => WebhooksWrite,
    webhooks::deliveries::own_http::test_own_webhook as "webhooks.test" => WebhooksWrite,
    webhooks::deliveries::own_http::list_own_deliveries as "webhooks.deliveries.list" => WebhooksRead,
    webhooks::deliveries::own_http::get_own_delivery as "webhooks.deliveries.get" => WebhooksRead,
    webhooks::deliveries::own_http::redeliver_own as "webhooks.deliveries.redeliver" => WebhooksWrite,
    webhooks::recoveries::own_http::recover_own_webhook as "webhooks.recover" => WebhooksWrite,
    webhooks::recoveries::own_http::get_own_recovery as "webhooks.recoveries.get" => WebhooksRead,
    event_details::http::get_event as "organization.events.get" => EventsRead,
    feed::http::list_events as "organization.apps.events.list" => EventsRead,
    feed::http::list_own_events as "events.list" => EventsRead,
    calling::http::get_calling as "organization.apps.calling.get" => AppsRead,
    calling::http::set_calling as "organization.apps.calling.update" => AppsWrite,
}
