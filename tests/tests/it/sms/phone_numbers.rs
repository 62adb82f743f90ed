use serde_json::{Value, json};
use tests::request::text;
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/organization/phone-numbers";

async fn add(world: &World, body: &Value) -> Value {
    world.admin(Call::post(PATH).json(body)).await.expect(201)
}

/// The numbers of the organization, without those that its test app was created with.
async fn listed(world: &World, key: &str) -> Value {
    let system = Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key);
    let system = world.send(system).await.expect(200)["numbers"].as_array().unwrap().clone();
    let listed = world.send(Call::get(PATH).key(key)).await.expect(200);
    let numbers = listed["data"].as_array().unwrap().iter();
    numbers.filter(|number| !system.contains(&number["number"])).cloned().collect()
}

#[tokio::test]
async fn numbers_are_added_assigned_and_deleted() {
    let world = World::new().await;
    let org = &world.org;
    let reference = json!({"appId": org.app, "appName": "Live", "appSlug": "live"});
    let made = add(&world, &json!({"number": "+12015550100", "appIds": [org.app]})).await;
    let id = text(&made, "id");
    assert_eq!(
        made,
        json!({"id": id, "number": "+12015550100", "isTestNumber": false, "capabilities": [], "country": "US", "carrierStatus": "UNLINKED", "apps": [reference], "createdAt": made["createdAt"], "updatedAt": made["createdAt"]})
    );
    let one = format!("{PATH}/{id}");
    assert_eq!(world.send(Call::get(&one).key(&org.session)).await.expect(200), made);
    assert_eq!(listed(&world, &org.admin).await, json!([made]));

    let (second, _) = world.app(&org.admin, &json!({"name": "Another"})).await;
    let assignment = format!("/v1/organization/apps/{second}/phone-numbers/{id}");
    let assigned = world.admin(Call::put(&assignment)).await.expect(200);
    assert_eq!(
        assigned["apps"],
        json!([{"appId": second, "appName": "Another", "appSlug": "another"}, reference]),
        "by slug"
    );
    assert_eq!(world.admin(Call::put(&assignment)).await.expect(200), assigned, "repeating changes nothing");
    let parted = world.admin(Call::delete(&assignment)).await.expect(200);
    assert_eq!(parted["apps"], json!([reference]));
    assert_eq!(world.admin(Call::delete(&assignment)).await.expect(200), parted, "repeating changes nothing");
    world.admin(Call::put(&assignment)).await.expect(200);

    let deleted = world.admin(Call::delete(&one)).await.expect(200);
    assert_eq!(
        deleted,
        json!({"success": true, "phoneNumberId": id, "affectedApps": [{"appId": second, "appName": "Another", "appSlug": "another"}, reference]})
    );
    for call in [Call::get(&one), Call::delete(&one), Call::put(&assignment), Call::delete(&assignment)] {
        world.admin(call).await.refused(404, Some("phoneNumberId"), None);
    }
    // Except for the id, which leads an erasure to the messages, and what the audit log says of it.
    let items = world.account.items().await;
    let left: Vec<_> =
        items.iter().filter(|item| !["NUMWAS#", "AUDIT#"].iter().any(|class| item["PK"].starts_with(class))).collect();
    assert!(!format!("{left:?}").contains(&id));
    add(&world, &json!({"number": "+12015550100"})).await;
}

#[tokio::test]
async fn the_simulated_chat_number_is_assigned_alike() {
    let world = World::new().await;
    let items = world.account.items().await;
    let chat = items.iter().find(|item| item["PK"].starts_with("WAPN#")).unwrap()["id"].clone();
    let (app, _) = world.app(&world.org.admin, &json!({"name": "T", "test": true})).await;
    let path = format!("/v1/organization/apps/{app}/phone-numbers/{chat}");
    let assigned = world.send(Call::put(&path).key(&world.org.test_admin)).await.expect(200);
    assert_eq!((&assigned["id"], &assigned["isTestNumber"]), (&json!(chat), &json!(true)));
    assert_eq!(assigned["apps"].as_array().unwrap().len(), 2);
    assert_eq!(assigned["businessProfile"]["businessName"], json!("Playground"));
    let parted = world.admin(Call::delete(&path)).await.expect(200);
    assert_eq!(parted["apps"].as_array().unwrap().len(), 1);
    // A test number cannot be assigned to a live app.
    let live = format!("/v1/organization/apps/{}/phone-numbers/{chat}", world.org.app);
    world.admin(Call::put(&live)).await.refused(400, Some("phoneNumberId"), None);
    world.send(Call::put(&live).key(&world.org.test_admin)).await.refused(404, Some("appId"), None);
}

#[tokio::test]
async fn a_number_is_unique_in_its_organization() {
    let world = World::new().await;
    add(&world, &json!({"number": "+12015550100"})).await;
    for test in [false, true] {
        let again = world.admin(Call::post(PATH).json(&json!({"number": "+12015550100", "test": test}))).await;
        again.refused(409, Some("number"), Some("resource_already_exists"));
    }
    let other = world.organization("Other").await;
    world.send(Call::post(PATH).key(&other.admin).json(&json!({"number": "+12015550100"}))).await.expect(201);
}

