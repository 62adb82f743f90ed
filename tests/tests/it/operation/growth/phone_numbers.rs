//! Phone numbers for SMS, half of them live and half of them in test mode.

use domain::Mode;
use domain::id::PhoneNumberId;
use serde_json::json;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::models::{Model, Own, counted};
use super::run::{List, Run};
use super::seeding::added;
use super::{CALLS, FRESH};

const NUMBERS: &str = "/v1/organization/phone-numbers";

/// Alternates between live and test numbers: a list reads both partitions, and each could fill the page.
pub(super) async fn models(world: &World, size: usize) -> Vec<Model> {
    let numbers = [("+12010000000", &world.org.app, false), ("+12010000001", &world.org.test_app, true)];
    let mut models = Vec::new();
    for (number, app, is_test) in numbers.into_iter().take(size) {
        let body = json!({"number": number, "appIds": [app], "test": is_test});
        let (made, items) = added(world, world.admin(Call::post(NUMBERS).json(&body))).await;
        let own = vec![Own::ksuid_of(&text(&made.expect(201), "id")), Own::counted(number)];
        models.push(Model { items, own });
    }
    models
}

pub(super) async fn measure(run: &mut Run<'_>) {
    let scene = run.scene;
    run.pages(List {
        kind: "phone numbers",
        path: NUMBERS.to_owned(),
        name: "phone-numbers".to_owned(),
        id: &|n| scene.ids.ksuid(n),
        most: usize::MAX,
    })
    .await;

    let app = &scene.world.org.app;
    let create = (0..CALLS)
        .map(|n| Call::post(NUMBERS).json(&json!({"number": counted("+12010000000", FRESH + n), "appIds": [app]})));
    let made = run.calls("phone numbers: create", create).await;

    let id = |n| PhoneNumberId::from_ksuid(Mode::Live, &scene.ids.ksuid(n)).unwrap().to_string();
    let ids = scene.targets(&made, id);
    let each = |of: &str, call: fn(String) -> Call| ids.iter().map(|id| call(format!("{of}/{id}"))).collect::<Vec<_>>();
    let assigned = format!("/v1/organization/apps/{app}/phone-numbers");
    run.calls("phone numbers: get", each(NUMBERS, Call::get)).await;
    run.calls("phone numbers: take off an app", each(&assigned, Call::delete)).await;
    run.calls("phone numbers: assign to an app", each(&assigned, Call::put)).await;
    run.calls("phone numbers: delete", each(NUMBERS, Call::delete)).await;
}
