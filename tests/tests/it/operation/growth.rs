//! The cost of operations on objects that may be many, with few and with very many objects and organizations. It is the
//! same, except for the operations in `GROWING`. docs/growth.md explains how to run this at full size and shows the
//! results.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use api::cursor;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use delivery::Swept;
use delivery::Waiting;
use domain::due::DueClass;
use domain::id::{ChatMessageId, ChatPhoneNumberId, EventId, OrganizationId, PhoneNumberId, WebhookId, mint_ksuid};
use domain::number::NUMBERS_PER_ORGANIZATION;
use domain::port::Random;
use domain::webhook::WEBHOOKS_PER_APP;
use domain::{Mode, Timestamp};
use futures_util::{StreamExt as _, stream};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use store::{Due, Store};
use tests::chat::{Line, connect, notification};
use tests::meter::{Cost, Meter};
use tests::receiver::{Receiver, status as answering};
use tests::request::text;
use tests::samples::PNG;
use tests::settings::{TABLE, of_size};
use tests::standin::{APP_SECRET, signature};
use tests::{Call, Service as _, World};

/// The number of runs per operation, of which the median counts; growing operations run once.
const CALLS: usize = 5;
const PAGE: usize = 25;
/// With this many objects, every partition that a list reads fills a page, including each of the sixteen for templates.
const FULL: usize = 1_000;
/// The largest number of objects, divided by this, is the number of organizations: 10,000 at full size.
const OBJECTS_AN_ORGANIZATION: usize = 10;
/// The limit per organization; a profile with more numbers cannot exist.
const MOST_CHAT_NUMBERS: usize = domain::chat::number::NUMBERS_PER_ORGANIZATION as usize;
const BATCH: usize = 25;
const SIDE_BY_SIDE: usize = 4;
/// The first number of objects that the tests create, far above those of seeded objects.
const FRESH: usize = 9_000_000;
const KSUID: usize = 27;
const DIGITS: usize = 7;

const NOTIFICATIONS: &str = "/v1/platform/notifications";
const NUMBERS: &str = "/v1/organization/phone-numbers";
const CHAT: &str = "/v1/organization/chat";
const ELSEWHERE: &str = "https://example.com/a";
const ACCOUNT: &str = "7182818";
const OTHER_ACCOUNT: &str = "3141592";
const TEMPLATE: &str = "100000000000000";
const RECEIVED: &str = "wamid.in.0000000";
const SENT: &str = "w.0000000";

/// Operations that read all objects of a kind on purpose, and the limit on their number.
const GROWING: &[(&str, &str)] = &[
    ("business profiles: get", "shows every number of the profile; an organization has 1,000 numbers at most"),
    ("business profiles: first page", "shows every number of each profile; the same limit"),
    ("templates: what a sync reads first", "compares all templates of an account; as many as the platform allows"),
];

type Item = HashMap<String, AttributeValue>;

/// `GROWTH=1,1000,100000` measures at full size. `make check` uses smaller sizes, two of which fill pages, so that the reads of a
/// list can be compared; `make test` compares few with many.
fn sizes() -> Vec<usize> {
    let text = std::env::var("GROWTH").unwrap_or_else(|_| of_size("1,1000", "1,1000,1100").to_owned());
    let sizes: Vec<usize> = text.split(',').map(|size| size.parse().unwrap()).collect();
    assert!(sizes.is_sorted() && sizes[0] == 1 && sizes.len() > 1 && sizes[1] >= FULL, "{sizes:?}");
    sizes
}

#[tokio::test]
async fn cost_does_not_grow() {
    let (sizes, mut runs) = (sizes(), Vec::new());
    for &size in &sizes {
        // Boxed, because the futures of all operations together exceed the stack of a test's thread.
        runs.push((size, Box::pin(rows(size, 1)).await));
    }
    eprintln!("{}", table("objects", &runs));
    for pair in runs.windows(2) {
        expect_flat(&pair[0], &pair[1]);
    }
    let organizations = sizes[sizes.len() - 1] / OBJECTS_AN_ORGANIZATION;
    let crowded = Box::pin(rows(1, organizations)).await;
    let runs = [runs.swap_remove(0), (organizations, crowded)];
    eprintln!("{}", table("organizations", &runs));
    for (alone, crowded) in runs[0].1.iter().zip(&runs[1].1) {
        assert_eq!((alone.name, &alone.cost), (crowded.name, &crowded.cost));
    }
}