#[tokio::test]
async fn modes_do_not_mix() {
    let world = World::new().await;
    let org = &world.org;
    let test = add(&world, &json!({"number": "+12015550100", "test": true, "appIds": [org.test_app]})).await;
    assert!(text(&test, "id").starts_with("ph_test_") && test["isTestNumber"] == json!(true));
    world.clock.advance(std::time::Duration::from_millis(1));
    let live = add(&world, &json!({"number": "+12015550101"})).await;
    let mixed = json!({"number": "+12015550102", "appIds": [org.app, org.test_app]});
    world.admin(Call::post(PATH).json(&mixed)).await.refused(400, Some("appIds[1]"), None);
    let hidden = json!({"number": "+12015550102", "appIds": [org.app]});
    world.send(Call::post(PATH).key(&org.test_admin).json(&hidden)).await.refused(404, Some("appIds[0]"), None);
    let live_number = json!({"number": "+12015550102", "test": false});
    world.send(Call::post(PATH).key(&org.test_admin).json(&live_number)).await.refused(403, Some("test"), None);
    assert_eq!(listed(&world, &org.test_admin).await, json!([test]));
    assert_eq!(listed(&world, &org.admin).await, json!([live, test]), "newest first over both modes");
    let path = format!("{PATH}/{}", text(&live, "id"));
    world.send(Call::get(&path).key(&org.test_admin)).await.refused(404, Some("phoneNumberId"), None);
    let join = format!("/v1/organization/apps/{}/phone-numbers/{}", org.test_app, text(&live, "id"));
    world.admin(Call::put(&join)).await.refused(400, Some("phoneNumberId"), None);
    world.send(Call::put(&join).key(&org.test_admin)).await.refused(404, Some("phoneNumberId"), None);
    // An unknown app is reported first, even if the number is hidden or has the other mode.
    let nowhere = join.replace(&org.test_app, "app_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
    for key in [&org.test_admin, &org.admin] {
        world.send(Call::put(&nowhere).key(key)).await.refused(404, Some("appId"), None);
    }
}

#[tokio::test]
async fn wrong_input_is_refused() {
    let world = World::new().await;
    let unknown = "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    let before = world.account.items().await;
    for (body, param, code) in [
        (json!({}), "number", None),
        (json!({"number": 1}), "number", None),
        (json!({"number": "12015550100"}), "number", Some("invalid_phone_number")),
        (json!({"number": "+1 201"}), "number", Some("invalid_phone_number")),
        (json!({"number": "+12015550100", "appIds": "x"}), "appIds", None),
        (json!({"number": "+12015550100", "appIds": ["x"]}), "appIds[0]", None),
        (json!({"number": "+12015550100", "appIds": [unknown, unknown]}), "appIds[1]", None),
        (json!({"number": "+12015550100", "appIds": vec![unknown; 41]}), "appIds", None),
        (json!({"number": "+12015550100", "name": "x"}), "name", None),
    ] {
        world.admin(Call::post(PATH).json(&body)).await.refused(400, Some(param), code);
    }
    let missing = json!({"number": "+12015550100", "appIds": [world.org.app, unknown]});
    world.admin(Call::post(PATH).json(&missing)).await.refused(404, Some("appIds[1]"), None);
    world.admin(Call::get(format!("{PATH}/ph_x"))).await.refused(400, Some("phoneNumberId"), None);
    let chat = "wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    world.admin(Call::delete(format!("{PATH}/{chat}"))).await.refused(400, Some("phoneNumberId"), None);
    let assign = |app: &str, number: &str| Call::put(format!("/v1/organization/apps/{app}/phone-numbers/{number}"));
    world.admin(assign(&world.org.app, "x")).await.refused(400, Some("phoneNumberId"), None);
    world.admin(assign("x", "y")).await.refused(400, Some("appId"), None);
    world.admin(assign(unknown, chat)).await.refused(404, Some("appId"), None);
    world.admin(assign(&world.org.app, chat)).await.refused(404, Some("phoneNumberId"), None);
    assert_eq!(world.account.items().await, before);
}

#[tokio::test]
async fn an_app_has_at_most_fifty_numbers() {
    let world = World::new().await;
    // No fictional numbers, of which the world's test app has some.
    for n in 0..50 {
        add(&world, &json!({"number": format!("+4915100000{n:02}"), "appIds": [world.org.app]})).await;
    }
    let more = json!({"number": "+4915100000100", "appIds": [world.org.app]});
    world.admin(Call::post(PATH).json(&more)).await.refused(400, Some("appIds[0]"), None);
    let free = text(&add(&world, &json!({"number": "+4915100000100"})).await, "id");
    let path = format!("/v1/organization/apps/{}/phone-numbers", world.org.app);
    world.admin(Call::put(format!("{path}/{free}"))).await.refused(400, Some("appId"), None);
    // A number that already exists does not count again.
    let listed = world.admin(Call::get(format!("{PATH}?limit=10"))).await.expect(200);
    let mut listed = listed["data"].as_array().unwrap().iter();
    let there = listed.find(|number| number["id"] != free.as_str() && number["isTestNumber"] == false).unwrap();
    let there = text(there, "id");
    world.admin(Call::put(format!("{path}/{there}"))).await.expect(200);
}
