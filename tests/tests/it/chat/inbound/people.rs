//! People: who a message is from, when two identities are one person, and when a person moves.

use serde_json::{Value, json};
use tests::World;
use tests::chat::{Line, connect, events};

use super::harness::{notification, post, stored};

/// The contacts of a number that are not removed. Each of its aliases leads to a contact.
async fn contacts(world: &World, line: &Line) -> Vec<Value> {
    let number = line.number.rsplit('_').next().unwrap();
    let mut items = world.account.items().await;
    items.retain(|item| item["PK"].starts_with("CONTACT#") && item["PK"].contains(number));
    let (aliases, records): (Vec<_>, Vec<_>) = items.into_iter().partition(|item| item.contains_key("sameAs"));
    for alias in &aliases {
        assert!(records.iter().any(|record| record["identity"] == alias["sameAs"]), "{alias:?} of {records:?}");
    }
    let shown = records.iter().filter(|record| !record.contains_key("removedAt")).map(|record| {
        let field = |name: &str| record.get(name).map_or(Value::Null, |text| json!(text));
        json!({"phoneNumber": field("phoneNumber"), "userId": field("userId"), "name": field("name"), "username": field("username")})
    });
    shown.collect()
}

/// A text message; `sender` has its fields and `profile` that of its contact.
fn message(n: usize, at: u32, sender: &str, contact: Option<&str>) -> String {
    let contacts = contact.map_or(String::new(), |contact| format!(r#""contacts": [{contact}], "#));
    format!(
        r#"{contacts}"messages": [{{"id": "wamid.{n}", "timestamp": "{at}", "type": "text", "text": {{"body": "x"}}, {sender}}}]"#
    )
}

fn system(n: usize, at: u32, sender: &str, system: &str) -> String {
    format!(
        r#""messages": [{{"id": "wamid.{n}", "timestamp": "{at}", "type": "system", "system": {{"body": "moved", {system}}}, {sender}}}]"#
    )
}

/// Each order of three updates about one person ends with one contact in the same state.
async fn expect_one(account: usize, updates: [String; 3], expected: &Value) {
    let world = World::new().await;
    for (n, order) in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].into_iter().enumerate() {
        let line = connect(&world, &world.org, &format!("{}", account + n)).await;
        for at in order.into_iter().chain([0, 1, 2]) {
            post(&world, notification(&line, "messages", &[updates[at].clone()])).await;
        }
        let mut known = contacts(&world, &line).await;
        assert_eq!(known.len(), 1, "{order:?}: {known:?}");
        assert_eq!(known.remove(0), *expected, "{order:?}");
    }
    assert!(world.dead_letters().await.is_empty());
}

#[tokio::test]
async fn a_person_who_changes_the_number_stays_one_contact() {
    let updates = [
        message(
            0,
            2_000_000_000,
            r#""from": "16505550001""#,
            Some(r#"{"profile": {"name": "Ann"}, "wa_id": "16505550001"}"#),
        ),
        system(
            1,
            2_000_000_100,
            r#""from": "16505550001""#,
            r#""type": "user_changed_number", "wa_id": "16505550002""#,
        ),
        message(
            2,
            2_000_000_200,
            r#""from": "16505550002""#,
            Some(r#"{"profile": {"name": "Ann"}, "wa_id": "16505550002"}"#),
        ),
    ];
    expect_one(2200, updates, &json!({"phoneNumber": "+16505550002", "userId": null, "name": "Ann", "username": null}))
        .await;
}

#[tokio::test]
async fn a_person_who_changes_the_user_id_stays_one_contact() {
    let contact = |user: &str| format!(r#"{{"profile": {{"name": "Ann"}}, "user_id": "{user}"}}"#);
    let updates = [
        message(0, 2_000_000_000, r#""from_user_id": "US.1""#, Some(&contact("US.1"))),
        system(1, 2_000_000_100, r#""from_user_id": "US.1""#, r#""type": "user_changed_user_id", "user_id": "US.2""#),
        message(2, 2_000_000_200, r#""from_user_id": "US.2""#, Some(&contact("US.2"))),
    ];
    expect_one(2210, updates, &json!({"phoneNumber": null, "userId": "US.2", "name": "Ann", "username": null})).await;
}

/// The field for changed user ids can report a change before the first message, which then names the previous id or the
/// current one. A change makes nobody a contact.
#[tokio::test]
async fn a_changed_user_id_may_come_before_the_first_message() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2224").await;
    let changed = |n: usize, previous: &str, current: &str| {
        let ids = format!(r#""user_id": {{"previous": "{previous}", "current": "{current}"}}"#);
        let update = format!(
            r#""user_id_update": [{{"wa_id": "1650555010{n}", {ids}, "timestamp": "2000000{previous}00"}}]"#,
            previous = &previous[previous.len() - 1..]
        );
        notification(&line, "user_id_update", &[update])
    };
    for (n, first_named) in ["1", "2", "3"].into_iter().enumerate() {
        let id = |version: &str| format!("US.{n}.{version}");
        post(&world, changed(n, &id("1"), &id("2"))).await;
        post(&world, changed(n, &id("2"), &id("3"))).await;
        assert_eq!(contacts(&world, &line).await.len(), n, "a change makes nobody a contact");
        let user = id(first_named);
        let contact = format!(r#"{{"profile": {{"name": "Ann {n}"}}, "user_id": "{user}"}}"#);
        let sender = format!(r#""from_user_id": "{user}""#);
        post(&world, notification(&line, "messages", &[message(n, 2_000_000_050, &sender, Some(&contact))])).await;
        let known = contacts(&world, &line).await;
        let own: Vec<_> = known.iter().filter(|contact| contact["name"] == format!("Ann {n}")).collect();
        let expected = json!({"phoneNumber": format!("+1650555010{n}"), "userId": id("3"), "name": format!("Ann {n}"), "username": null});
        assert_eq!((known.len(), own), (n + 1, vec![&expected]), "{first_named}");
    }
    assert_eq!(events(&world, &world.org, "contacts.chat.created").await.len(), 3);
    assert_eq!(events(&world, &world.org, "contacts.chat.updated").await.len(), 0);
}

/// Of several numbers of one person the latest counts, in whatever order the messages arrive.
#[tokio::test]
async fn the_latest_number_counts() {
    let updates = [0, 1, 2].map(|n| {
        let number = format!("1650555000{n}");
        message(
            n,
            2_000_000_000 + 100 * u32::try_from(n).unwrap(),
            &format!(r#""from": "{number}", "from_user_id": "US.1""#),
            Some(&format!(r#"{{"profile": {{"name": "Ann"}}, "wa_id": "{number}", "user_id": "US.1"}}"#)),
        )
    });
    let expected = json!({"phoneNumber": "+16505550002", "userId": "US.1", "name": "Ann", "username": null});
    expect_one(2240, updates, &expected).await;
}

/// The forms in which the platform and its older versions report a move.
#[tokio::test]
async fn a_move_is_read_in_each_form() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2220").await;
    let forms = [
        r#""type": "user_changed_number", "wa_id": "$NEW""#,
        r#""type": "user_changed_number", "new_wa_id": "$NEW""#,
        r#""type": "customer_changed_number", "new_wa_id": "$NEW", "wa_id": "$OLD""#,
        r#""type": "customer_changed_number", "wa_id": $NEW, "customer": "$OLD""#,
        r#""type": "user_changed_number", "wa_id": "$NEW", "user_id": "US.new.$OLD""#,
    ];
    for (n, form) in forms.iter().enumerate() {
        let (old, new) = (format!("1650555{:04}", 100 + n), format!("1650555{:04}", 200 + n));
        let contact = format!(r#"{{"profile": {{"name": "Ann {n}", "username": "ann.{n}"}}, "wa_id": "{old}"}}"#);
        let first = message(2 * n, 2_000_000_000, &format!(r#""from": "{old}""#), Some(&contact));
        let form = form.replace("$NEW", &new).replace("$OLD", &old);
        let moved = system(2 * n + 1, 2_000_000_100, &format!(r#""from": "{old}""#), &form);
        post(&world, notification(&line, "messages", &[first])).await;
        post(&world, notification(&line, "messages", &[moved])).await;
        let updated = events(&world, &world.org, "contacts.chat.updated").await;
        let own = updated.iter().find(|contact| contact["phoneNumber"] == format!("+{new}"));
        let own = own.unwrap_or_else(|| panic!("{form}: {updated:?}"));
        assert_eq!((&own["name"], &own["username"]), (&json!(format!("Ann {n}")), &json!(format!("ann.{n}"))));
    }
    assert_eq!(events(&world, &world.org, "contacts.chat.created").await.len(), forms.len());
    assert_eq!(contacts(&world, &line).await.len(), forms.len());
    // A message that was sent before the move and comes late does not bring the old number back.
    let late = message(
        90,
        2_000_000_050,
        r#""from": "16505550100""#,
        Some(r#"{"profile": {"name": "Ann 0"}, "wa_id": "16505550100"}"#),
    );
    post(&world, notification(&line, "messages", &[late])).await;
    let known = contacts(&world, &line).await;
    assert!(known.iter().any(|contact| contact["phoneNumber"] == "+16505550200"), "{known:?}");
    // The field for changed user ids moves a contact too.
    let update = r#""user_id_update": [{"wa_id": "16505550204", "detail": "d", "user_id": {"previous": "US.new.16505550104", "current": "US.newest"}, "timestamp": "2000000300"}]"#;
    post(&world, notification(&line, "user_id_update", &[update.to_owned()])).await;
    assert!(contacts(&world, &line).await.iter().any(|contact| contact["userId"] == "US.newest"));
    assert_eq!(contacts(&world, &line).await.len(), forms.len());
}

/// A person whose messages are tied to one contact, however each of them names the person.
#[tokio::test]
async fn a_person_has_one_contact_however_messages_name_them() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2221").await;
    let status = r#""statuses": [{"id": "wamid.9", "status": "sent", "timestamp": "2000000002", "recipient_id": "16505550001", "recipient_user_id": "US.1"}]"#;
    let updates = [
        // By number; a status then names the user id too, and after that messages come without the number.
        message(
            0,
            2_000_000_000,
            r#""from": "16505550001""#,
            Some(r#"{"profile": {"name": "Ann"}, "wa_id": "16505550001"}"#),
        ),
        status.to_owned(),
        message(
            1,
            2_000_000_003,
            r#""from_user_id": "US.1""#,
            Some(r#"{"profile": {"name": "Ann", "username": "ann"}, "user_id": "US.1"}"#),
        ),
        // The platform's id of the number differs from the number, as for old Brazilian numbers.
        message(
            2,
            2_000_000_004,
            r#""from": "5511987654321""#,
            Some(r#"{"profile": {"name": "Bia"}, "wa_id": "551187654321"}"#),
        ),
        message(
            3,
            2_000_000_005,
            r#""from": "551187654321""#,
            Some(r#"{"profile": {"name": "Bia"}, "wa_id": "551187654321"}"#),
        ),
    ];
    for update in &updates {
        post(&world, notification(&line, "messages", std::slice::from_ref(update))).await;
    }
    let mut known = contacts(&world, &line).await;
    known.sort_by_key(|contact| contact["name"].to_string());
    assert_eq!(known.len(), 2, "{known:?}");
    assert_eq!(known[0], json!({"phoneNumber": "+16505550001", "userId": "US.1", "name": "Ann", "username": "ann"}));
    assert_eq!(known[1]["name"], "Bia");
    let messages = stored(&world, &line).await;
    assert_eq!(
        (&messages["wamid.1"].0["fromUserId"], messages["wamid.1"].0.get("fromPhoneNumber")),
        (&json!("US.1"), None)
    );
    assert_eq!(messages["wamid.2"].0["fromPhoneNumber"], "+5511987654321");
    let told = async |name: &str| events(&world, &world.org, &format!("contacts.chat.{name}")).await.len();
    assert_eq!((told("created").await, told("updated").await, told("deleted").await), (2, 1, 0));
}

/// Several senders in one value with one contact: the contact is the one whom it names. If it names none of them, it is
/// nobody's.
#[tokio::test]
async fn the_only_contact_is_not_another_sender() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2222").await;
    let one = |n: usize, from: &str| {
        format!(
            r#"{{"id": "wamid.{n}", "from": "{from}", "timestamp": "2000000000", "type": "text", "text": {{"body": "x"}}}}"#
        )
    };
    let value = format!(
        r#""contacts": [{{"profile": {{"name": "Ann"}}, "wa_id": "16505550001"}}], "messages": [{}, {}]"#,
        one(1, "16505550001"),
        one(2, "16505550002")
    );
    post(&world, notification(&line, "messages", &[value])).await;
    let messages = stored(&world, &line).await;
    assert_eq!(
        (messages["wamid.1"].0["contactName"].as_str(), messages["wamid.2"].0.get("contactName")),
        (Some("Ann"), None)
    );
    assert_eq!(contacts(&world, &line).await.len(), 2);
    let value = format!(
        r#""contacts": [{{"profile": {{"name": "Eve"}}, "wa_id": "16505550009"}}], "messages": [{}, {}, {}]"#,
        one(3, "16505550003"),
        one(4, "16505550004"),
        one(5, "16505550003")
    );
    post(&world, notification(&line, "messages", &[value])).await;
    let messages = stored(&world, &line).await;
    for (id, from) in [("wamid.3", "+16505550003"), ("wamid.4", "+16505550004"), ("wamid.5", "+16505550003")] {
        let message = &messages[id].0;
        assert_eq!((message.get("contactName"), &message["fromPhoneNumber"]), (None, &json!(from)), "{id}");
    }
    assert_eq!(contacts(&world, &line).await.len(), 4, "Eve has written nothing");
}
