//! Numbers that are unlinked or deleted, and what comes late for them.

use std::time::Duration;

use domain::Timestamp;
use domain::job::{Job, VERSION};
use inbound::{CarrierUpdate, Reporter};
use serde_json::json;
use tests::request::text;
use tests::topics::inbound;
use tests::{Call, Service as _, World};

use super::{ALL, PATH, claim, is_connected, link, linked, linked_error, perform, release, shown, unlink};

/// Applies a message that the carrier received for the number at this time.
async fn receive(world: &World, number: &str, at: Timestamp) {
    let text = inbound("+12065550171", number, "Hello", &format!("in-{at}")).to_string();
    let update = CarrierUpdate { reporter: Reporter::Live, at, text };
    world.worker.inbox.apply_carrier_update(&update).await.unwrap();
}

/// The number of stored SMS messages of this organization.
async fn messages_of(world: &World, organization: &str) -> usize {
    let items = world.account.items().await;
    items.iter().filter(|item| item["PK"].starts_with(&format!("SMS#{organization}#"))).count()
}

#[tokio::test]
async fn deleting_a_linked_number_unlinks_it_first() {
    let world = World::new().await;
    let (org, number) = (&world.org, "+12015550103");
    let id = world.carrier_account.buy(number, "US", ALL);
    let phone = text(&linked(&world, number).await, "phoneNumberId");
    let assignment = format!("/v1/organization/apps/{}/phone-numbers/{phone}", org.app);
    world.admin(Call::put(&assignment)).await.expect(200);

    let one = format!("{PATH}/{phone}");
    let deleted = world.admin(Call::delete(&one)).await.expect(200);
    assert_eq!(deleted["affectedApps"][0]["appId"], json!(org.app));

    let number_shown = shown(&world, &phone).await;
    assert_eq!((&number_shown["carrierStatus"], &number_shown["apps"]), (&json!("RELEASING"), &json!([])));
    assert!(is_connected(&world, &id), "a job does the rest");
    assert_eq!(world.needs().await, []);

    // Until then, nothing can be done with the number, and what is sent to it reaches nobody.
    receive(&world, number, world.now()).await;
    assert_eq!(messages_of(&world, &org.id).await, 0);

    world.admin(Call::put(&assignment)).await.refused(409, Some("phoneNumberId"), None);
    let take = Call::post("/v1/phone-numbers").key(&org.app_key).json(&json!({"phoneNumberId": phone}));
    world.send(take).await.refused(409, Some("phoneNumberId"), None);
    let taken = world.admin(Call::post(PATH).json(&json!({"number": number}))).await;
    taken.refused(409, Some("number"), Some("resource_already_exists"));

    let again = world.admin(Call::delete(&one)).await.expect(200);
    assert_eq!(again["affectedApps"], json!([]), "repeating changes nothing");
    assert_eq!(linked_error(&world, number).await.split(':').next(), Some("number"));

    world.clock.advance(Duration::from_secs(3600));
    assert_eq!(world.needs().await, [("NUMBER_RELEASING".to_owned(), phone.clone())]);
    release(&world).await;
    assert_eq!(world.needs().await, []);
    world.admin(Call::get(&one)).await.refused(404, Some("phoneNumberId"), None);
    assert!(!is_connected(&world, &id) && claim(&world, number).await.is_none());

    // Except for the id, which leads an erasure to the messages, and what the audit log says of it.
    let items = world.account.items().await;
    let left: Vec<_> =
        items.iter().filter(|item| !["NUMWAS#", "AUDIT#"].iter().any(|class| item["PK"].starts_with(class))).collect();
    assert!(!format!("{left:?}").contains(&phone));

    world.admin(Call::post(PATH).json(&json!({"number": number}))).await.expect(201);
}

/// A message can wait in the queue while its number moves on.
#[tokio::test]
async fn messages_to_the_previous_owner_of_a_number_do_not_reach_the_next() {
    let world = World::new().await;
    let (other, number) = (world.organization("Other").await, "+12015550105");
    world.carrier_account.buy(number, "US", ALL);
    linked(&world, number).await;

    let before = world.now();
    receive(&world, number, before).await;
    assert_eq!(messages_of(&world, &world.org.id).await, 1);

    world.operate(unlink(&world.org.id, number)).await.unwrap();
    release(&world).await;
    world.clock.advance(Duration::from_secs(60));
    world.operate(link(&other.id, number)).await.unwrap();

    receive(&world, number, before.plus(Duration::from_secs(1))).await;
    assert_eq!(messages_of(&world, &other.id).await, 0);

    receive(&world, number, world.now()).await;
    assert_eq!((messages_of(&world, &world.org.id).await, messages_of(&world, &other.id).await), (1, 1));
}

#[tokio::test]
async fn a_late_release_changes_nothing() {
    let world = World::new().await;
    let number = "+12015550104";
    let id = world.carrier_account.buy(number, "US", ALL);
    let phone = text(&linked(&world, number).await, "phoneNumberId");
    world.operate(unlink(&world.org.id, number)).await.unwrap();
    release(&world).await;

    let other = world.organization("Other").await;
    world.operate(link(&other.id, number)).await.unwrap();

    let (organization_id, number_id) = (world.org.id.parse().unwrap(), phone.parse().unwrap());
    perform(&world, &Job::ReleaseNumber { v: VERSION, organization_id, number_id }).await;

    assert_eq!(world.carrier_account.number(&id)["OptOutListName"], other.id.as_str());
    assert_eq!(claim(&world, number).await.unwrap().organization_id.to_string(), other.id);
}

/// What somebody has changed at AWS by hand is left alone, and a number that was given up there does not hold up anything.
#[tokio::test]
async fn a_release_leaves_unconnected_numbers_alone() {
    let world = World::new().await;
    let (moved, gone) = ("+12015550105", "+12015550106");
    let (id, lost) = (world.carrier_account.buy(moved, "US", ALL), world.carrier_account.buy(gone, "US", ALL));
    for number in [moved, gone] {
        linked(&world, number).await;
        world.operate(unlink(&world.org.id, number)).await.unwrap();
    }

    {
        let mut state = world.carrier_account.state();
        let number = state.numbers.get_mut(&id).unwrap();
        number["TwoWayChannelArn"] = json!("arn:aws:sns:us-east-1:000000000000:elsewhere");
        number["OptOutListName"] = json!("elsewhere");
        state.numbers.remove(&lost);
        state.seen.clear();
    }

    release(&world).await;
    assert!(world.carrier_account.seen("UpdatePhoneNumber").is_empty());
    assert!(claim(&world, moved).await.is_none() && claim(&world, gone).await.is_none());
}