/// Measures all operations with this many objects of each kind, in one of this many organizations.
async fn rows(size: usize, organizations: usize) -> Vec<Row> {
    let started = Instant::now();
    let scene = Box::pin(Scene::new(size, organizations)).await;
    let seeded = started.elapsed();
    let mut rows = Rows { meter: scene.world.faults.meter.clone(), rows: Vec::new() };
    webhooks(&scene, &mut rows).await;
    phone_numbers(&scene, &mut rows).await;
    chat_numbers(&scene, &mut rows).await;
    templates(&scene, &mut rows).await;
    messages(&scene, &mut rows).await;
    Box::pin(work_that_is_due(&scene, &mut rows)).await;
    bare_query(&scene, &mut rows).await;
    eprintln!("{size} objects, {organizations} organizations: {seeded:.0?} to seed, {:.0?} in all", started.elapsed());
    rows.rows
}

// ---------------------------------------------------------------- measuring

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Growth {
    None,
    /// Grows until a page is full.
    Page,
    /// Grows for the reason given in `GROWING`.
    Whole,
}

struct Row {
    name: &'static str,
    growth: Growth,
    cost: Cost,
    median: Duration,
}

struct Rows {
    meter: Meter,
    rows: Vec<Row>,
}

impl Rows {
    /// Runs and measures each of `works`, checks that all of them cost the same, and adds a row.
    async fn add<T>(
        &mut self,
        name: &'static str,
        growth: Growth,
        works: impl IntoIterator<Item: Future<Output = T>>,
    ) -> Vec<T> {
        let (mut done, mut costs, mut times) = (Vec::new(), Vec::new(), Vec::new());
        for work in works {
            let started = Instant::now();
            let (made, mut cost) = self.meter.of(work).await;
            times.push(started.elapsed());
            done.push(made);
            // Calls of the same round trip end in any order.
            cost.calls.sort();
            // Times and counters in items have different lengths; the units count.
            cost.bytes_read = 0;
            costs.push(cost);
        }
        assert_eq!(done.len(), if growth == Growth::Whole { 1 } else { CALLS }, "{name}");
        assert!(costs.iter().all(|cost| *cost == costs[0]), "{name}: {costs:?}");
        times.sort();
        self.rows.push(Row { name, growth, cost: costs.swap_remove(0), median: times[times.len() / 2] });
        done
    }
}

fn expect_flat((few, before): &(usize, Vec<Row>), (many, after): &(usize, Vec<Row>)) {
    for now in after {
        let Some(then) = before.iter().find(|row| row.name == now.name) else { continue };
        let units = |row: &Row| (row.cost.read_units, row.cost.write_units);
        let what = format!("{}: from {few} to {many}", now.name);
        assert_eq!(now.growth == Growth::Whole, GROWING.iter().any(|(name, _)| *name == now.name), "{what}");
        if now.growth == Growth::Whole {
            continue;
        }
        assert_eq!((names(then), then.cost.depth), (names(now), now.cost.depth), "{what}");
        if now.growth == Growth::None || *few >= FULL {
            assert_eq!(units(then), units(now), "{what}");
        }
    }
}

/// The names of calls, without the number of items, which depends on the page.
fn names(row: &Row) -> Vec<&str> {
    row.cost.calls.iter().map(|call| call.split(' ').next().unwrap_or_default()).collect()
}

fn table(what: &str, runs: &[(usize, Vec<Row>)]) -> String {
    let mut text = format!("| {what} |");
    for (size, _) in runs {
        let _ = write!(text, " {size} |");
    }
    let _ = write!(text, "\n|---|{}", "---|".repeat(runs.len()));
    for row in &runs.last().unwrap().1 {
        let _ = write!(text, "\n| {} |", row.name);
        for (_, rows) in runs {
            let _ = write!(text, " {} |", rows.iter().find(|other| other.name == row.name).map_or("".to_owned(), cell));
        }
    }
    text
}

/// Formats a row: calls / depth / read units / write units, and the time.
fn cell(Row { cost, median, .. }: &Row) -> String {
    let millis = median.as_secs_f64() * 1000.0;
    if cost.calls.is_empty() {
        return format!("{millis:.0} ms");
    }
    format!("{} / {} / {} / {}; {millis:.0} ms", cost.calls.len(), cost.depth, cost.read_units, cost.write_units)
}

