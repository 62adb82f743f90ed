//! Numbers that the operator takes from an organization.

use serde_json::json;
use tests::request::text;
use tests::sms::linked_number;
use tests::{Call, Service as _, World};

use super::run_jobs;

#[tokio::test]
async fn the_operator_takes_a_number_from_its_organization() {
    let world = World::new().await;
    let number = "+12015550100";
    let id = linked_number(&world, number).await;
    let release =
        |number: &str| json!({"operation": "releaseNumber", "organizationId": world.org.id, "number": number});

    let released = world.operate(release(number)).await.unwrap();
    assert_eq!(released, json!({"number": number, "carrierStatus": "RELEASING"}));
    run_jobs(&world).await;
    world.admin(Call::get(format!("/v1/organization/phone-numbers/{id}"))).await.expect(404);
    assert!(world.account.items().await.iter().all(|item| !item["PK"].starts_with("CPN#")));
    assert_eq!(world.operate(release(number)).await.unwrap(), json!({"number": number, "carrierStatus": null}));

    let add = Call::post("/v1/organization/phone-numbers")
        .json(&json!({"number": "+12015550199", "appIds": [world.org.app]}));
    let own = text(&world.admin(add).await.expect(201), "id");
    assert_eq!(world.operate(release("+12015550199")).await.unwrap()["carrierStatus"], json!(null));
    world.admin(Call::get(format!("/v1/organization/phone-numbers/{own}"))).await.expect(404);
    let app = world.admin(Call::get(format!("/v1/organization/apps/{}", world.org.app))).await.expect(200);
    assert!(!app.to_string().contains(&own), "{app}");

    let system = Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key);
    let system = world.send(system).await.expect(200)["numbers"][0].as_str().unwrap().to_owned();
    // The numbers that a test app was created with are no exception.
    assert_eq!(world.operate(release(&system)).await.unwrap(), json!({"number": system, "carrierStatus": null}));
    let listed = world.admin(Call::get("/v1/organization/phone-numbers")).await.expect(200);
    assert!(!listed.to_string().contains(&system), "{listed}");
    assert!(world.operate(release("12")).await.unwrap_err().starts_with("number: "));
}
