//! Mutated payloads, over a table in memory: a notification is always answered 200, each of its updates that has an id is
//! applied, and the messages beside a mutated one are what they would be without it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use api::HttpService;
use aws::queue::Queue;
use domain::webhook::AddressPolicy;
use inbound::Inbox;
use notifications::NotificationContext;
use platform::Vault;
use proptest::prelude::*;
use runtime::{Context, Installation, Metrics, Monitoring};
use serde_json::Value;
use store::Store;
use tests::chat::{Line, connect};
use tests::clock::TestClock;
use tests::memory::Memory;
use tests::settings::{NAMESPACE, PLATFORM_SECRET, PROFILE_SECRETS, TABLE, of_size};
use tests::standin::{APP_SECRET, VERIFY_TOKEN, app_document, signature};
use tests::{Call, World};

/// Messages, without id and time.
const MESSAGES: &[&str] = &[
    r#"{"from": "16505550001", "type": "text", "text": {"body": "Hi"}, "context": {"id": "wamid.before", "from": "1", "forwarded": true}}"#,
    r#"{"from": "16505550001", "from_user_id": "US.1", "type": "image", "image": {"id": "9", "mime_type": "image/png", "caption": "C"}}"#,
    r#"{"from": "16505550001", "type": "audio", "audio": {"id": 9, "voice": true}, "group_id": "G1"}"#,
    r#"{"from_user_id": "US.1", "type": "location", "location": {"latitude": 1.5, "longitude": "2", "name": "N", "address": "A", "url": "u"}}"#,
    r#"{"from": "16505550001", "type": "contacts", "contacts": [{"name": {"formatted_name": "B"}, "phones": [{"phone": "1"}]}]}"#,
    r#"{"from": "16505550001", "type": "interactive", "interactive": {"type": "list_reply", "list_reply": {"id": "1", "title": "T"}}}"#,
    r#"{"from": "16505550001", "type": "button", "button": {"payload": "p", "text": "t"}}"#,
    r#"{"from": "16505550001", "type": "reaction", "reaction": {"message_id": "wamid.before", "emoji": "x"}}"#,
    r#"{"from": "16505550001", "type": "order", "order": {"catalog_id": "1", "text": "t", "product_items": [{"product_retailer_id": "a", "quantity": 2, "item_price": 1.5, "currency": "EUR"}]}}"#,
    r#"{"from": "16505550001", "type": "system", "system": {"body": "b", "type": "user_changed_number", "wa_id": "16505550002", "user_id": "US.2"}}"#,
    r#"{"from": "16505550001", "type": "edit", "edit": {"original_message_id": "wamid.before", "message": {"type": "text", "text": {"body": "N"}}}}"#,
    r#"{"from": "16505550001", "type": "revoke", "revoke": {"original_message_id": "wamid.later"}}"#,
    r#"{"from": "16505550001", "type": "unsupported", "errors": [{"code": 131051, "title": "T", "message": "M", "error_data": {"details": "D"}}]}"#,
    r#"{"from": "16505550001", "type": "text", "text": {"body": "Hi"}, "referral": {"source_id": "1", "ctwa_clid": "c", "welcome_message": {"text": "W"}}}"#,
];

/// Statuses, without id and time.
const STATUSES: &[&str] = &[
    r#"{"status": "sent", "recipient_id": "16505550001", "conversation": {"id": "c", "expiration_timestamp": "2000086400", "origin": {"type": "service"}}, "pricing": {"billable": true, "pricing_model": "PMP", "type": "regular", "category": "service"}}"#,
    r#"{"status": "failed", "recipient_id": "16505550001", "recipient_user_id": "US.1", "errors": [{"code": 131026, "title": "T", "error_data": {"details": "D"}}]}"#,
    r#"{"status": "delivered", "recipient_id": "G1", "recipient_type": "group", "recipient_participant_id": "16505550001", "biz_opaque_callback_data": "x"}"#,
];

const CONTACTS: &str = r#"[{"profile": {"name": "Ann", "username": "ann"}, "wa_id": "16505550001", "user_id": "US.1"}, {"profile": {"name": "Cid"}, "wa_id": "16505559999"}]"#;