// ---------------------------------------------------------------- seeding

/// Ids in the order of their numbers, all older than objects created now.
#[derive(Clone, Copy)]
struct Ids {
    newest: Timestamp,
    size: usize,
}

struct Numbered(usize);

impl Random for Numbered {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
        bytes[..8].copy_from_slice(&self.0.to_be_bytes());
    }
}

impl Ids {
    fn ksuid(&self, n: usize) -> String {
        self.ksuid_of_part(n, 0)
    }

    /// Ids of things that belong to an object.
    fn ksuid_of_part(&self, n: usize, part: usize) -> String {
        let age = i64::try_from(self.size - n).unwrap();
        mint_ksuid(Timestamp::from_millis(self.newest.millis() - age), &Numbered(part))
    }
}

/// Values that are unique per object.
enum Own {
    Ksuid(String),
    /// A value whose last digits are the object's number.
    Counted(String),
}

fn counted(text: &str, n: usize) -> String {
    format!("{}{n:0DIGITS$}", &text[..text.len() - DIGITS])
}

fn ksuid_of(id: &str) -> Own {
    Own::Ksuid(id[id.len() - KSUID..].to_owned())
}

/// The items that the API wrote for one object, as a model for others.
struct Model {
    items: Vec<Item>,
    own: Vec<Own>,
}

impl Model {
    /// The items of the n-th object of the kind.
    fn numbered(&self, n: usize, ids: &Ids) -> Vec<Item> {
        let names: Vec<(&str, String)> = self
            .own
            .iter()
            .enumerate()
            .map(|(part, own)| match own {
                Own::Ksuid(text) => (text.as_str(), ids.ksuid_of_part(n, part)),
                Own::Counted(text) => (text.as_str(), counted(text, n)),
            })
            .collect();
        self.items.iter().map(|item| renamed(item, &names)).collect()
    }
}

fn renamed(item: &Item, names: &[(&str, String)]) -> Item {
    let mut renamed: Item = item.iter().map(|(name, value)| (name.clone(), renamed_value(value, names))).collect();
    let partition = string(&renamed, "PK");
    if let Some((of_profile, _)) = partition.rsplit_once('#').filter(|_| partition.starts_with("TPL#")) {
        let spread = spread(&string(&renamed, "SK"));
        renamed.insert("PK".to_owned(), AttributeValue::S(format!("{of_profile}#{spread}")));
    }
    if partition.starts_with("EVT#") {
        // The state after dispatch, which lasts for thirty days.
        renamed.remove("duePartition");
        renamed.remove("dueAt");
    } else if let Some(AttributeValue::S(due)) = renamed.get("duePartition") {
        let class = due.split('#').next().unwrap();
        let shards = serde_json::from_value::<DueClass>(json!(class)).unwrap().shards();
        let shard = hash(&format!("{partition}{}", string(&renamed, "SK"))) % shards;
        renamed.insert("duePartition".to_owned(), AttributeValue::S(format!("{class}#{shard}")));
    }
    renamed
}

fn renamed_value(value: &AttributeValue, names: &[(&str, String)]) -> AttributeValue {
    let rename = |text: &String| names.iter().fold(text.clone(), |text, (from, to)| text.replace(from, to));
    match value {
        AttributeValue::S(text) => AttributeValue::S(rename(text)),
        AttributeValue::Ss(members) => AttributeValue::Ss(members.iter().map(rename).collect()),
        AttributeValue::L(items) => AttributeValue::L(items.iter().map(|item| renamed_value(item, names)).collect()),
        AttributeValue::M(map) => {
            AttributeValue::M(map.iter().map(|(name, value)| (name.clone(), renamed_value(value, names))).collect())
        }
        other => other.clone(),
    }
}

/// Spreads keys over sixteen partitions like shared/store/src/keys/key.rs; otherwise seeded objects would be missing in lists.
fn spread(key: &str) -> u32 {
    hash(key) % 16
}

fn hash(key: &str) -> u32 {
    key.bytes().fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619))
}

fn string(item: &Item, name: &str) -> String {
    item[name].as_s().unwrap().clone()
}

