//! Template sync: a job reads all templates of an account from the platform, and stores what has changed.

mod changes;
mod names;
mod runs;

use serde_json::{Value, json};
use tests::chat::event_counts;
use tests::standin::template;
use tests::{Call, Service as _, World};

const SYNC: &str = "/v1/organization/chat/templates/sync";

fn sync(profile: &str) -> Call {
    Call::post(SYNC).json(&json!({"chatBusinessProfileId": profile}))
}

/// The counts of a run, as its response shows them.
fn counts(added: u32, updated: u32, removed: u32, total: u32) -> Value {
    json!({"added": added, "updated": updated, "removed": removed, "total": total})
}

/// Lets the platform have these templates of an account, and no others.
fn set_templates(world: &World, account: &str, templates: Vec<Value>) {
    world.platform.state().accounts.get_mut(account).unwrap().templates = templates;
}

/// This many templates, with the ids 1000000, 1000001, … and the names `template_0`, `template_1`, …
fn many(count: usize) -> Vec<Value> {
    (0..count).map(|n| template(&format!("{}", 1_000_000 + n), &format!("template_{n}"))).collect()
}

/// Synchronizes the templates of a profile, and returns the counts.
async fn synced(world: &World, profile: &str) -> Value {
    world.admin(sync(profile)).await.expect(200)
}

/// All templates of a profile, newest first.
async fn listed(world: &World, profile: &str) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/v1/organization/chat/templates?chatBusinessProfileId={profile}&limit=100{cursor}");
        let page = world.admin(Call::get(path)).await.expect(200);
        all.extend(page["data"].as_array().unwrap().clone());
        let Some(next) = page["nextCursor"].as_str() else { return all };
        cursor = format!("&cursor={next}");
    }
}

/// The number of events with this name, after `templates.chat.`.
async fn count(world: &World, name: &str) -> usize {
    event_counts(world, &world.org).await.get(&format!("templates.chat.{name}")).copied().unwrap_or(0)
}

/// Returns what a send reads of a template: its id, status and components.
async fn named(world: &World, profile: &str, name: &str, language: &str) -> Option<(String, String, Value)> {
    let store = world.account.store().of(&world.org.id.parse().unwrap());
    let found = store.template_named(&profile.parse().unwrap(), name, language).await.unwrap();
    found.map(|stored| (stored.template.id, stored.template.status, json!(stored.template.components)))
}
