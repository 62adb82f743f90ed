//! The cost of operations on objects that may be many, with few and with very many objects and organizations. It is the
//! same, except for the operations in `GROWING`. docs/growth.md explains how to run this at full size and shows the
//! results.
//!
//! A `Scene` has as many objects of each kind as wanted: one is created through the API, as a `Model` whose items are then
//! copied under new ids. A `Run` measures the operations of each kind, and each of them is a `Row` of the table.

mod chat_numbers;
mod messages;
mod models;
mod organizations;
mod phone_numbers;
mod results;
mod run;
mod scene;
mod seeding;
mod templates;
mod webhooks;

use std::time::Instant;

use aws_sdk_dynamodb::types::AttributeValue;
use delivery::Swept;
use tests::settings::{TABLE, of_size};

use self::results::{Column, Growth, Row, expect_flat, table};
use self::run::Run;
use self::scene::Scene;

/// The number of runs per operation, of which the median counts; growing operations run once.
const CALLS: usize = 5;
const PAGE: usize = 25;
/// With this many objects, every partition that a list reads fills a page, including each of the sixteen for templates.
const FULL: usize = 1_000;
/// The largest number of objects, divided by this, is the number of organizations: 10,000 at full size.
const OBJECTS_PER_ORGANIZATION: usize = 10;
/// The limit per organization; a profile with more numbers cannot exist.
const MOST_CHAT_NUMBERS: usize = domain::chat::number::NUMBERS_PER_ORGANIZATION as usize;
/// The first number of objects that the tests create, far above those of seeded objects.
const FRESH: usize = 9_000_000;

const CHAT: &str = "/v1/organization/chat";

/// Operations that read all objects of a kind on purpose, and the limit on their number.
const GROWING: &[(&str, &str)] = &[
    ("business profiles: get", "shows every number of the profile; an organization has 1,000 numbers at most"),
    ("business profiles: first page", "shows every number of each profile; the same limit"),
    ("templates: what a sync reads first", "compares all templates of an account; as many as the platform allows"),
];

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
    let sizes = sizes();
    let mut columns = Vec::new();
    for &size in &sizes {
        // Boxed, because the futures of all operations together exceed the stack of a test's thread.
        columns.push(Column { count: size, rows: Box::pin(rows(size, 1)).await });
    }

    eprintln!("{}", table("objects", &columns));
    for pair in columns.windows(2) {
        expect_flat(&pair[0], &pair[1]);
    }

    let organizations = sizes[sizes.len() - 1] / OBJECTS_PER_ORGANIZATION;
    let alone = columns.swap_remove(0);
    let crowded = Column { count: organizations, rows: Box::pin(rows(1, organizations)).await };
    let columns = [alone, crowded];

    eprintln!("{}", table("organizations", &columns));
    for (alone, crowded) in columns[0].rows.iter().zip(&columns[1].rows) {
        assert_eq!((&alone.name, &alone.cost), (&crowded.name, &crowded.cost));
    }
}

/// Measures all operations with this many objects of each kind, in one of this many organizations.
async fn rows(size: usize, organizations: usize) -> Vec<Row> {
    let started = Instant::now();
    let scene = Box::pin(Scene::new(size, organizations)).await;
    let seeded = started.elapsed();

    let mut run = Run::new(&scene);
    webhooks::measure(&mut run).await;
    phone_numbers::measure(&mut run).await;
    chat_numbers::measure(&mut run).await;
    templates::measure(&mut run).await;
    messages::measure(&mut run).await;
    Box::pin(idle_sweep(&mut run)).await;
    bare_query(&mut run).await;

    eprintln!("{size} objects, {organizations} organizations: {seeded:.0?} to seed, {:.0?} in all", started.elapsed());
    run.rows
}

/// A run of the schedule while nothing is due.
async fn idle_sweep(run: &mut Run<'_>) {
    let world = &run.scene.world;
    world.index_caught_up().await;
    let sweeps = (0..CALLS).map(|_| Box::pin(world.sweep_once()));
    let swept = run.add("sweep: nothing is due", Growth::None, sweeps).await;
    assert_eq!(swept[0], Swept::default());
}

/// The emulator's share of the time: unlike DynamoDB, it sorts and filters the whole partition.
async fn bare_query(run: &mut Run<'_>) {
    let scene = run.scene;
    let partition = format!("MSGLIST#{}#{}", scene.world.org.id, scene.line.number);
    let client = &scene.world.account.dynamodb;
    let queries = (0..CALLS).map(|_| async {
        let call = client.query().table_name(TABLE).limit(PAGE as i32 + 1);
        let call = call.consistent_read(true).key_condition_expression("PK = :pk").scan_index_forward(false);
        call.expression_attribute_values(":pk", AttributeValue::S(partition.clone())).send().await.unwrap();
    });
    run.add("(the emulator's own time for one Query of 26 messages)", Growth::None, queries).await;
}
