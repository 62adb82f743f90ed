//! The steps of simulations: when they are played, how many at the same time, and what they count as.

use std::time::Duration;

use messaging_client::types::{PlaygroundSimulationStatus, SimulationStepStatus};
use serde_json::{Value, json};
use tests::{Call, Service as _, World};

use super::{assert_unchanged, begin, own_number, play, run, simulate, simulation};

/// The queue leads from step to step: a delayed simulation begins after its delay, and the worker does the rest.
#[tokio::test]
async fn the_worker_plays_a_simulation_step_by_step() {
    let world = World::new().await;
    let key = world.org.test_app_key.as_str();
    let begun = begin(&world, key, &json!({"scenario": "template_approved", "delaySeconds": 1})).await;
    let events: Vec<&str> = begun.steps.iter().map(|step| step.event.as_ref().unwrap().as_str()).collect();
    assert_eq!(events, ["templates.chat.created", "templates.chat.connected"]);

    let states = async || {
        let now = simulation(&world, key, &begun.id).await;
        let steps: Vec<&str> = now.steps.iter().map(|step| step.status.as_str()).collect();
        (now.status.to_string(), steps.join(" "))
    };

    let mut seen = Vec::new();
    for _ in 0..100 {
        world.work_off().await;
        let now = states().await;
        if seen.last() != Some(&now) {
            seen.push(now);
        }
        world.clock.advance(Duration::from_millis(100));
        tokio::time::sleep(Duration::from_millis(100)).await;
        if seen.last().unwrap().0 == "COMPLETED" {
            break;
        }
    }

    let course = [("RUNNING", "WAITING WAITING"), ("RUNNING", "APPLIED WAITING"), ("COMPLETED", "APPLIED APPLIED")];
    let course: Vec<_> = course.into_iter().map(|(status, steps)| (status.to_owned(), steps.to_owned())).collect();
    assert_eq!(seen, course);
    assert_eq!(world.dead_letters().await, Vec::<String>::new());

    // A job that comes again finds everything done.
    let before = world.account.items().await;
    simulate(&world, &world.org, &begun.id).await;
    assert_unchanged(&world, &before).await;
}

/// Platform updates have times in seconds, so those of two simulations can be equal. Only one of them is applied.
#[tokio::test]
async fn equal_updates_of_two_simulations_are_applied_once_and_both_end() {
    let world = World::new().await;
    let key = world.org.test_app_key.as_str();
    let body = json!({"scenario": "account_rejected"});
    let begun = [begin(&world, key, &body).await, begin(&world, key, &body).await];
    world.clock.advance(Duration::from_secs(1));

    let mut seen = Vec::new();
    for begun in begun {
        let simulated = simulate(&world, &world.org, &begun.id);
        tokio::time::timeout(Duration::from_secs(20), simulated).await.expect("the simulation ends");
        let over = simulation(&world, key, &begun.id).await;
        assert_eq!(over.status, PlaygroundSimulationStatus::Completed);
        let step = &over.steps[0];
        seen.push((step.status.clone(), step.reason.is_some()));
    }
    assert_eq!(seen, [(SimulationStepStatus::Applied, false), (SimulationStepStatus::Ignored, true)]);

    let profiles = world.admin(Call::get("/v1/organization/chat/business-profiles")).await.expect(200);
    let is_rejected = |profile: &&Value| profile["reviewDecision"] == "REJECTED";
    assert_eq!(profiles["data"].as_array().unwrap().iter().filter(is_rejected).count(), 1);
}

/// 100 simulations of an organization run at the same time. When one ends, or its time is over, another one can begin.
#[tokio::test]
async fn a_hundred_simulations_can_run() {
    let world = World::new().await;
    let key = world.org.test_app_key.as_str();
    let body = json!({"scenario": "account_rejected", "delaySeconds": 3600});
    let mut begun = Vec::new();
    for _ in 0..100 {
        begun.push(begin(&world, key, &body).await.id);
    }

    let refused = run(&world, key, &body).await;
    assert_eq!(refused.header("retry-after"), Some("5"));
    refused.refused(429, None, Some("rate_limit_exceeded"));

    world.clock.advance(Duration::from_secs(3601));
    simulate(&world, &world.org, &begun[40]).await;
    run(&world, key, &body).await.expect(201);
    run(&world, key, &body).await.expect(429);

    // Their jobs were lost: an hour after their last steps, they count as ended.
    world.clock.advance(Duration::from_secs(3600));
    run(&world, key, &body).await.expect(201);
}

/// Each step is one of the app's simulated messages of the day.
#[tokio::test]
async fn steps_count_as_simulated_messages() {
    let world = World::new().await;
    let key = world.org.test_app_key.as_str();
    for _ in 0..3 {
        play(&world, &world.org, key, &json!({"scenario": "account_reviewed"})).await;
    }

    let spent = async || {
        let items = world.account.items().await;
        let own = format!("RATE#{}#{}", world.org.id, world.org.test_app);
        let spent = items.iter().filter(|item| item["PK"] == own).filter_map(|item| item.get("playgroundMessages"));
        spent.map(|count| count.parse::<u64>().unwrap()).sum::<u64>()
    };

    assert_eq!(spent().await, 12);
    let number = own_number(&world, &world.org).await;
    let by_admin = json!({"scenario": "account_rejected", "target": number["id"]});
    play(&world, &world.org, &world.org.test_admin, &by_admin).await;
    assert_eq!(spent().await, 12);
}
