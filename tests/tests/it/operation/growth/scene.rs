//! An organization with a given number of objects of each kind.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::due::DueClass;
use domain::events::webhook::WEBHOOKS_PER_APP;
use domain::id::EventId;
use domain::number::NUMBERS_PER_ORGANIZATION;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use store::{Due, Store};
use tests::chat::{Line, connect};
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::models::{Ids, KSUID};
use super::seeding::{added, seed};
use super::{
    CALLS, FULL, MOST_CHAT_NUMBERS, chat_numbers, messages, organizations, phone_numbers, templates, webhooks,
};

const ACCOUNT: &str = "7182818";

pub(super) struct Scene {
    pub(super) world: World,
    pub(super) line: Line,
    /// The app with the webhooks. It has no numbers, so that no event is delivered to them.
    pub(super) app: String,
    /// A received message.
    pub(super) message: String,
    pub(super) size: usize,
    pub(super) ids: Ids,
}

/// Creating a scene.
impl Scene {
    pub(super) async fn new(size: usize, organizations: usize) -> Scene {
        let mut world = World::with_local_webhooks().await;
        // On a busy machine, a slow receiver would cost more writes.
        world.deliverer.prompt = Duration::from_secs(60);
        let (line, connected) = added(&world, connect(&world, &world.org, ACCOUNT)).await;
        let (app, _) = world.app(&world.org.admin, &json!({"name": "Webhooks"})).await;
        listen(&world).await;

        let webhook = webhooks::model(&world, &app).await;
        let numbers = phone_numbers::models(&world, size).await;
        let chat_number = chat_numbers::model(&line, connected);
        let template = templates::model(&world, &line).await;
        let (message, messages) = messages::models(&world, &line, size).await;
        let other = if organizations > 1 { Some(organizations::model(&world).await) } else { None };
        settle(&world).await;

        let ids = Ids { newest: world.now(), size: size.max(organizations) };
        seed(&world, &[webhook], size, &ids).await;
        seed(&world, &numbers, size, &ids).await;
        seed(&world, &[chat_number], size.min(MOST_CHAT_NUMBERS), &ids).await;
        seed(&world, &[template], size, &ids).await;
        seed(&world, &messages, size, &ids).await;
        // The first organization is the scene's own, the second is the model.
        seed(&world, other.as_slice(), organizations - 1, &ids).await;

        let scene = Scene { world, line, app, message, size, ids };
        scene.count().await;
        scene
    }

    /// Sets the counters, up to the limits, so that objects can still be created.
    async fn count(&self) {
        let org = &self.world.org;
        let app = (format!("APP#{}#live", org.id), self.app[self.app.len() - KSUID..].to_owned());
        let below = |limit: u32| self.size.min(limit as usize - CALLS);
        self.world.account.set_counter(app, "webhooks", below(WEBHOOKS_PER_APP)).await;
        let counters = (format!("ORG#{}", org.id), "COUNT".to_owned());
        self.world.account.set_counter(counters, "phoneNumbers", below(NUMBERS_PER_ORGANIZATION)).await;
    }
}

/// Creates a webhook that gets the events of received messages.
async fn listen(world: &World) {
    let receiver = Receiver::start(status(204));
    let webhooks = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    let listener = webhooks::webhook(&receiver.url, "messages.chat.received");
    world.admin(Call::post(webhooks).json(&listener)).await.expect(201);
}

/// Does the work that is due. After this, nothing is due for a while.
async fn settle(world: &World) {
    world.clock.advance(Duration::from_secs(600));
    world.sweep().await;
    while world.deliver().await {}
}

/// Objects of a scene.
impl Scene {
    /// Returns the numbers of objects in the middle of the seeded ones, of the first model if there are two; each is
    /// followed by an object of the second. `None` if nothing was seeded.
    pub(super) fn middle(&self) -> Option<Vec<usize>> {
        (self.size >= FULL).then(|| (0..CALLS).map(|n| self.size / 4 * 2 + 2 * n).collect())
    }

    /// Seeded objects or, if there are none, newly created ones.
    pub(super) fn targets(&self, made: &[Value], seeded: impl Fn(usize) -> String) -> Vec<String> {
        match self.middle() {
            Some(middle) => middle.into_iter().map(seeded).collect(),
            None => made.iter().map(|object| text(object, "id")).collect(),
        }
    }

    /// Sends a request without validating the response, which would take measured time.
    pub(super) async fn answer(&self, call: Call) -> Value {
        let request = call.request();
        let api = self.world.api_of(request.method(), request.uri().path());
        let response = api.respond(request).await;
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        assert!(parts.status.is_success(), "{call:?}: {}", String::from_utf8_lossy(&bytes));
        serde_json::from_slice(&bytes).unwrap()
    }

    fn store(&self) -> &Store {
        &self.world.sweeper.dispatcher.context.store
    }

    /// Events that are not dispatched yet.
    pub(super) async fn waiting(&self) -> BTreeSet<EventId> {
        self.world.index_caught_up().await;
        let mut found = BTreeSet::new();
        for shard in 0..DueClass::Events.shards() {
            let soon = self.world.now().plus(Duration::from_secs(3600));
            let due = self.store().due(DueClass::Events, shard, soon, None).await.unwrap();
            found.extend(due.items.into_iter().filter_map(|item| match item.due {
                Due::Event(id) => Some(id),
                _ => None,
            }));
        }
        found
    }
}
