//! Which numbers can be linked, and by whom.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::{Value, json};
use store::CarrierClaim;
use tests::carrier::TOPIC;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{ALL, PATH, claim, is_connected, link, linked, linked_error, release, shown, unlink};

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
async fn a_rejected_link_names_its_field() {
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
