//! Templates through the API: created at the platform, adopted after a lost response, found, listed with filters, and in test
//! mode.

mod creation;
mod kinds;
mod reading;
mod simulated;

use serde_json::{Value, json};
use tests::chat::event_counts;
use tests::{Call, Reply, Service as _, World};

const TEMPLATES: &str = "/v1/organization/chat/templates";

fn components() -> Value {
    json!([
        {"type": "HEADER", "format": "TEXT", "text": "Order {{1}}", "example": {"header_text": ["12"]}},
        {"type": "BODY", "text": "Hello {{1}}, your order is on its way.", "example": {"body_text": [["Ann"]]}},
        {"type": "FOOTER", "text": "Acme"},
        {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Stop"}]},
    ])
}

/// A request for a template of a profile.
fn wanted(profile: &str, name: &str) -> Value {
    json!({"chatBusinessProfileId": profile, "name": name, "language": "en_US", "category": "UTILITY",
        "components": components()})
}

async fn create(world: &World, body: &Value) -> Reply {
    world.admin(Call::post(TEMPLATES).json(body)).await
}

async fn get(world: &World, id: &str) -> Reply {
    world.admin(Call::get(format!("{TEMPLATES}/{id}"))).await
}

/// The number of events with this name, after `templates.chat.`.
async fn count(world: &World, name: &str) -> usize {
    event_counts(world, &world.org).await.get(&format!("templates.chat.{name}")).copied().unwrap_or(0)
}
