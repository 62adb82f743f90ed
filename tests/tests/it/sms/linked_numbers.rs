//! Phone numbers that are linked to the carrier: by the operator, for one organization at a time, until they are unlinked or
//! deleted.

use std::collections::BTreeSet;
use std::time::Duration;

use aws::queue::{Job, QueueEvent, VERSION};
use domain::id::OrganizationId;
use domain::{Mode, Timestamp};
use futures_util::future::join_all;
use inbound::{CarrierUpdate, Reporter};
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::{CarrierClaim, SendQuota};
use tests::carrier::TOPIC;
use tests::faults::Fault;
use tests::request::text;
use tests::topics::inbound;
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/organization/phone-numbers";
const ALL: &[&str] = &["SMS", "VOICE", "MMS"];
/// Longer than a lease lasts, and than the sweep waits before it queues a release again.
const LATER: Duration = Duration::from_secs(40 * 60 + 1);

fn link(organization: &str, number: &str) -> Value {
    json!({"operation": "linkPhoneNumber", "organizationId": organization, "number": number})
}

fn unlink(organization: &str, number: &str) -> Value {
    json!({"operation": "unlinkPhoneNumber", "organizationId": organization, "number": number})
}

async fn linked(world: &World, number: &str) -> Value {
    world.operate(link(&world.org.id, number)).await.unwrap()
}

async fn claim(world: &World, number: &str) -> Option<CarrierClaim> {
    world.account.store().carrier_claim(&number.parse().unwrap()).await.unwrap()
}

async fn shown(world: &World, id: &str) -> Value {
    world.admin(Call::get(format!("{PATH}/{id}"))).await.expect(200)
}

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

/// Lets the sweep find what is due, and the worker do it.
async fn release(world: &World) {
    world.sweep().await;
    world.work_off().await;
}

fn is_connected(world: &World, id: &str) -> bool {
    let number = world.carrier_account.number(id);
    let is_on = number["TwoWayEnabled"] == true && number["TwoWayChannelArn"] == TOPIC;
    assert_eq!(is_on, number["OptOutListName"] != "Default", "{number}");
    is_on
}

#[tokio::test]
async fn a_number_of_the_account_is_linked_and_unlinked() {
    let world = World::new().await;
    let (org, number) = (&world.org, "+12015550100");
    let id = world.carrier_account.buy(number, "US", ALL);
    let reply = linked(&world, number).await;
    let phone = text(&reply, "phoneNumberId");
    let expected = json!({
        "phoneNumberId": phone, "number": number, "carrierStatus": "ACTIVE", "capabilities": ALL, "country": "US",
        "countries": ["US"],
    });
    assert_eq!(reply, expected);
    let at_carrier = world.carrier_account.number(&id);
    assert_eq!(
        (&at_carrier["TwoWayEnabled"], &at_carrier["TwoWayChannelArn"], &at_carrier["OptOutListName"]),
        (&json!(true), &json!(TOPIC), &json!(org.id))
    );
    let number_shown = shown(&world, &phone).await;
    assert_eq!(number_shown["carrierStatus"], "ACTIVE");
    assert_eq!((&number_shown["capabilities"], &number_shown["country"]), (&json!(ALL), &json!("US")));
    let CarrierClaim { organization_id, number_id, .. } = claim(&world, number).await.unwrap();
    assert_eq!((organization_id.to_string(), number_id.to_string()), (org.id.clone(), phone.clone()));

    // A repeated request changes nothing but the countries that it names.
    let mut again = link(&org.id, number);
    again["countries"] = json!(["CA", "US"]);
    let again = world.operate(again).await.unwrap();
    assert_eq!((&again["phoneNumberId"], &again["countries"]), (&json!(phone), &json!(["CA", "US"])));
    assert_eq!(world.carrier_account.state().opt_out_lists, BTreeSet::from([org.id.clone()]));

    let reply = world.operate(unlink(&org.id, number)).await.unwrap();
    assert_eq!(reply["carrierStatus"], "RELEASING");
    assert_eq!(shown(&world, &phone).await["carrierStatus"], "RELEASING");
    let refused = world.operate(link(&org.id, number)).await.unwrap_err();
    assert!(refused.contains("being unlinked"), "{refused}");
    release(&world).await;
    let number_shown = shown(&world, &phone).await;
    assert_eq!((&number_shown["carrierStatus"], &number_shown["capabilities"]), (&json!("UNLINKED"), &json!([])));
    assert!(!is_connected(&world, &id) && claim(&world, number).await.is_none());
    // Who opted out is still kept.
    assert_eq!(world.carrier_account.state().opt_out_lists, BTreeSet::from([org.id.clone()]));
    let reply = world.operate(unlink(&org.id, number)).await.unwrap();
    assert_eq!(reply["carrierStatus"], "UNLINKED", "repeating changes nothing");

    // Now another organization can have it, with its own list.
    let other = world.organization("Other").await;
    world.operate(link(&other.id, number)).await.unwrap();
    assert_eq!(world.carrier_account.number(&id)["OptOutListName"], other.id.as_str());
    assert_eq!(
        linked_error(&world, number).await,
        "number: This number is linked to another organization. Unlink it there first."
    );
    assert_eq!(world.carrier_account.number(&id)["OptOutListName"], other.id.as_str());
}

