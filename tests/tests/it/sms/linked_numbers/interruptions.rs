//! Links and releases that are stopped at any point, or that the carrier does not take.

use std::time::Duration;

use domain::id::OrganizationId;
use domain::job::{Job, VERSION};
use serde_json::json;
use tests::faults::Fault;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{ALL, PATH, claim, is_connected, link, linked, linked_error, perform, release, unlink};

/// Longer than a lease lasts, and than the sweep waits before it queues a release again.
const LATER: Duration = Duration::from_secs(40 * 60 + 1);

/// The process stops after each of its calls in turn. The repeated request completes the link; a deletion instead undoes what
/// was done.
#[tokio::test]
async fn a_link_that_is_stopped_anywhere_is_completed_or_undone() {
    let world = World::new().await;
    let mut stops = 0;

    for step in 0.. {
        let numbers = [format!("+1201556{:04}", 2 * step), format!("+1201556{:04}", 2 * step + 1)];
        let mut is_whole = false;
        for (number, is_repeated) in numbers.iter().zip([true, false]) {
            let id = world.carrier_account.buy(number, "US", ALL);
            world.faults.set(Fault::StoppedAfter(step));
            is_whole = tokio::select! {
                linked = world.operate(link(&world.org.id, number)) => linked.is_ok(),
                () = world.faults.struck() => false,
            };
            world.faults.clear();

            if is_whole {
                break;
            }
            stops += 1;

            let listed = world.admin(Call::get(format!("{PATH}?limit=100"))).await.expect(200);
            let of_digits = listed["data"].as_array().unwrap().iter().find(|listed| listed["number"] == **number);
            let is_active = of_digits.is_some_and(|found| found["carrierStatus"] == "ACTIVE");
            assert!(is_active || of_digits.is_none_or(|found| found["capabilities"] == json!([])), "step {step}");
            assert!(!is_active || is_connected(&world, &id), "step {step}: active before the carrier knows");

            world.clock.advance(LATER);
            if is_repeated {
                let reply = linked(&world, number).await;
                assert_eq!(reply["carrierStatus"], "ACTIVE", "step {step}");
                assert!(is_connected(&world, &id), "step {step}");
            } else if let Some(found) = of_digits {
                world.admin(Call::delete(format!("{PATH}/{}", text(found, "id")))).await.expect(200);
                release(&world).await;
                assert!(!is_connected(&world, &id), "step {step}");
                assert_eq!(claim(&world, number).await, None, "step {step}");
                world.admin(Call::get(format!("{PATH}/{}", text(found, "id")))).await.refused(
                    404,
                    Some("phoneNumberId"),
                    None,
                );
            } else {
                assert!(!is_connected(&world, &id) && claim(&world, number).await.is_none(), "step {step}");
            }
        }
        if is_whole {
            break;
        }
    }

    assert!(stops >= 12, "{stops} stops");
}

#[tokio::test]
async fn a_release_that_is_stopped_anywhere_is_completed() {
    let world = World::new().await;
    let organization: OrganizationId = world.org.id.parse().unwrap();
    let mut stops = 0;

    for step in 0.. {
        let mut is_whole = false;
        for is_deletion in [true, false] {
            let number = format!("+120155{}{step:04}", if is_deletion { 7 } else { 8 });
            let id = world.carrier_account.buy(&number, "US", ALL);
            let phone = text(&linked(&world, &number).await, "phoneNumberId");
            if is_deletion {
                world.admin(Call::delete(format!("{PATH}/{phone}"))).await.expect(200);
            } else {
                world.operate(unlink(&world.org.id, &number)).await.unwrap();
            }

            let number_id = phone.parse().unwrap();
            let job = Job::ReleaseNumber { v: VERSION, organization_id: organization.clone(), number_id };
            world.faults.set(Fault::StoppedAfter(step));
            is_whole = tokio::select! {
                () = perform(&world, &job) => true,
                () = world.faults.struck() => false,
            };
            world.faults.clear();

            let is_claimed = claim(&world, &number).await.is_some();
            assert!(is_claimed || !is_connected(&world, &id), "step {step}: the claim goes last");
            stops += u32::from(!is_whole);

            world.clock.advance(LATER);
            release(&world).await;
            assert!(!is_connected(&world, &id) && claim(&world, &number).await.is_none(), "step {step}");

            let found = world.admin(Call::get(format!("{PATH}/{phone}"))).await;
            match is_deletion {
                true => drop(found.refused(404, Some("phoneNumberId"), None)),
                false => assert_eq!(found.expect(200)["carrierStatus"], "UNLINKED", "step {step}"),
            }
        }
        if is_whole {
            break;
        }
    }

    assert!(stops >= 8, "{stops} stops");
    assert!(world.dead_letters().await.is_empty());
}

/// The carrier takes a call of each operation per second, and lists its numbers in pages.
#[tokio::test]
async fn a_carrier_that_throttles_is_asked_again() {
    let world = World::new().await;
    for number in ["+12015550120", "+12015550121", "+12015550122"] {
        world.carrier_account.buy(number, "US", ALL);
    }

    world.carrier_account.state().page = Some(2);
    let throttled = |operation| (operation, 400, "ThrottlingException", 1);
    let operations = ["DescribePhoneNumbers", "CreateOptOutList", "UpdatePhoneNumber"];
    world.carrier_account.state().refusals = operations.map(throttled).to_vec();

    assert_eq!(linked(&world, "+12015550122").await["carrierStatus"], "ACTIVE");
    assert!(world.carrier_account.state().refusals.iter().all(|(.., times)| *times == 0));
}

/// A refusal is for the operator to read, and the lease does not keep the next request waiting.
#[tokio::test]
async fn a_refusal_of_the_carrier_is_shown_and_can_be_mended() {
    let world = World::new().await;
    let number = "+12015550123";
    let id = world.carrier_account.buy(number, "US", ALL);

    world.carrier_account.state().refusals = vec![("CreateOptOutList", 400, "ServiceQuotaExceededException", 1)];
    let refusal = linked_error(&world, number).await;
    assert!(refusal.contains("refused CreateOptOutList with ServiceQuotaExceededException"), "{refusal}");
    assert!(!is_connected(&world, &id));

    let phone = text(&linked(&world, number).await, "phoneNumberId");

    // A job that the carrier refuses is tried again, by itself.
    world.admin(Call::delete(format!("{PATH}/{phone}"))).await.expect(200);
    world.carrier_account.state().refusals = vec![("UpdatePhoneNumber", 400, "AccessDeniedException", 1)];
    world.sweep().await;
    world.work().await;
    assert!(is_connected(&world, &id) && claim(&world, number).await.is_some());

    world.clock.advance(LATER);
    release(&world).await;
    assert!(!is_connected(&world, &id) && claim(&world, number).await.is_none());
}
