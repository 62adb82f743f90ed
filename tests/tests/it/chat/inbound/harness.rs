//! Sends the cases of a table in a few notifications, and compares what became of each.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::chat::platform_words::explanation;
use serde_json::{Map, Value, json};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::standin::{APP_SECRET, signature};
use tests::{Call, World};

const PATH: &str = "/v1/platform/notifications";
/// The cases of one notification.
const CASES: usize = 20;

/// A case of a table: its name, the value of the field `messages` without its frame, the expected message, and the names of its
/// events without `messages.chat.`.
///
/// `$ID`, `$FROM`, `$USER` and `$OWN` stand for a message's id, its sender's number and user id, and the digits of the own number,
/// `$UNDELIVERABLE` and its like for the texts of the platform's codes.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) value: String,
    pub(crate) expected: Value,
    pub(crate) events: Vec<&'static str>,
}

/// A message from Ann. Of fields with the same name the last one counts, so the message can replace those that come first.
pub(crate) fn inbound(name: &'static str, message: &str, expected: &str) -> Case {
    let contact = r#"{"profile": {"name": "Ann"}, "wa_id": "$FROM", "user_id": "$USER"}"#;
    let message = format!(r#"{{"id": "$ID", "from": "$FROM", "timestamp": "2000000000", {message}}}"#);
    received(name, &format!(r#""contacts": [{contact}], "messages": [{message}]"#), expected)
}

/// A value that becomes one inbound message, from Ann unless `expected` says otherwise.
pub(crate) fn received(name: &'static str, value: &str, expected: &str) -> Case {
    let base = json!({
        "direction": "INBOUND", "fromPhoneNumber": "+$FROM", "toPhoneNumber": "+$OWN", "fromUserId": "$USER", "contactName": "Ann",
        "isForwarded": false, "isFrequentlyForwarded": false, "hasReferral": false, "providerMessageId": "$ID", "sentAt": "2033-05-18T03:33:20.000Z",
        "recipients": [],
    });
    Case { name, value: value.to_owned(), expected: replaced(base, expected), events: vec!["received"] }
}

/// Statuses of one message that is not known otherwise.
pub(crate) fn outbound(name: &'static str, statuses: &str, expected: &str, events: &[&'static str]) -> Case {
    let base = json!({
        "direction": "OUTBOUND", "type": "unknown", "fromPhoneNumber": "+$OWN", "isForwarded": false,
        "isFrequentlyForwarded": false, "hasReferral": false, "providerMessageId": "$ID",
    });
    let value = format!(r#""statuses": {statuses}"#);
    Case { name, value, expected: replaced(base, expected), events: events.to_vec() }
}

/// Replaces members of `base`; `null` removes one.
fn replaced(mut base: Value, with: &str) -> Value {
    let with: Map<String, Value> = serde_json::from_str(with).unwrap_or_else(|error| panic!("{error}: {with}"));
    for (name, value) in with {
        match value {
            Value::Null => base.as_object_mut().unwrap().remove(&name),
            value => base.as_object_mut().unwrap().insert(name, value),
        };
    }
    base
}

/// Removes what differs between two runs.
fn comparable(message: &Value) -> Value {
    let mut message = message.clone();
    let strip = |object: &mut Value, names: &[&str]| {
        if let Some(object) = object.as_object_mut() {
            for name in names {
                object.remove(*name);
            }
        }
    };
    strip(&mut message, &["id", "createdAt", "updatedAt", "chatPhoneNumberId", "displayPhoneNumber"]);
    for part in ["referral", "order"] {
        if message.get(part).is_some() {
            strip(&mut message[part], &["id", "createdAt"]);
        }
    }
    if message.get("conversationWindow").is_some() {
        strip(&mut message["conversationWindow"], &["createdAt"]);
        if message["conversationWindow"]["id"].as_str().is_some_and(|id| id.starts_with("msg_wa_")) {
            strip(&mut message["conversationWindow"], &["id"]);
        }
    }
    let lists = [("/order/items", &["id"][..]), ("/recipients", &["createdAt", "updatedAt"])];
    for (list, names) in lists {
        for element in message.pointer_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            strip(element, names);
            if element["id"].as_str().is_some_and(|id| id.ends_with("_recipient")) {
                strip(element, &["id"]);
            }
        }
    }
    message
}

/// Posts a notification as it is written. It is not validated against the API's document, whose parser does not read all of them.
pub(crate) async fn post(world: &World, body: String) -> Value {
    let signed = signature(APP_SECRET, body.as_bytes());
    let call = Call::post(PATH).header("x-hub-signature-256", &signed).bytes(body.into_bytes());
    world.send_undocumented(call).await.expect(200)
}

/// The JSON of a notification whose entries have these values of a field.
pub(crate) fn notification(line: &Line, field: &str, values: &[String]) -> String {
    let changes: Vec<String> = values
        .iter()
        .map(|value| {
            let metadata = json!({"display_phone_number": line.display, "phone_number_id": line.platform_number});
            let value = format!(r#"{{"messaging_product": "whatsapp", "metadata": {metadata}, {value}}}"#);
            format!(r#"{{"field": "{field}", "value": {value}}}"#)
        })
        .collect();
    let changes = changes.join(",");
    format!(
        r#"{{"object": "whatsapp_business_account", "entry": [{{"id": "{}", "changes": [{changes}]}}]}}"#,
        line.account
    )
}

pub(crate) fn filled(text: &str, n: usize, line: &Line) -> String {
    text.replace("$ID", &format!("wamid.{n}."))
        .replace("$FROM", &format!("1650555{n:04}"))
        .replace("$USER", &format!("US.{n}"))
        .replace("$OWN", &line.display)
        .replace("$UNDELIVERABLE", explanation(131_026))
        .replace("$UNSUPPORTED", explanation(131_051))
        .replace("$PLATFORM_ERROR", explanation(131_000))
        .replace("$OTHER_ERROR", explanation(501))
}

/// The messages of a number by their ids at the platform, as the API shows them, each with its events.
pub(crate) async fn stored(world: &World, line: &Line) -> BTreeMap<String, (Value, Vec<(String, Value)>)> {
    let items = world.account.items().await;
    let mut events: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
    for item in items.iter().filter(|item| item["PK"].starts_with("EVT#")) {
        let data: Value = serde_json::from_str(&item["data"]).unwrap();
        events.entry(text(&data, "id")).or_default().push((item["type"].clone(), data));
    }
    let mut stored = BTreeMap::new();
    for item in items.iter().filter(|item| item["PK"].starts_with("MSG#") && item["SK"] == "MSG") {
        let details = line.details(world, &item["id"]).await;
        let events = events.remove(&item["id"]).unwrap_or_default();
        stored.insert(item["providerMessageId"].clone(), (details, events));
    }
    stored
}

/// Sends all cases and compares each message and its events with what is expected. Then sends them again in reverse
/// order, which must change nothing.
pub(crate) async fn expect_all(account: &str, cases: Vec<Case>) {
    let world = World::new().await;
    let line = connect(&world, &world.org, account).await;
    let values: Vec<String> = cases.iter().enumerate().map(|(n, case)| filled(&case.value, n, &line)).collect();
    for values in values.chunks(CASES) {
        let reply = post(&world, notification(&line, "messages", values)).await;
        assert_eq!(reply["ignored"], 0);
    }
    world.work_off().await;
    let messages = stored(&world, &line).await;
    let mut wrong = Vec::new();
    for (n, case) in cases.iter().enumerate() {
        let own = messages.get(&format!("wamid.{n}."));
        let Some((details, events)) = own else {
            wrong.push(format!("{}: is not stored", case.name));
            continue;
        };
        let expected: Value = serde_json::from_str(&filled(&case.expected.to_string(), n, &line)).unwrap();
        let shown = comparable(details);
        if shown != expected {
            wrong.push(format!("{}: differs\n  shown    {shown}\n  expected {expected}", case.name));
        }
        let mut names: Vec<&str> = events.iter().map(|(name, _)| name.trim_start_matches("messages.chat.")).collect();
        names.sort_unstable();
        let mut expected = case.events.clone();
        expected.sort_unstable();
        if names != expected {
            wrong.push(format!("{}: has the events {names:?}, not {expected:?}", case.name));
        }
        // The last event shows the message as it is.
        if !events.is_empty() && events.iter().all(|(_, data)| data != details) {
            wrong.push(format!("{}: no event shows the message: {events:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(world.dead_letters().await.is_empty());

    // Again, in the reverse order.
    let before = world.account.items().await;
    world.clock.advance(Duration::from_secs(1));
    let reversed: Vec<String> = values.iter().rev().cloned().collect();
    for values in reversed.chunks(CASES) {
        post(&world, notification(&line, "messages", values)).await;
    }
    world.work_off().await;
    let after = world.account.items().await;
    for (after, before) in after.iter().zip(&before) {
        assert_eq!(after, before, "repetitions change something");
    }
    assert_eq!(after.len(), before.len());
}
