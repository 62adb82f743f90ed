//! Property tests: every accepted request gives a body within the platform's documented limits, and survives storage.

use domain::ErrorKind;
use domain::chat::outgoing::Outgoing;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bodies::rows;
use crate::kit::{body, read};

/// Values that replace a value of a request: of every type, at and around the limits.
fn replacements() -> impl Strategy<Value = Value> {
    let lengths = prop::sample::select(vec![0_usize, 1, 15, 16, 20, 21, 24, 25, 30, 31, 60, 61, 72, 73, 255, 256, 257]);
    let long = prop::sample::select(vec![512_usize, 513, 1024, 1025, 2048, 2049, 4096, 4097]);
    let characters = prop::sample::select(vec!["a", "é", " ", "\n", "\u{0}", "👍", "\u{200b}", "{{1}}", "#"]);
    prop_oneof![
        (lengths, characters.clone()).prop_map(|(length, character)| json!(character.repeat(length))),
        (long, characters).prop_map(|(length, character)| json!(character.repeat(length))),
        any::<i64>().prop_map(|number| json!(number)),
        // serde_json does not always read back the last of seventeen digits.
        (-800..800_i32).prop_map(|number| json!(f64::from(number) / 4.0)),
        any::<bool>().prop_map(|value| json!(value)),
        Just(json!({})),
        Just(json!([])),
        Just(json!(["a"])),
        Just(json!("https://example.com/a.mp4")),
        Just(json!(0)),
    ]
}

/// Returns the paths of all values in a request.
fn paths(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                paths(value, &path, found);
                found.push(path);
            }
        }
        Value::Array(entries) => {
            for (index, value) in entries.iter().enumerate() {
                let path = format!("{at}/{index}");
                paths(value, &path, found);
                found.push(path);
            }
        }
        _ => {}
    }
}

/// Repeats an entry of an array, so that counts and uniqueness are tested too.
fn repeat(request: &mut Value, path: &str, times: usize) {
    if let Some(Value::Array(entries)) = request.pointer_mut(path)
        && let Some(first) = entries.first().cloned()
    {
        entries.extend((0..times).map(|_| first.clone()));
    }
}

fn length(value: &Value) -> usize {
    value.as_str().unwrap().chars().count()
}

fn within(value: &Value, most: usize) {
    assert!(value.is_null() || (1..=most).contains(&length(value)), "{value} is not within {most}");
}

/// Asserts the platform's documented limits of a body, independently of the code that validates.
fn expect_limits(body: &serde_json::Map<String, Value>) {
    let kind = body["type"].as_str().unwrap();
    let object = &body[kind];
    assert!(body.contains_key("to") != body.contains_key("recipient"));
    assert!(!body.contains_key("biz_opaque_callback_data"));
    match kind {
        "text" => within(&object["body"], 4096),
        "image" | "video" | "document" | "audio" | "sticker" => {
            let link = object["link"].as_str().unwrap();
            assert!(link.starts_with("https://") && object.get("id").is_none());
            within(&object["caption"], 1024);
            assert!(object["caption"].is_null() || !matches!(kind, "audio" | "sticker"));
        }
        "location" => {
            let degrees = |name: &str| object[name].as_str().unwrap().parse::<f64>().unwrap().abs();
            assert!(degrees("latitude") <= 90.0 && degrees("longitude") <= 180.0);
        }
        "contacts" => {
            for card in object.as_array().unwrap() {
                assert!(length(&card["name"]["formatted_name"]) > 0);
            }
        }
        "reaction" => {
            assert!(object["message_id"].is_string() && length(&object["emoji"]) <= 32);
            assert!(!body.contains_key("context"));
        }
        "pin" => {
            assert_eq!(body["recipient_type"], "group");
            let days = &object["expiration_days"];
            assert!(days.is_null() || (1..=30).contains(&days.as_i64().unwrap()));
        }
        "interactive" => expect_interactive(object),
        "template" => expect_template(object),
        _ => {}
    }
}