/// JSON whose objects may name a field twice, and whose texts need not be Unicode.
#[derive(Clone, Debug)]
enum Tree {
    Scalar(String),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    fn of(json: &str) -> Tree {
        fn from(value: Value) -> Tree {
            match value {
                Value::Array(list) => Tree::List(list.into_iter().map(from).collect()),
                Value::Object(object) => {
                    Tree::Object(object.into_iter().map(|(name, value)| (name, from(value))).collect())
                }
                scalar => Tree::Scalar(scalar.to_string()),
            }
        }
        from(serde_json::from_str(json).unwrap())
    }

    fn json(&self) -> String {
        match self {
            Tree::Scalar(json) => json.clone(),
            Tree::List(list) => format!("[{}]", list.iter().map(Tree::json).collect::<Vec<_>>().join(",")),
            Tree::Object(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, value)| format!("\"{name}\":{}", value.json())).collect();
                format!("{{{}}}", fields.join(","))
            }
        }
    }

    fn count(&self) -> usize {
        1 + match self {
            Tree::Scalar(_) => 0,
            Tree::List(list) => list.iter().map(Tree::count).sum(),
            Tree::Object(fields) => fields.iter().map(|(_, value)| value.count()).sum(),
        }
    }

    /// Returns the node with this number, in the order in which they are written.
    fn node(&mut self, mut number: usize) -> &mut Tree {
        if number == 0 {
            return self;
        }
        number -= 1;
        let children: Vec<&mut Tree> = match self {
            Tree::Scalar(_) => Vec::new(),
            Tree::List(list) => list.iter_mut().collect(),
            Tree::Object(fields) => fields.iter_mut().map(|(_, value)| value).collect(),
        };
        for child in children {
            let count = child.count();
            if number < count {
                return child.node(number);
            }
            number -= count;
        }
        unreachable!("the number is less than the count")
    }

    /// Changes one node.
    fn mutate(&mut self, (at, kind, other): (usize, u8, usize)) {
        let count = self.count();
        let node = self.node(at % count);
        let old = node.clone();
        let scalar = |json: &str| Tree::Scalar(json.to_owned());
        *node = match kind % 19 {
            0 => scalar("null"),
            1 => scalar("true"),
            2 => scalar("0"),
            3 => scalar("-1.5e300"),
            4 => scalar("123456789012345678901234567890"),
            5 => scalar("\"\""),
            6 => scalar("\"odd\""),
            7 => scalar(r#""\ud800 x \udc00\u0000""#),
            8 => scalar("[]"),
            9 => scalar("{}"),
            10 => Tree::List(vec![old]),
            11 => Tree::List(vec![scalar("null"), old.clone(), old]),
            12 => Tree::Object(vec![("0".to_owned(), old)]),
            13 => scalar(&serde_json::to_string(&old.json()).unwrap()),
            14 => scalar(&format!("{}1{}", "[".repeat(200), "]".repeat(200))),
            15 => scalar(&format!("\"{}\"", "long".repeat(200_000))),
            // A field is missing, doubled, or doubled with something else.
            16..=18 => match old {
                Tree::Object(mut fields) if !fields.is_empty() => {
                    let at = other % fields.len();
                    match kind % 19 {
                        16 => drop(fields.remove(at)),
                        17 => fields.push(fields[at].clone()),
                        _ => fields.insert(other % (fields.len() + 1), (fields[at].0.clone(), scalar("[null, {}]"))),
                    }
                    Tree::Object(fields)
                }
                other => other,
            },
            _ => old,
        };
    }
}

/// The function for notifications over a table in memory.
pub(super) struct Service {
    runtime: tokio::runtime::Runtime,
    pub(super) memory: Memory,
    notifications: HttpService,
    pub(super) line: Line,
}

