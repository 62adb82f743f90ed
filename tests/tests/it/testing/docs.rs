//! docs/test-mode.md lists what the code knows.

use std::collections::BTreeSet;

use carrier::SimulatedRecipient as SmsRecipient;
use domain::ErrorCode;
use domain::testing::simulated_recipient::SimulatedRecipient;
use serde_json::Value;
use tests::request::text;
use tests::{Call, Service as _, World};

const PAGE: &str = include_str!("../../../../docs/test-mode.md");

/// The part of the page below a heading.
fn section(heading: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(&format!("\n## {heading}\n")).unwrap();
    rest.split("\n## ").next().unwrap()
}

/// The names in backticks in the first column of a section's tables.
fn first_column(section: &'static str) -> BTreeSet<&'static str> {
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn the_page_has_every_type_of_simulated_messages() {
    let document = contract::document();
    let operation = &document["paths"]["/v1/playground/chat/inbound"]["post"];
    let schema = operation.pointer("/requestBody/content/application~1json/schema/$ref").unwrap().as_str().unwrap();
    let fields = document.pointer(&format!("{}/properties", &schema[1..])).unwrap().as_object().unwrap();
    let types = &document["components"]["schemas"]["PlaygroundMessageType"]["enum"];
    let types: BTreeSet<&str> = types.as_array().unwrap().iter().filter_map(|kind| kind.as_str()).collect();
    let mut expected: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
    assert!(expected.remove("from"));
    expected.extend(types);
    let listed = first_column(section("Messages of simulated users"));
    assert_eq!(listed, expected);
}

#[test]
fn the_page_has_every_recipient_that_decides() {
    let listed = first_column(section("Messages to simulated users"));
    for number in (0..10_000).map(|n| format!("+9993{n:04}")) {
        let decides = SimulatedRecipient::of(&number.parse().unwrap()) != SimulatedRecipient::Ordinary;
        assert_eq!(listed.contains(number.as_str()), decides, "{number}");
    }
    let prefixes: BTreeSet<&str> = listed.into_iter().filter(|name| name.len() == 5).collect();
    assert_eq!(prefixes, BTreeSet::from(["+9991", "+9992"]));
}

/// Each recipient has its row, with what the carrier responds or reports.
#[test]
fn the_page_has_every_recipient_that_decides_about_sms() {
    let rows = section("SMS messages to simulated users");
    let listed = first_column(rows);
    for number in (0..10_000).map(|n| format!("+9994{n:04}")) {
        let recipient = SmsRecipient::of(&number.parse().unwrap());
        assert_eq!(listed.contains(number.as_str()), recipient != SmsRecipient::Ordinary, "{number}");
        let named = match recipient {
            SmsRecipient::Refused { exception, reason } => format!("`{exception}: {reason}`"),
            SmsRecipient::Reported { result, .. } => format!("`{result}`"),
            _ => continue,
        };
        let row = rows.lines().find(|line| line.contains(&number)).unwrap();
        let code = match recipient {
            SmsRecipient::Refused { reason, .. } => {
                domain::sms::carrier_error::of_reason(reason).unwrap_or(ErrorCode::CarrierApiError)
            }
            SmsRecipient::Reported { result: "UNKNOWN", .. } => continue,
            SmsRecipient::Reported { result, .. } => domain::sms::carrier_error::of_result(result),
            _ => continue,
        };
        assert!(row.contains(&named) && row.contains(&format!("`{code}`")), "{row}");
    }
    assert!(
        section("SMS messages of simulated users")
            .contains(&format!("an app can have {}", domain::testing::playground::MOST_SYSTEM_NUMBERS))
    );
}

/// The rows of the table are those of `GET /v1/playground/scenarios`.
#[tokio::test]
async fn the_page_has_every_scenario() {
    let world = World::new().await;
    let listed = Call::get("/v1/playground/scenarios").key(&world.org.test_app_key);
    let listed = world.send(listed).await.expect(200);
    let row = |scenario: &Value| {
        let events = scenario["events"].as_array().unwrap().iter().filter_map(Value::as_str);
        let events = events.map(|event| format!("`{event}`")).collect::<Vec<_>>().join(", ");
        let events = if events.is_empty() { "none" } else { &events };
        let [name, target, description] = ["name", "target", "description"].map(|field| text(scenario, field));
        format!("| `{name}` | {target} | {description} | {events} |")
    };
    let rows: Vec<String> = listed["data"].as_array().unwrap().iter().map(row).collect();
    let (_, table) = section("Scenarios").split_once("|---|---|---|---|\n").unwrap();
    let shown: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
    assert_eq!(shown, rows);
}

#[test]
fn the_page_knows_how_many_codes_there_are() {
    assert!(section("Errors on demand").contains(&format!("one of the {} [codes]", ErrorCode::ALL.len())));
}
