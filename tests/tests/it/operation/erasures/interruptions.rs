//! Erasures that are interrupted, or whose job is delivered twice.

use domain::job::{Job, VERSION};
use serde_json::json;
use tests::World;
use tests::faults::Fault;
use tests::request::text;

use super::{DIGITS, LATER, NUMBER, OTHER, USER_ID, erase, line_and_sms, naming, receipt, run_jobs};

#[tokio::test]
async fn an_erasure_is_finished_after_any_interruption() {
    let world = World::new().await;
    line_and_sms(&world, "4205").await;
    let of_bob = naming(&world, &world.org.id, &[OTHER, "US.2"]).await;
    let begun = world.operate(erase(&world.org.id, NUMBER)).await.unwrap();

    let mut kills = 0;
    for step in (0..).step_by(2) {
        run_sweep_until_queued(&world).await;
        world.faults.set(Fault::StoppedAfter(step));
        let was_stopped = tokio::select! {
            _ = world.work() => false,
            () = world.faults.struck() => true,
        };
        world.faults.clear();
        world.clock.advance(LATER);
        if !was_stopped || receipt(&world, NUMBER).await["status"] == "DONE" {
            break;
        }
        kills += 1;
    }
    assert!(kills > 6, "{kills} kills");

    run_jobs(&world).await;
    let done = receipt(&world, NUMBER).await;
    assert_eq!((&done["status"], &done["reference"], &done["runs"]), (&json!("DONE"), &begun["reference"], &json!(1)));

    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());
    assert_eq!(naming(&world, &world.org.id, &[OTHER, "US.2"]).await, of_bob);
    assert_eq!(world.account.objects().await, Vec::<String>::new());
}

async fn run_sweep_until_queued(world: &World) {
    world.index_caught_up().await;
    assert_eq!(world.sweep().await.failed, 0);
}

/// Two jobs at once, as a queue may deliver one twice, do no more than one.
#[tokio::test]
async fn a_job_that_is_delivered_twice_does_no_harm() {
    let world = World::new().await;
    line_and_sms(&world, "4206").await;
    let of_bob = naming(&world, &world.org.id, &[OTHER, "US.2"]).await;
    let begun = world.operate(erase(&world.org.id, NUMBER)).await.unwrap();

    let job = Job::EraseContact {
        v: VERSION,
        organization_id: world.org.id.parse().unwrap(),
        reference: text(&begun, "reference"),
    };
    world.worker.jobs.queue.send(&[job.clone(), job]).await.unwrap();
    world.work_off().await;

    world.clock.advance(LATER);
    run_jobs(&world).await;
    assert_eq!(receipt(&world, NUMBER).await["status"], "DONE");
    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());
    assert_eq!(naming(&world, &world.org.id, &[OTHER, "US.2"]).await, of_bob);
}
