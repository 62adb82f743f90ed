//! Two hours without a table, in virtual time: the real worker and the real SDK, over a model of SQS and of the mapping that
//! invokes the worker, and a table in memory that fails until the outage is over. docs/growth.md has the figures of the full
//! run: `OUTAGE_UPDATES=50000 cargo test --test it -- outage_simulation --nocapture`.

mod cloud;
mod queue;
pub(crate) mod simulation;

use std::time::Duration;

use domain::port::Clock as _;
use tests::World;
use tests::chat::connect;

use self::simulation::Simulation;

const OUTAGE: Duration = Duration::from_secs(2 * 3600);
/// As in infra/template.yaml; as many invocations as a stack with an `AccountConcurrency` of 500 or more allows.
const INVOCATIONS: usize = 20;
const BATCH: usize = 5;
const RECEIPTS: u32 = 5;
const VISIBILITY: Duration = Duration::from_secs(5400);
/// How long an invocation takes during the outage: the time limit of an SDK call, which is the longest that its first
/// calls take.
const INVOCATION_IN_OUTAGE: Duration = Duration::from_secs(20);
/// How long an invocation takes after the outage, which is longer than the 25 updates of a job really take.
const INVOCATION: Duration = Duration::from_secs(1);

#[tokio::test]
async fn queued_updates_outlast_two_hours_without_a_table() {
    let updates = std::env::var("OUTAGE_UPDATES").ok().and_then(|count| count.parse().ok()).unwrap_or(500);
    let world = World::new().await;
    let line = connect(&world, &world.org, "1961").await;
    let simulation = Simulation::new(&world).await;
    simulation.queue_updates(&line, updates).await;
    let jobs = simulation.state().sent;

    let took = simulation.run(simulation.clock.now().millis()).await;
    let state = simulation.state();
    eprintln!(
        "{updates} updates in {jobs} jobs: {} receipts, {} copies, {} dead letters; all applied {:?} after the outage",
        state.receipts,
        state.sent - jobs,
        state.dead,
        took.saturating_sub(OUTAGE),
    );

    assert_eq!(state.dead, 0);
    assert!(took > OUTAGE && took < OUTAGE + Duration::from_secs(1200), "{took:?}");
    drop(state);
    assert_eq!(simulation.applied(), (updates, updates));
}