/// Seeds objects; the first ones are the models themselves.
async fn seed(world: &World, models: &[Model], size: usize, ids: &Ids) {
    let items = (models.len()..size).flat_map(|n| models[n % models.len()].numbered(n, ids));
    let writes = items.map(|item| {
        WriteRequest::builder().put_request(PutRequest::builder().set_item(Some(item)).build().unwrap()).build()
    });
    let mut writes = writes.into_iter();
    let batches = std::iter::from_fn(|| Some(writes.by_ref().take(BATCH).collect()).filter(|b: &Vec<_>| !b.is_empty()));
    let written = stream::iter(batches).map(|batch| write_batch(&world.account.dynamodb, batch));
    written.buffer_unordered(SIDE_BY_SIDE).collect::<()>().await;
}

/// Writes one batch of items. The client may retry, because writing the same items again is harmless.
async fn write_batch(client: &Client, batch: Vec<WriteRequest>) {
    let answer = client.batch_write_item().request_items(TABLE, batch).send().await.unwrap();
    assert!(answer.unprocessed_items.unwrap_or_default().is_empty());
}

async fn items(world: &World) -> Vec<Item> {
    let pages = world.account.dynamodb.scan().table_name(TABLE).consistent_read(true).into_paginator().items().send();
    pages.collect::<Result<_, _>>().await.unwrap()
}

/// Returns the created object and the items that exist since then.
async fn added<T>(world: &World, make: impl Future<Output = T>) -> (T, Vec<Item>) {
    let key = |item: &Item| (string(item, "PK"), string(item, "SK"));
    let before: BTreeSet<_> = items(world).await.iter().map(key).collect();
    let made = make.await;
    let items = items(world).await.into_iter().filter(|item| !before.contains(&key(item))).collect();
    (made, items)
}

fn of_classes(items: Vec<Item>, classes: &[&str]) -> Vec<Item> {
    let is_wanted = |item: &Item| classes.iter().any(|class| string(item, "PK").starts_with(class));
    items.into_iter().filter(is_wanted).collect()
}

// ---------------------------------------------------------------- the scene

/// An organization with a given number of objects of each kind.
struct Scene {
    world: World,
    line: Line,
    /// The app with the webhooks. It has no numbers, so that no event is delivered to them.
    app: String,
    /// A received message.
    message: String,
    size: usize,
    ids: Ids,
}

