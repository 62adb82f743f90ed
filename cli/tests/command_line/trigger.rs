//! Scenarios of the playground.

use serde_json::Value;

use crate::kit::User;

#[test]
#[ignore = "needs the local stack"]
fn a_scenario_runs_to_its_end() {
    let (user, _) = User::with_app("Scenarios");
    assert!(user.text(&["trigger"]).contains("contact_renamed"));
    let done = user.json(&["trigger", "contact_renamed"]);
    assert_eq!(done["status"], "COMPLETED", "{done}");
    let caused = |simulation: &Value, event: &str| {
        simulation["steps"].as_array().unwrap().iter().any(|step| step["event"] == event && step["eventId"].is_string())
    };
    assert!(caused(&done, "contacts.chat.updated"), "{done}");

    // An event's name runs a scenario that causes it.
    let failed = user.json(&["trigger", "messages.chat.failed"]);
    assert!(failed["scenario"] == "message_failed" && caused(&failed, "messages.chat.failed"), "{failed}");
    assert!(user.fails(4, &["trigger", "contact_renamed", "--to", "+12015550199"]).contains("target"));
    assert!(user.fails(2, &["trigger", "calls.started"]).contains("messaging trigger"));
    assert!(user.fails(4, &["trigger", "nothing_happens"]).contains("scenario must be one of"));
}