async fn linked_error(world: &World, number: &str) -> String {
    world.operate(link(&world.org.id, number)).await.unwrap_err()
}

#[tokio::test]
async fn the_organizations_own_number_is_linked() {
    let world = World::new().await;
    let body = json!({"number": "+12015550101", "appIds": [world.org.app]});
    let made = world.admin(Call::post(PATH).json(&body)).await.expect(201);
    world.carrier_account.buy("+12015550101", "US", &["SMS"]);
    let reply = linked(&world, "+12015550101").await;
    assert_eq!(reply["phoneNumberId"], made["id"]);
    assert_eq!(shown(&world, &text(&made, "id")).await["apps"], made["apps"]);
}

/// A number sends only while it is linked, and only to the countries of its link.
#[tokio::test]
async fn a_number_sends_to_its_countries_while_it_is_linked() {
    let world = World::new().await;
    let own = world.account.store().of(&world.org.id.parse().unwrap());
    let made = world.admin(Call::post(PATH).json(&json!({"number": "+12015550107"}))).await.expect(201);
    let test = world.admin(Call::post(PATH).json(&json!({"number": "+12015550108", "test": true}))).await.expect(201);
    assert_eq!((&test["carrierStatus"], &test["capabilities"]), (&json!("ACTIVE"), &json!(["SMS", "MMS"])));
    let refusal = async |id: &Value, to: &str| {
        let number = own.phone_number(&id.as_str().unwrap().parse().unwrap()).await.unwrap().unwrap();
        let refused = number.expect_may_send_to(&to.parse().unwrap()).err();
        refused.map(|failure| (failure.status(), failure.param().unwrap().to_owned(), failure.message().to_owned()))
    };
    let status = async |id: &Value, to: &str| refusal(id, to).await.map(|(status, param, _)| (status, param));
    let (unlinked, elsewhere) = (Some((409, "from".to_owned())), Some((403, "to".to_owned())));
    assert_eq!(status(&made["id"], "+12025550143").await, unlinked);
    assert_eq!(status(&test["id"], "+4930123456").await, None, "nothing leaves the simulation");

    world.carrier_account.buy("+12015550107", "US", ALL);
    linked(&world, "+12015550107").await;
    let of_own_country = [("+12025550143", &None), ("+14165550143", &elsewhere), ("+18765550143", &elsewhere)];
    for (to, expected) in of_own_country {
        assert_eq!(status(&made["id"], to).await, *expected, "{to}");
    }
    let mut more = link(&world.org.id, "+12015550107");
    more["countries"] = json!(["US", "CA"]);
    world.operate(more).await.unwrap();
    for (to, expected) in [("+14165550143", &None), ("+18765550143", &elsewhere), ("+88213000000", &elsewhere)] {
        assert_eq!(status(&made["id"], to).await, *expected, "{to}");
    }
    let (_, _, message) = refusal(&made["id"], "+4930123456").await.unwrap();
    assert!(message.starts_with("This number may send to CA, US only, not to DE."), "{message}");
    world.operate(unlink(&world.org.id, "+12015550107")).await.unwrap();
    assert_eq!(status(&made["id"], "+12025550143").await, unlinked);
}

#[tokio::test]
async fn of_concurrent_links_one_organization_gets_the_number() {
    let world = World::new().await;
    let (number, other) = ("+12015550102", world.organization("Other").await);
    let id = world.carrier_account.buy(number, "US", ALL);
    let requests = [&world.org.id, &other.id, &world.org.id, &other.id].map(|org| world.operate(link(org, number)));
    let replies = join_all(requests).await;
    let owner = claim(&world, number).await.unwrap().organization_id.to_string();
    assert!(replies.iter().any(Result::is_ok), "{replies:?}");
    assert_eq!(world.carrier_account.number(&id)["OptOutListName"], owner.as_str());
    let loser = if owner == other.id { &world.org.admin } else { &other.admin };
    let numbers = world.send(Call::get(PATH).key(loser)).await.expect(200);
    let live = numbers["data"].as_array().unwrap().iter().find(|listed| listed["isTestNumber"] == false);
    assert_eq!(live, None, "the other organization has no number of these digits");
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

    release(&world).await;
    world.admin(Call::get(&one)).await.refused(404, Some("phoneNumberId"), None);
    assert!(!is_connected(&world, &id) && claim(&world, number).await.is_none());
    // Except for the id, which leads an erasure to the messages.
    let items = world.account.items().await;
    let left: Vec<_> = items.iter().filter(|item| !item["PK"].starts_with("NUMWAS#")).collect();
    assert!(!format!("{left:?}").contains(&phone));
    world.admin(Call::post(PATH).json(&json!({"number": number}))).await.expect(201);
}

