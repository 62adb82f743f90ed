//! Webhooks of one app.

use domain::Mode;
use domain::id::WebhookId;
use serde_json::{Value, json};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::models::{Model, Own};
use super::run::{List, Run, repeat};
use super::seeding::added;

const ELSEWHERE: &str = "https://example.com/a";

/// The body that creates a webhook.
pub(super) fn webhook(url: &str, event: &str) -> Value {
    json!({"url": url, "events": [event], "headers": {"X-Team": "blue-team-secret"}})
}

fn path(app: &str) -> String {
    format!("/v1/organization/apps/{app}/webhooks")
}

pub(super) async fn model(world: &World, app: &str) -> Model {
    let create = Call::post(path(app)).json(&webhook(ELSEWHERE, "messages.sms.sent"));
    let (made, items) = added(world, world.admin(create)).await;
    Model { items, own: vec![Own::ksuid_of(&text(&made.expect(201), "id"))] }
}

pub(super) async fn measure(run: &mut Run<'_>) {
    let scene = run.scene;
    let path = path(&scene.app);
    run.pages(List {
        kind: "webhooks",
        path: path.clone(),
        name: format!("webhooks/{}", scene.app),
        id: &|n| scene.ids.ksuid(n),
        most: usize::MAX,
    })
    .await;

    let create = Call::post(&path).json(&webhook(ELSEWHERE, "messages.sms.sent"));
    let made = run.calls("webhooks: create", repeat(&create)).await;

    let id = |n| WebhookId::from_ksuid(Mode::Live, &scene.ids.ksuid(n)).unwrap().to_string();
    let ids = scene.targets(&made, id);
    let each = |call: fn(String) -> Call| ids.iter().map(|id| call(format!("{path}/{id}"))).collect::<Vec<_>>();
    run.calls("webhooks: get", each(Call::get)).await;
    let update = |path| Call::put(path).json(&json!({"url": "https://example.com/b"}));
    run.calls("webhooks: update", each(update)).await;
    run.calls("webhooks: delete", each(Call::delete)).await;
}
