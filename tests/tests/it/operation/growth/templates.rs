//! Templates of one account, which the platform reports.

use domain::Timestamp;
use serde_json::{Value, json};
use tests::World;
use tests::chat::{Line, notification};

use super::models::{Model, Own, counted, spread, string};
use super::results::Growth;
use super::run::{List, Run};
use super::seeding::{added, of_classes};
use super::{CALLS, CHAT, FRESH};

const TEMPLATE: &str = "100000000000000";

/// A notification about a template.
fn report(line: &Line, now: Timestamp, id: &str, event: &str) -> Value {
    let value = json!({
        "event": event, "message_template_id": id, "message_template_name": format!("order_update_{id}"),
        "message_template_language": "en_US", "message_template_category": "UTILITY",
    });
    notification(&line.account, now.seconds(), "message_template_status_update", &value)
}

pub(super) async fn model(world: &World, line: &Line) -> Model {
    let approved = report(line, world.now(), TEMPLATE, "APPROVED");
    let (reply, items) = added(world, world.notify(&approved)).await;
    reply.expect(200);

    let items = of_classes(items, &["TPL#", "TPLNAME#"]);
    let main = items.iter().map(|item| string(item, "PK")).find(|partition| partition.starts_with("TPL#")).unwrap();
    assert!(main.ends_with(&format!("#{}", spread(TEMPLATE))));
    Model { items, own: vec![Own::counted(TEMPLATE)] }
}

pub(super) async fn measure(run: &mut Run<'_>) {
    let scene = run.scene;
    let profile = &scene.line.profile;
    run.pages(List {
        kind: "templates",
        path: format!("{CHAT}/templates?chatBusinessProfileId={profile}"),
        name: format!("chat-templates/{profile}"),
        id: &|n| counted(TEMPLATE, n),
        most: usize::MAX,
    })
    .await;

    let organization = scene.world.org.id.parse().unwrap();
    let (store, id) = (&scene.world.worker.inbox.context.store, profile.parse().unwrap());
    let all = [async { store.of(&organization).all_templates(&id).await.unwrap().len() }];
    let all = run.add("templates: what a sync reads first", Growth::Whole, all).await;
    assert_eq!(all[0], scene.size);

    let fresh: Vec<usize> = (FRESH..FRESH + CALLS).collect();
    let tell = |event: &'static str, numbers: Vec<usize>| {
        let now = scene.world.now();
        numbers.into_iter().map(move |n| report(&scene.line, now, &counted(TEMPLATE, n), event))
    };
    run.notifications("templates: create (told by the platform)", tell("APPROVED", fresh.clone())).await;
    let targets = scene.middle().unwrap_or(fresh);
    run.notifications("templates: update (told by the platform)", tell("PAUSED", targets.clone())).await;
    run.notifications("templates: delete (told by the platform)", tell("DELETED", targets)).await;
}