/// A message can wait in the queue while its number moves on.
#[tokio::test]
async fn what_was_sent_to_the_previous_owner_of_a_number_does_not_reach_the_next() {
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

async fn perform(world: &World, job: &Job) {
    let body = aws::queue::Queued::body(job).unwrap();
    let record =
        json!({"messageId": "m", "receiptHandle": "r", "body": body, "attributes": {"ApproximateReceiveCount": "1"}});
    let event: QueueEvent = serde_json::from_value(json!({"Records": [record]})).unwrap();
    assert!(Box::pin(world.worker.work(event)).await.batch_item_failures.is_empty());
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
async fn a_release_leaves_alone_what_is_not_connected() {
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

#[tokio::test]
async fn what_cannot_be_linked_is_refused_with_the_field() {
    let world = World::new().await;
    let account = &world.carrier_account;
    let ids = ["+12015550110", "+12015550111", "+12015550112", "+12015550113", "+12015550114", "+12015550115"]
        .map(|number| account.buy(number, "US", if number.ends_with('1') { &["VOICE"] } else { ALL }));
    for (id, name, value) in [
        (&ids[0], "Status", json!("PENDING")),
        (&ids[2], "PoolId", json!("pool-1")),
        (&ids[3], "TwoWayChannelArn", json!("arn:aws:sns:us-east-1:000000000000:elsewhere")),
        (&ids[3], "TwoWayEnabled", json!(true)),
    ] {
        account.state().numbers.get_mut(id).unwrap()[name] = value;
    }
    let test_number = json!({"number": "+12015550114", "test": true});
    world.admin(Call::post(PATH).json(&test_number)).await.expect(201);
    let before = (world.account.items().await, account.state().numbers.clone());
    let nobody = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    let with = |countries: Value| {
        let mut request = link(&world.org.id, "+12015550115");
        request["countries"] = countries;
        request
    };
    for (request, part) in [
        (link(&world.org.id, "12015550115"), "number: number must be a phone number in E.164 format"),
        (link(&world.org.id, "+12015550199"), "number: The AWS account of this installation has no such number"),
        (link(&world.org.id, "+12015550110"), "number: AWS says that this number is PENDING"),
        (link(&world.org.id, "+12015550111"), "number: This number cannot send SMS"),
        (link(&world.org.id, "+12015550112"), "number: This number is in the pool pool-1"),
        (link(&world.org.id, "+12015550113"), "000000000000:elsewhere, which is not of this installation"),
        (link(&world.org.id, "+12015550114"), "number: This is a test number"),
        (link(nobody, "+12015550115"), "organizationId: No such organization"),
        (with(json!([])), "countries: Name at least one country"),
        (with(json!(["US", "us"])), "countries[1]: \"us\" is not a country"),
        (with(json!(["ZZ"])), "countries[0]: \"ZZ\" is not a country"),
        (unlink(&world.org.id, "+12015550115"), "number: The organization has no such number"),
        (unlink(&world.org.id, "+12015550114"), "number: The organization has no such number"),
    ] {
        let refusal = world.operate(request).await.unwrap_err();
        assert!(refusal.contains(part), "{refusal}");
    }
    assert_eq!((world.account.items().await, account.state().numbers.clone()), before);
}

#[tokio::test]
async fn without_a_carrier_nothing_is_linked() {
    let mut world = World::new().await;
    world.operator = world.operator_without_carrier();
    let refusal = linked_error(&world, "+12015550100").await;
    assert!(refusal.starts_with("This installation has no carrier."), "{refusal}");
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

/// Parts are counted per organization and mode, and a message that does not fit any more uses nothing.
#[tokio::test]
async fn an_organization_may_send_so_many_parts_a_day() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let (store, random) = (world.account.store(), SystemRandom::new());
    let reads = |organization: &str| store.of(&organization.parse().unwrap());
    let (own, others) = (reads(&world.org.id), reads(&other.id));
    let now = world.now();
    let live = |parts| SendQuota::of_parts(Mode::Live, 10, parts);
    for _ in 0..3 {
        own.spend_send(&live(3), &random, now).await.unwrap();
    }
    let refused = own.spend_send(&live(2), &random, now).await.unwrap_err();
    assert_eq!((refused.status(), refused.code().map(|code| code.as_str())), (429, Some("rate_limit_exceeded")));
    assert!(refused.retry_after().is_some_and(|seconds| (1..=86_400).contains(&seconds)));
    own.spend_send(&live(1), &random, now).await.unwrap();
    own.spend_send(&live(1), &random, now).await.unwrap_err();
    own.spend_send(&live(24), &random, now).await.unwrap_err();
    others.spend_send(&live(10), &random, now).await.unwrap();
    own.spend_send(&SendQuota::of_parts(Mode::Test, 10, 24), &random, now).await.unwrap();
    own.spend_send(&live(10), &random, now.plus_days(1)).await.unwrap();
}

/// A larger quota is spread over several items, and can still be used up.
#[tokio::test]
async fn a_spread_quota_of_parts_can_be_used_up() {
    let world = World::new().await;
    let own = world.account.store().of(&world.org.id.parse().unwrap());
    let (random, now) = (SystemRandom::new(), world.now());
    let spend = async |parts| own.spend_send(&SendQuota::of_parts(Mode::Live, 4_000, parts), &random, now).await;
    for _ in 0..8 {
        spend(500).await.unwrap();
    }
    spend(1).await.unwrap_err();
}