impl Service {
    /// Starts with what a real installation stores for a connected number, and a message.
    pub(super) fn new() -> Service {
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

    fn notification(&self, list: &str, bodies: &[String], contacts: &str, more: &[String]) -> String {
        let (account, number) = (&self.line.account, &self.line.platform_number);
        let more: String = more.iter().map(|more| format!(", {more}")).collect();
        format!(
            r#"{{"entry": [{{"id": "{account}", "changes": [{{"field": "messages", "value": {{"metadata": {{"phone_number_id": "{number}"}},
                "{list}": [{}], "contacts": {contacts}{more}}}}}]}}]}}"#,
            bodies.join(",")
        )
    }

    pub(super) fn post(&self, body: &str) {
        let signed = signature(APP_SECRET, body.as_bytes());
        let call = Call::post("/v1/platform/notifications").header("x-hub-signature-256", &signed);
        let response =
            self.runtime.block_on(self.notifications.respond(call.bytes(body.as_bytes().to_vec()).request()));
        assert_eq!(response.status(), 200, "{body}");
    }

    /// Posts a notification, all of which is applied at once.
    fn apply(&self, body: &str) {
        self.post(body);
        let queued: Vec<String> =
            self.memory.sent().into_iter().filter(|job| job.contains(r#""job":"updates""#)).collect();
        assert!(queued.is_empty(), "not applied: {queued:?}\n{body}");
    }

    /// The messages by their ids at the platform, without what differs between runs.
    fn messages(&self) -> BTreeMap<String, Value> {
        let changes = self.memory.changes();
        let main = changes.iter().filter(|(key, _)| key.starts_with("MSG#") && key.ends_with(" MSG"));
        let named = main.map(|(key, item)| {
            let mut item = item.clone();
            for name in ["PK", "id", "createdAt", "updatedAt", "duePartition", "dueAt"] {
                item.as_object_mut().unwrap().remove(name);
            }
            let id = item["providerMessageId"]["S"].as_str().unwrap_or_else(|| panic!("{key}")).to_owned();
            (id, item)
        });
        named.collect()
    }
}

/// Adds id and time to a message or status.
fn frame(body: &Tree, id: &str) -> String {
    let json = body.json();
    let rest = json.strip_prefix('{').map_or_else(|| format!("\"odd\": {json}}}"), str::to_owned);
    let comma = if rest == "}" { "" } else { "," };
    // The id is last, so that no mutation replaces it.
    let rest = rest.strip_suffix('}').unwrap_or(&rest);
    format!(r#"{{"timestamp": "2000000000", {rest}{comma} "id": "{id}"}}"#)
}

const NEIGHBOUR: &str = r#"{"from": "16505559999", "type": "text", "text": {"body": "beside"}}"#;
const STATUS_BESIDE: &str = r#"{"status": "sent", "recipient_id": "16505559999"}"#;

#[test]
fn no_mutation_costs_more_than_its_field() {
    let service = Mutex::new(Service::new());
    let mutations = || prop::collection::vec((any::<usize>(), any::<u8>(), any::<usize>()), 1..4);
    let config = ProptestConfig {
        cases: of_size(60, 300),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    };
    let inputs = (0..MESSAGES.len() + STATUSES.len(), mutations(), prop::bool::weighted(0.3), mutations());
    proptest!(config, |((base, changes, is_contact_odd, contact_changes) in inputs)| {
        let service = service.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        service.memory.reset();
        let is_message = base < MESSAGES.len();
        let (list, beside) = if is_message { ("messages", NEIGHBOUR) } else { ("statuses", STATUS_BESIDE) };
        let beside = [frame(&Tree::of(beside), "wamid.left"), frame(&Tree::of(beside), "wamid.right")];
        let mut victim = Tree::of(if is_message { MESSAGES[base] } else { STATUSES[base - MESSAGES.len()] });
        for change in changes {
            victim.mutate(change);
        }
        let mut contacts = Tree::of(CONTACTS);
        for change in contact_changes.into_iter().filter(|_| is_contact_odd) {
            contacts.mutate(change);
        }
        let bodies = [beside[0].clone(), frame(&victim, "wamid.victim"), beside[1].clone()];
        let odd = [r#""statuses": "x""#.to_owned(), format!(r#""{list}": null"#)];
        let more = if is_message && is_contact_odd { &odd[..] } else { &[] };
        let body = service.notification(list, &bodies, &contacts.json(), more);
        prop_assume!(body.len() < 3_000_000);

        service.apply(&body);
        let messages = service.messages();
        prop_assert!(messages.contains_key("wamid.victim"), "{body}");
        let changes = service.memory.changes();
        service.apply(&body);
        prop_assert_eq!(&service.memory.changes(), &changes, "a repetition changes something: {}", body);

        // Without the mutated one, its neighbours are the same.
        service.memory.reset();
        service.apply(&service.notification(list, &beside, CONTACTS, &[]));
        let alone = service.messages();
        for id in ["wamid.left", "wamid.right"] {
            let (mut beside, mut alone) = (messages[id].clone(), alone[id].clone());
            if is_contact_odd {
                for message in [&mut beside, &mut alone] {
                    for name in ["contactName", "fromUserId", "isTruncated"] {
                        message.as_object_mut().unwrap().remove(name);
                    }
                }
            }
            prop_assert_eq!(beside, alone, "{}", body);
        }
    });
}
