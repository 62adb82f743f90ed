//! The function for notifications, over a table in memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use api::HttpService;
use aws::queue::Queue;
use domain::events::webhook::AddressPolicy;
use inbound::Inbox;
use notifications::NotificationContext;
use platform::Vault;
use runtime::{Context, Installation, Metrics, Monitoring};
use serde_json::Value;
use store::Store;
use tests::chat::{Line, connect};
use tests::clock::TestClock;
use tests::memory::Memory;
use tests::settings::{NAMESPACE, PLATFORM_SECRET, PROFILE_SECRETS, TABLE};
use tests::standin::{APP_SECRET, VERIFY_TOKEN, app_document, signature};
use tests::{Call, World};

use super::MESSAGES;
use super::tree::{Tree, frame};

/// The function for notifications over a table in memory.
pub(crate) struct Service {
    runtime: tokio::runtime::Runtime,
    pub(crate) memory: Memory,
    notifications: HttpService,
    pub(crate) line: Line,
}

impl Service {
    /// Starts with what a real installation stores for a connected number, and a message.
    pub(crate) fn new() -> Service {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (memory, line) = runtime.block_on(async {
            let world = World::new().await;
            let line = connect(&world, &world.org, "2301").await;
            let memory = Memory::default();
            for item in world.account.stored_items().await {
                let put = memory.connection().dynamodb().put_item().table_name(TABLE).set_item(Some(item));
                put.send().await.unwrap();
            }
            (memory, line)
        });
        let secrets = [("appSecret", APP_SECRET), ("verifyToken", VERIFY_TOKEN)];
        memory.keep_secret(PLATFORM_SECRET, &app_document(&secrets));
        let connection = memory.connection();
        let installation = Installation {
            docs_url: String::new(),
            webhook_addresses: AddressPolicy { own: Vec::new(), allow_local: false },
        };
        let metrics = Metrics::new(NAMESPACE, Monitoring::Full, std::io::sink());
        let mut context = Context::new(Store::new(connection.dynamodb(), TABLE), installation.clone(), metrics);
        context.clock = Arc::new(TestClock::default());
        let queue = Queue::new(&connection, "http://aws.invalid/queue".to_owned());
        let vault = Vault::new(&connection, PLATFORM_SECRET.to_owned(), PROFILE_SECRETS.to_owned());
        let context =
            NotificationContext { inbox: Inbox { context, queue }, vault, inline_budget: Duration::from_secs(60) };
        let notifications = HttpService::new(notifications::routes(context), Arc::new(installation));
        let service = Service { runtime, memory, notifications, line };
        let before = Tree::of(MESSAGES[0]);
        service.apply(&service.notification("messages", &[frame(&before, "wamid.before")], "[]", &[]));
        service.memory.freeze();
        service
    }

    /// A notification of messages or statuses.
    pub(super) fn notification(&self, list: &str, bodies: &[String], contacts: &str, more: &[String]) -> String {
        let (account, number) = (&self.line.account, &self.line.platform_number);
        let more: String = more.iter().map(|more| format!(", {more}")).collect();
        format!(
            r#"{{"entry": [{{"id": "{account}", "changes": [{{"field": "messages", "value": {{"metadata": {{"phone_number_id": "{number}"}},
                "{list}": [{}], "contacts": {contacts}{more}}}}}]}}]}}"#,
            bodies.join(",")
        )
    }

    /// Posts a notification, which is always acknowledged.
    pub(crate) fn post(&self, body: &str) {
        let signed = signature(APP_SECRET, body.as_bytes());
        let call = Call::post("/v1/platform/notifications").header("x-hub-signature-256", &signed);
        let response =
            self.runtime.block_on(self.notifications.respond(call.bytes(body.as_bytes().to_vec()).request()));
        assert_eq!(response.status(), 200, "{body}");
    }

    /// Posts a notification, all of which is applied at once.
    pub(super) fn apply(&self, body: &str) {
        self.post(body);
        let queued: Vec<String> =
            self.memory.sent().into_iter().filter(|job| job.contains(r#""job":"updates""#)).collect();
        assert!(queued.is_empty(), "not applied: {queued:?}\n{body}");
    }

    /// The messages by their ids at the platform, without what differs between runs.
    pub(super) fn messages(&self) -> BTreeMap<String, Value> {
        let changes = self.memory.changes();
        let main = changes.iter().filter(|(key, _)| key.starts_with("MSG#") && key.ends_with(" MSG"));
        let named = main.map(|(key, item)| {
            let mut item = item.clone();
            // Steps name the event, whose id is random.
            for name in ["PK", "id", "createdAt", "updatedAt", "duePartition", "dueAt", "steps"] {
                item.as_object_mut().unwrap().remove(name);
            }
            let id = item["providerMessageId"]["S"].as_str().unwrap_or_else(|| panic!("{key}")).to_owned();
            (id, item)
        });
        named.collect()
    }
}