impl Scene {
    async fn new(size: usize, organizations: usize) -> Scene {
        let (mut world, receiver) = (World::with_local_webhooks().await, Receiver::start(answering(204)));
        // On a busy machine, a slow receiver would cost more writes.
        world.deliverer.prompt = Duration::from_secs(60);
        let (line, connected) = added(&world, connect(&world, &world.org, ACCOUNT)).await;
        let (app, _) = world.app(&world.org.admin, &json!({"name": "Webhooks"})).await;
        let listener = webhook(&receiver.url, "messages.chat.received");
        let of_app = format!("/v1/organization/apps/{}/webhooks", world.org.app);
        world.admin(Call::post(of_app).json(&listener)).await.expect(201);
        let hook = webhook_model(&world, &app).await;
        let numbers = number_models(&world, size).await;
        let chat_number = chat_number_model(&line, connected);
        let template = template_model(&world, &line).await;
        let (message, messages) = message_models(&world, &line, size).await;
        let other = if organizations > 1 { Some(organization_model(&world).await) } else { None };
        // After this, nothing is due for a while.
        world.clock.advance(Duration::from_secs(600));
        world.sweep().await;
        while world.deliver().await {}
        let ids = Ids { newest: world.now(), size: size.max(organizations) };
        seed(&world, &[hook], size, &ids).await;
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

    /// Returns the numbers of objects in the middle of the seeded ones, of the first model if there are two; each is
    /// followed by an object of the second. `None` if nothing was seeded.
    fn middle(&self) -> Option<Vec<usize>> {
        (self.size >= FULL).then(|| (0..CALLS).map(|n| self.size / 4 * 2 + 2 * n).collect())
    }

    /// Seeded objects or, if there are none, newly created ones.
    fn targets(&self, made: &[Value], seeded: impl Fn(usize) -> String) -> Vec<String> {
        match self.middle() {
            Some(middle) => middle.into_iter().map(seeded).collect(),
            None => made.iter().map(|object| text(object, "id")).collect(),
        }
    }

    /// Sends a request without validating the response, which would take measured time.
    async fn answer(&self, call: Call) -> Value {
        let request = call.request();
        let api = self.world.api(request.uri().path());
        let response = api.respond(request).await;
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        assert!(parts.status.is_success(), "{call:?}: {}", String::from_utf8_lossy(&bytes));
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Measures requests with the organization's admin key. Returns their responses.
    async fn calls(
        &self,
        rows: &mut Rows,
        (name, growth): (&'static str, Growth),
        calls: impl IntoIterator<Item = Call>,
    ) -> Vec<Value> {
        let calls = calls.into_iter().map(|call| self.answer(call.key(&self.world.org.admin)));
        rows.add(name, growth, calls).await
    }

    async fn notify(&self, rows: &mut Rows, name: &'static str, told: impl IntoIterator<Item = Value>) {
        let calls = told.into_iter().map(|told| {
            let body = told.to_string().into_bytes();
            let signature = signature(APP_SECRET, &body);
            self.answer(Call::post(NOTIFICATIONS).header("x-hub-signature-256", &signature).bytes(body))
        });
        rows.add(name, Growth::None, calls).await;
    }

    /// Measures the first page and a page from the middle of the list.
    async fn pages(&self, rows: &mut Rows, list: &List<'_>) {
        let count = self.size.min(list.most);
        let first = self.calls(rows, (list.rows.0, Growth::Page), repeat(&Call::get(&list.path))).await;
        assert_eq!(first[0]["data"].as_array().unwrap().len().min(count), count.min(PAGE), "{}", list.rows.0);
        if self.size < FULL {
            return;
        }
        let organization: OrganizationId = self.world.org.id.parse().unwrap();
        let after = cursor::encode(&organization, &list.name, &(list.id)(count / 2));
        let mark = if list.path.contains('?') { '&' } else { '?' };
        let call = Call::get(format!("{}{mark}cursor={after}", list.path));
        let later = self.calls(rows, (list.rows.1, Growth::Page), repeat(&call)).await;
        assert_eq!(later[0]["data"].as_array().unwrap().len(), PAGE, "{}", list.rows.1);
        assert!(later[0]["nextCursor"].is_string());
    }

    fn store(&self) -> &Store {
        &self.world.sweeper.dispatcher.context.store
    }

    /// Events that are not dispatched yet.
    async fn waiting(&self) -> BTreeSet<EventId> {
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

/// A list: its rows, and its name in cursors.
struct List<'a> {
    rows: (&'static str, &'static str),
    path: String,
    name: String,
    id: &'a dyn Fn(usize) -> String,
    most: usize,
}

fn repeat(call: &Call) -> Vec<Call> {
    vec![call.clone(); CALLS]
}

// ---------------------------------------------------------------- models

fn webhook(url: &str, event: &str) -> Value {
    json!({"url": url, "events": [event], "headers": {"X-Team": "blue-team-secret"}})
}

async fn webhook_model(world: &World, app: &str) -> Model {
    let create =
        Call::post(format!("/v1/organization/apps/{app}/webhooks")).json(&webhook(ELSEWHERE, "messages.sms.sent"));
    let (made, items) = added(world, world.admin(create)).await;
    Model { items, own: vec![ksuid_of(&text(&made.expect(201), "id"))] }
}

/// Alternates between live and test numbers: a list reads both partitions, and each could fill the page.
async fn number_models(world: &World, size: usize) -> Vec<Model> {
    let mut models = Vec::new();
    for (number, app, is_test) in
        [("+12010000000", &world.org.app, false), ("+12010000001", &world.org.test_app, true)].into_iter().take(size)
    {
        let body = json!({"number": number, "appIds": [app], "test": is_test});
        let (made, items) = added(world, world.admin(Call::post(NUMBERS).json(&body))).await;
        let own = vec![ksuid_of(&text(&made.expect(201), "id")), Own::Counted(number.to_owned())];
        models.push(Model { items, own });
    }
    models
}

fn chat_number_model(line: &Line, connected: Vec<Item>) -> Model {
    let items = of_classes(connected, &["WAPN#", "WAPNOF#", "PPN#"]);
    let own =
        vec![ksuid_of(&line.number), Own::Counted(line.platform_number.clone()), Own::Counted(line.display.clone())];
    Model { items, own }
}

fn template_told(line: &Line, now: Timestamp, id: &str, event: &str) -> Value {
    let value = json!({
        "event": event, "message_template_id": id, "message_template_name": format!("order_update_{id}"),
        "message_template_language": "en_US", "message_template_category": "UTILITY",
    });
    notification(&line.account, now.seconds(), "message_template_status_update", &value)
}

async fn template_model(world: &World, line: &Line) -> Model {
    let told = template_told(line, world.now(), TEMPLATE, "APPROVED");
    let (reply, items) = added(world, world.notify(&told)).await;
    reply.expect(200);
    let items = of_classes(items, &["TPL#", "TPLNAME#"]);
    let main = items.iter().map(|item| string(item, "PK")).find(|partition| partition.starts_with("TPL#")).unwrap();
    assert!(main.ends_with(&format!("#{}", spread(TEMPLATE))));
    Model { items, own: vec![Own::Counted(TEMPLATE.to_owned())] }
}

fn received(line: &Line, id: &str) -> Value {
    line.message(&json!({"id": id, "type": "text", "text": {"body": "Is it on its way?"}}))
}

fn status(line: &Line, id: &str, status: &str) -> Value {
    line.status(&json!({"id": id, "status": status, "timestamp": "2000000000", "recipient_id": "16505551234"}))
}

/// Alternates between received and sent messages, with their events; they share the contact that the first one creates.
async fn message_models(world: &World, line: &Line, size: usize) -> (String, Vec<Model>) {
    let (mut models, mut first) = (Vec::new(), String::new());
    for (platform_id, told) in
        [(RECEIVED, received(line, RECEIVED)), (SENT, status(line, SENT, "sent"))].into_iter().take(size)
    {
        let (reply, items) = added(world, world.notify(&told)).await;
        reply.expect(200);
        let items = of_classes(items, &["MSG#", "MSGLIST#", "WAMID#", "EVT#"]);
        let ids_of = |class: &str| -> BTreeSet<String> {
            items.iter().map(|item| string(item, "PK")).filter(|key| key.starts_with(class)).collect()
        };
        let (message, events) = (ids_of("MSG#"), ids_of("EVT#"));
        if first.is_empty() {
            first = message.iter().filter_map(|key| key.rsplit('#').next()).collect();
        }
        let own = message.iter().chain(&events).map(|id| ksuid_of(id));
        let own = own.chain([Own::Counted(platform_id.to_owned())]).collect();
        models.push(Model { items, own });
    }
    (first, models)
}

/// An organization with keys, apps, a connected account, and a media file that will expire.
async fn organization_model(world: &World) -> Model {
    let make = async {
        let other = world.organization("Other 0000000").await;
        connect(world, &other, OTHER_ACCOUNT).await;
        let upload = Call::post("/v1/media").key(&other.app_key).file("a.png", Some("image/png"), PNG);
        world.send(upload).await.expect(201);
        other
    };
    let (other, items) = added(world, make).await;
    let credentials = items.iter().map(|item| string(item, "PK")).filter(|key| key.starts_with("CRED#"));
    let own = [ksuid_of(&other.id), Own::Counted("other-0000000".to_owned()), Own::Counted(OTHER_ACCOUNT.to_owned())];
    let own = own.into_iter().chain(credentials.map(|key| Own::Counted(key["CRED#".len()..].to_owned()))).collect();
    Model { items, own }
}

// ---------------------------------------------------------------- operations

async fn webhooks(scene: &Scene, rows: &mut Rows) {
    let path = format!("/v1/organization/apps/{}/webhooks", scene.app);
    let list = List {
        rows: ("webhooks: first page", "webhooks: later page"),
        path: path.clone(),
        name: format!("webhooks/{}", scene.app),
        id: &|n| scene.ids.ksuid(n),
        most: usize::MAX,
    };
    scene.pages(rows, &list).await;
    let create = Call::post(&path).json(&webhook(ELSEWHERE, "messages.sms.sent"));
    let made = scene.calls(rows, ("webhooks: create", Growth::None), repeat(&create)).await;
    let id = |n| WebhookId::from_ksuid(Mode::Live, &scene.ids.ksuid(n)).unwrap().to_string();
    let ids = scene.targets(&made, id);
    let each = |call: fn(String) -> Call| ids.iter().map(|id| call(format!("{path}/{id}"))).collect::<Vec<_>>();
    scene.calls(rows, ("webhooks: get", Growth::None), each(Call::get)).await;
    let update = |path| Call::put(path).json(&json!({"url": "https://example.com/b"}));
    scene.calls(rows, ("webhooks: update", Growth::None), each(update)).await;
    scene.calls(rows, ("webhooks: delete", Growth::None), each(Call::delete)).await;
}

async fn phone_numbers(scene: &Scene, rows: &mut Rows) {
    let list = List {
        rows: ("phone numbers: first page", "phone numbers: later page"),
        path: NUMBERS.to_owned(),
        name: "phone-numbers".to_owned(),
        id: &|n| scene.ids.ksuid(n),
        most: usize::MAX,
    };
    scene.pages(rows, &list).await;
    let app = &scene.world.org.app;
    let create = (0..CALLS)
        .map(|n| Call::post(NUMBERS).json(&json!({"number": counted("+12010000000", FRESH + n), "appIds": [app]})));
    let made = scene.calls(rows, ("phone numbers: create", Growth::None), create).await;
    let id = |n| PhoneNumberId::from_ksuid(Mode::Live, &scene.ids.ksuid(n)).unwrap().to_string();
    let ids = scene.targets(&made, id);
    let each = |of: &str, call: fn(String) -> Call| ids.iter().map(|id| call(format!("{of}/{id}"))).collect::<Vec<_>>();
    let assigned = format!("/v1/organization/apps/{app}/phone-numbers");
    scene.calls(rows, ("phone numbers: get", Growth::None), each(NUMBERS, Call::get)).await;
    scene.calls(rows, ("phone numbers: take off an app", Growth::None), each(&assigned, Call::delete)).await;
    scene.calls(rows, ("phone numbers: assign to an app", Growth::None), each(&assigned, Call::put)).await;
    scene.calls(rows, ("phone numbers: delete", Growth::None), each(NUMBERS, Call::delete)).await;
}

async fn chat_numbers(scene: &Scene, rows: &mut Rows) {
    let list = List {
        rows: ("chat phone numbers: first page", "chat phone numbers: later page"),
        path: format!("{CHAT}/phone-numbers"),
        name: "chat-phone-numbers".to_owned(),
        id: &|n| scene.ids.ksuid(n),
        most: MOST_CHAT_NUMBERS,
    };
    scene.pages(rows, &list).await;
    let middle = scene.size.min(MOST_CHAT_NUMBERS) / 2;
    let seeded = || ChatPhoneNumberId::from_ksuid(Mode::Live, &scene.ids.ksuid(middle)).unwrap().to_string();
    let id = if scene.size >= FULL { seeded() } else { scene.line.number.clone() };
    let get = repeat(&Call::get(format!("{CHAT}/phone-numbers/{id}")));
    scene.calls(rows, ("chat phone numbers: get", Growth::None), get).await;
    let profiles = format!("{CHAT}/business-profiles");
    let get = Call::get(format!("{profiles}/{}", scene.line.profile));
    scene.calls(rows, ("business profiles: get", Growth::Whole), [get]).await;
    scene.calls(rows, ("business profiles: first page", Growth::Whole), [Call::get(profiles)]).await;
}

async fn templates(scene: &Scene, rows: &mut Rows) {
    let profile = &scene.line.profile;
    let list = List {
        rows: ("templates: first page", "templates: later page"),
        path: format!("{CHAT}/templates?chatBusinessProfileId={profile}"),
        name: format!("chat-templates/{profile}"),
        id: &|n| counted(TEMPLATE, n),
        most: usize::MAX,
    };
    scene.pages(rows, &list).await;
    let organization = scene.world.org.id.parse().unwrap();
    let (store, id) = (&scene.world.worker.inbox.context.store, profile.parse().unwrap());
    let all = [async { store.of(&organization).all_templates(&id).await.unwrap().len() }];
    let all = rows.add("templates: what a sync reads first", Growth::Whole, all).await;
    assert_eq!(all[0], scene.size);
    let fresh: Vec<usize> = (FRESH..FRESH + CALLS).collect();
    let tell = |event: &'static str, numbers: Vec<usize>| {
        let now = scene.world.now();
        numbers.into_iter().map(move |n| template_told(&scene.line, now, &counted(TEMPLATE, n), event))
    };
    scene.notify(rows, "templates: create (told by the platform)", tell("APPROVED", fresh.clone())).await;
    let targets = scene.middle().unwrap_or(fresh);
    scene.notify(rows, "templates: update (told by the platform)", tell("PAUSED", targets.clone())).await;
    scene.notify(rows, "templates: delete (told by the platform)", tell("DELETED", targets)).await;
}

async fn messages(scene: &Scene, rows: &mut Rows) {
    let (line, number) = (&scene.line, &scene.line.number);
    let list = List {
        rows: ("messages: first page", "messages: later page"),
        path: format!("{CHAT}/messages?chatPhoneNumberId={number}"),
        name: format!("chat-messages/{number}"),
        id: &|n| scene.ids.ksuid(n),
        most: usize::MAX,
    };
    scene.pages(rows, &list).await;
    let id = |n| ChatMessageId::from_ksuid(Mode::Live, &scene.ids.ksuid(n)).unwrap().to_string();
    let seeded = |middle: Vec<usize>| middle.into_iter().map(id).collect();
    let ids = scene.middle().map_or(vec![scene.message.clone(); CALLS], seeded);
    let get = ids.into_iter().map(|id| Call::get(format!("{CHAT}/messages/{id}")));
    scene.calls(rows, ("messages: get", Growth::None), get).await;
    let fresh: Vec<usize> = (FRESH..FRESH + CALLS).collect();
    let before = scene.waiting().await;
    let create = fresh.iter().map(|n| received(line, &counted(RECEIVED, *n)));
    scene.notify(rows, "messages: receive", create).await;
    dispatch(scene, rows, &before).await;
    deliver(scene, rows).await;
    let create = fresh.iter().map(|n| status(line, &counted(SENT, *n), "sent"));
    scene.notify(rows, "messages: status of an unknown one", create).await;
    let sent = scene.middle().map_or(fresh, |middle| middle.into_iter().map(|n| n + 1).collect());
    let update = sent.into_iter().map(|n| status(line, &counted(SENT, n), "delivered"));
    scene.notify(rows, "messages: status of a known one", update).await;
}

/// Measures the dispatch of the events since `before`, each to one webhook.
async fn dispatch(scene: &Scene, rows: &mut Rows, before: &BTreeSet<EventId>) {
    let organization: OrganizationId = scene.world.org.id.parse().unwrap();
    let events: Vec<EventId> = scene.waiting().await.difference(before).cloned().collect();
    let works = events.iter().map(|event| async {
        let waiting = Waiting { organization: organization.clone(), event: event.clone() };
        scene.world.dispatcher.dispatch(&[waiting]).await.remove(0).unwrap();
    });
    rows.add("messages: dispatch of the event of one", Growth::None, works).await;
}

async fn deliver(scene: &Scene, rows: &mut Rows) {
    let works = scene.world.messages(&scene.world.account.deliveries).await.into_iter().map(|job| async move {
        let record = json!({"messageId": "1", "receiptHandle": "1", "body": job, "attributes": {}});
        let event = serde_json::from_value(json!({"Records": [record]})).unwrap();
        serde_json::to_value(scene.world.deliverer.work(event).await).unwrap()
    });
    let done = rows.add("messages: delivery of the event of one", Growth::None, works).await;
    assert_eq!(done[0], json!({"batchItemFailures": []}));
}

async fn work_that_is_due(scene: &Scene, rows: &mut Rows) {
    scene.world.index_caught_up().await;
    let swept =
        rows.add("sweep: nothing is due", Growth::None, (0..CALLS).map(|_| Box::pin(scene.world.sweep_once()))).await;
    assert_eq!(swept[0], Swept::default());
}

/// The emulator's share of the time: unlike DynamoDB, it sorts and filters the whole partition.
async fn bare_query(scene: &Scene, rows: &mut Rows) {
    let partition = format!("MSGLIST#{}#{}", scene.world.org.id, scene.line.number);
    let client = &scene.world.account.dynamodb;
    let query = (0..CALLS).map(|_| async {
        let call = client.query().table_name(TABLE).limit(PAGE as i32 + 1);
        let call = call.consistent_read(true).key_condition_expression("PK = :pk").scan_index_forward(false);
        call.expression_attribute_values(":pk", AttributeValue::S(partition.clone())).send().await.unwrap();
    });
    rows.add("(the emulator's own time for one Query of 26 messages)", Growth::None, query).await;
}
