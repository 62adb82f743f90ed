//! Each fault that the platform shows becomes one finding, with a remedy.

use serde_json::json;
use tests::World;
use tests::chat::connect;
use tests::request::text;
use tests::standin::APP_ID;

use super::fault_table::{Whose, faults};
use super::{APART, DAY, check_line, health, only_problem, problems};
use crate::chat::assert_fields;

#[tokio::test]
async fn every_fault_is_named_with_its_remedy() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5102").await;

    for fault in faults(world.now().seconds()) {
        let (id, subject) = match fault.whose {
            Whose::Token => ("token-5102", Some(&line.profile)),
            Whose::Account => ("5102", Some(&line.profile)),
            Whose::Number => (line.platform_number.as_str(), Some(&line.number)),
            Whose::App => (APP_ID, None),
        };
        world.platform.say(id, fault.fields);
        let problem = only_problem(&world, &line).await;
        world.platform.state().said.clear();

        assert_fields(&problem, &json!({"check": fault.check, "status": fault.status, "subject": subject}));
        assert!(text(&problem, "message").contains(fault.message), "{problem}");
        assert!(text(&problem, "remedy").contains(fault.remedy), "{problem}");
        assert!(!problem.to_string().contains("secret"), "{problem}");
    }
    assert!(problems(&check_line(&world, &line).await).is_empty());

    // Not even a second too early.
    let ends = world.now().plus(APART).seconds() + 14 * DAY + 1;
    world.platform.say("token-5102", json!({"expires_at": ends}));
    assert!(problems(&check_line(&world, &line).await).is_empty());

    // What the platform has not rated, or does not say, is no problem.
    world.platform.state().said.clear();
    let unsaid =
        json!({"quality_rating": "UNKNOWN", "whatsapp_business_manager_messaging_limit": null, "name_status": "NONE"});
    world.platform.say(&line.platform_number, unsaid);
    world.platform.say("5102", json!({"account_review_status": null}));
    assert!(problems(&check_line(&world, &line).await).is_empty());
}

/// An entity can have several errors, and only some of them are about payment.
#[tokio::test]
async fn payment_and_health_are_distinguished() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5103").await;
    let error =
        |code: i64, remedy: &str| json!({"error_code": code, "error_description": "So", "possible_solution": remedy});
    let both = [error(141_006, "Pay"), error(141_010, "Verify")];
    let limited = json!({"entity_type": "WABA", "id": "5103", "can_send_message": "LIMITED", "errors": both});

    world.platform.say("5103", health(&limited));
    let found = problems(&check_line(&world, &line).await);

    assert_eq!(found.len(), 2, "{found:#?}");
    let payment = "The account cannot pay for messages: So (code 141006).";
    assert_fields(&found[0], &json!({"check": "account_payment", "status": "WARNING", "message": payment}));
    let health = "WABA 5103 can send messages only with limits: So (code 141010).";
    let expected = json!({"check": "account_health", "status": "WARNING", "message": health, "remedy": "Verify."});
    assert_fields(&found[1], &expected);
}