fn expect_interactive(object: &Value) {
    let action = &object["action"];
    let kind = object["type"].as_str().unwrap();
    within(&object["body"]["text"], if kind == "list" { 4096 } else { 1024 });
    within(&object["header"]["text"], 60);
    within(&object["footer"]["text"], 60);
    match kind {
        "button" => {
            let buttons = action["buttons"].as_array().unwrap();
            assert!((1..=3).contains(&buttons.len()));
            let mut ids: Vec<_> = buttons.iter().map(|button| button["reply"]["id"].as_str().unwrap()).collect();
            let mut titles: Vec<_> = buttons.iter().map(|button| button["reply"]["title"].as_str().unwrap()).collect();
            for button in buttons {
                within(&button["reply"]["id"], 256);
                within(&button["reply"]["title"], 20);
            }
            ids.sort_unstable();
            ids.dedup();
            titles.sort_unstable();
            titles.dedup();
            assert_eq!((ids.len(), titles.len()), (buttons.len(), buttons.len()));
        }
        "list" => {
            within(&action["button"], 20);
            let sections = action["sections"].as_array().unwrap();
            assert!((1..=10).contains(&sections.len()));
            let rows: Vec<&Value> = sections.iter().flat_map(|section| section["rows"].as_array().unwrap()).collect();
            assert!((1..=10).contains(&rows.len()));
            sections.iter().for_each(|section| within(&section["title"], 24));
            for row in rows {
                within(&row["id"], 200);
                within(&row["title"], 24);
                within(&row["description"], 72);
            }
        }
        "cta_url" => within(&action["parameters"]["display_text"], 20),
        "flow" => {
            let parameters = &action["parameters"];
            within(&parameters["flow_cta"], 30);
            assert!(parameters["flow_id"].is_string() != parameters["flow_name"].is_string());
        }
        _ => {}
    }
}

/// Asserts the limits of parameters that this API writes itself.
fn expect_parameters(object: &Value) {
    let components = || object["components"].as_array().into_iter().flatten();
    for card in components().filter_map(|component| component["cards"].as_array()) {
        assert!((2..=10).contains(&card.len()));
        for part in card.iter().flat_map(|card| card["components"].as_array().unwrap()) {
            let texts = part["parameters"].as_array().unwrap().iter();
            texts.filter(|_| part["type"] == "body").for_each(|parameter| within(&parameter["text"], 160));
        }
    }
    for action in components().map(|component| &component["parameters"][0]["action"]) {
        within(&action["thumbnail_product_retailer_id"], 100);
        let sections = action["sections"].as_array().map(Vec::as_slice).unwrap_or_default();
        assert!(sections.len() <= 10);
        let items = sections.iter().map(|section| section["product_items"].as_array().unwrap().len());
        assert!(items.sum::<usize>() <= 30);
        sections.iter().for_each(|section| within(&section["title"], 24));
    }
}

fn expect_template(object: &Value) {
    within(&object["name"], 512);
    assert!(object["language"]["code"].is_string());
    for component in object["components"].as_array().into_iter().flatten() {
        for parameter in component["parameters"].as_array().into_iter().flatten() {
            within(&parameter["coupon_code"], 15);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn accepted_requests_are_within_the_platforms_limits_and_survive_storage(
        row in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), replacements()), 0..3),
        repeated in any::<prop::sample::Index>(),
        times in 0..12_usize,
    ) {
        let rows = rows();
        let mut request = row.get(&rows).1["sent"].clone();
        let mut found = Vec::new();
        paths(&request, "", &mut found);
        repeat(&mut request, repeated.get::<String>(&found), times);
        for (path, value) in changes {
            let path = path.get::<String>(&found);
            if let Some(place) = request.pointer_mut(path).filter(|_| path != "/type") {
                *place = value;
            }
        }
        let mut fields = request.as_object().unwrap().clone();
        fields.insert("from".to_owned(), json!("+12015550123"));
        // A value of a wrong type is rejected before it gets here.
        if serde_json::from_value::<sending::messages::SendChatMessage>(Value::Object(fields)).is_err() {
            return Ok(());
        }
        let message = match read(&request) {
            Ok(sending) => sending.message,
            Err(failure) => {
                prop_assert_eq!(failure.kind(), ErrorKind::InvalidRequest);
                prop_assert!(failure.param().is_some());
                return Ok(());
            }
        };
        let body = body(&message);
        if request["type"] != "raw" {
            expect_limits(&body);
        }
        if request["type"] == "template" && request["template"]["components"].is_null() {
            expect_parameters(&body["template"]);
        }
        let stored = serde_json::to_vec(&message).unwrap();
        prop_assert_eq!(serde_json::from_slice::<Outgoing>(&stored).unwrap(), message);
    }
}
