//! Contacts: messages and the business app tell their names, numbers and user ids, in any order; and people choose
//! whether they get marketing messages.

use serde_json::{Value, json};
use tests::World;
use tests::chat::{Line, connect, events};

use super::{SENT, events_named, message_from_ann};
use crate::chat::{assert_fields, merged};

/// A person, as a message names them: by a number, by a user id, or by both.
struct Person(&'static str, Option<&'static str>, Option<&'static str>);

impl Person {
    /// A message of the person, this many seconds after `SENT`.
    fn message(&self, line: &Line, id: &str, seconds: i64) -> Value {
        let Person(name, number, user_id) = self;
        let contact = json!({"profile": {"name": name}, "wa_id": number, "user_id": user_id});
        let sender = json!({"from": number, "from_user_id": user_id, "timestamp": (SENT + seconds).to_string()});
        let message = merged(message_from_ann(id, "x"), &sender);
        line.about("messages", &json!({"contacts": [contact], "messages": [message]}))
    }
}

/// Contacts are identified by number, by user id, or by both. Merging and splitting contacts loses no data.
#[tokio::test]
async fn contacts_under_several_names() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "724").await;
    let mut count = 0;
    let mut write = async |person: Person| {
        count += 1;
        let mut told = person.message(&line, &format!("wamid.{count}"), count);
        // A number that is not known can also be an empty text.
        told["entry"][0]["changes"][0]["value"]["contacts"][0]["wa_id"] = json!(person.1.unwrap_or(""));
        world.notify(&told).await.expect(200);
        assert_eq!(line.messages(&world).await.len() as i64, count, "every message is stored");
    };
    let told = async || events_named(&world, "contacts.chat", ["created", "updated", "deleted"]).await;
    let (first, second) = (Some("16505551234"), Some("16505550000"));

    // By number, by user id, then by both: one of the two contacts is removed.
    write(Person("Ann", first, None)).await;
    write(Person("Ann", None, Some("US.1"))).await;
    assert_eq!(told().await[0], 2);
    write(Person("Ann", first, Some("US.1"))).await;
    write(Person("Ann", first, None)).await;
    let [created, _, deleted] = told().await;
    assert_eq!((created, deleted), (2, 1));

    // The number gets a new owner, who is another contact.
    write(Person("Bob", first, Some("US.2"))).await;
    let [created, updated, _] = told().await;
    assert_eq!((created, updated), (3, 0));
    write(Person("Ann", None, Some("US.1"))).await;
    write(Person("Bob", first, None)).await;
    assert_eq!(told().await, [3, 0, 1]);

    // First a number with a user id, then the same number with another user id.
    write(Person("Cid", second, None)).await;
    write(Person("Cid", second, Some("US.3"))).await;
    write(Person("Dan", second, Some("US.4"))).await;
    write(Person("Cid", None, Some("US.3"))).await;
    let [created, updated, _] = told().await;
    assert_eq!((created, updated), (5, 0));
}

#[tokio::test]
async fn contacts_come_change_and_go() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "712").await;
    let told = async |kind: &str| events(&world, &world.org, &format!("contacts.chat.{kind}")).await;
    let number = Some("16505551234");

    // By number, then by number and user id, then by user id alone: one contact. An older name arrives late.
    for (n, (person, seconds)) in [
        (Person("Ann", number, None), 0),
        (Person("Ann", number, Some("US.1")), 1),
        (Person("Anna", None, Some("US.1")), 2),
        (Person("Old Ann", number, None), 1_799_999_999 - SENT),
    ]
    .into_iter()
    .enumerate()
    {
        world.notify(&person.message(&line, &format!("wamid.{}", n + 1), seconds)).await.expect(200);
    }
    let (created, updated) = (told("created").await, told("updated").await);
    assert_eq!((created.len(), updated.len()), (1, 1));
    assert_fields(&created[0], &json!({"name": "Ann", "phoneNumber": "+16505551234"}));
    assert_fields(&updated[0], &json!({"name": "Anna", "userId": "US.1", "id": created[0]["id"]}));
    let unnumbered = line.messages(&world).await.into_iter().find(|message| message.get("fromPhoneNumber").is_none());
    assert!(unnumbered.is_some(), "a user without a number is nobody's number");

    // Contacts of the business app.
    let sync = async |action: &str, seconds: i64| {
        let contact = json!({"full_name": "Anna B.", "phone_number": "16505551234"});
        let metadata = json!({"timestamp": SENT + seconds});
        let entry = json!({"type": "contact", "action": action, "contact": contact, "metadata": metadata});
        world.notify(&line.about("smb_app_state_sync", &json!({"state_sync": [entry]}))).await.expect(200);
    };
    sync("remove", 10).await;
    sync("add", 9).await;
    assert_eq!(told("deleted").await.len(), 1);
    assert_eq!(told("created").await.len(), 1, "what was told before the removal is old");

    sync("add", 11).await;
    let created = told("created").await;
    assert_eq!(created.len(), 2);
    assert!(created.iter().any(|contact| contact["name"] == "Anna B."));
}

/// A notification of a choice about marketing messages, this many seconds after `SENT`.
fn choice(line: &Line, person: &Value, value: &str, seconds: i64) -> Value {
    let words = json!({"detail": "x", "category": "marketing_messages", "value": value, "timestamp": SENT + seconds});
    line.about("user_preferences", &json!({"user_preferences": [merged(person.clone(), &words)]}))
}

/// The latest choice of a person counts, whatever the order of the notifications and however often they come.
#[tokio::test]
async fn the_latest_choice_about_marketing_messages_counts() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "713").await;
    let ann = json!({"wa_id": "16505551234"});
    let number = Some("16505551234");
    world.notify(&Person("Ann", number, Some("US.1")).message(&line, "wamid.1", 0)).await.expect(200);

    // Named by number, and by user id. The last ones are late or repeated.
    let by_id = json!({"user_id": "US.1"});
    for (person, value, seconds) in
        [(&ann, "stop", 10), (&by_id, "resume", 30), (&ann, "stop", 20), (&ann, "stop", 10), (&by_id, "resume", 30)]
    {
        world.notify(&choice(&line, person, value, seconds)).await.expect(200);
    }
    let updated = events(&world, &world.org, "contacts.chat.updated").await;
    let choices: Vec<&Value> = updated.iter().map(|contact| &contact["marketingOptOut"]).collect();
    assert_eq!(choices.len(), 2, "{choices:?}");
    for (is_out, since) in [(true, "2033-05-18T03:33:30.000Z"), (false, "2033-05-18T03:33:50.000Z")] {
        assert!(choices.contains(&&json!({"optedOut": is_out, "since": since})), "{choices:?}");
    }

    // Messages do not change it, and it is in every later event of the contact.
    world.notify(&Person("Anna", number, Some("US.1")).message(&line, "wamid.2", 40)).await.expect(200);
    let renamed = events(&world, &world.org, "contacts.chat.updated").await;
    let renamed = renamed.iter().find(|contact| contact["name"] == "Anna").unwrap();
    assert_eq!(renamed["marketingOptOut"]["optedOut"], false);

    // A choice that is not known changes nothing.
    for unknown in [choice(&line, &ann, "pause", 50), choice(&line, &json!({}), "stop", 50)] {
        world.notify(&unknown).await.expect(200);
    }
    assert_eq!(events(&world, &world.org, "contacts.chat.updated").await.len(), 3);
}

/// People who have never written can stop marketing messages, of one number and of one organization.
#[tokio::test]
async fn a_person_who_never_wrote_becomes_a_contact_by_their_choice() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "714").await;
    let stranger = world.organization("Stranger").await;
    let other = connect(&world, &stranger, "715").await;

    let mut stop = choice(&line, &json!({"wa_id": "16505551234", "user_id": "US.1"}), "stop", 10);
    stop["entry"][0]["changes"][0]["value"]["contacts"] =
        json!([{"profile": {"name": "Ann"}, "wa_id": "16505551234", "user_id": "US.1"}]);
    world.notify(&stop).await.expect(200);
    let created = events(&world, &world.org, "contacts.chat.created").await;
    assert_eq!(created.len(), 1);
    let choice_of_ann = json!({"optedOut": true, "since": "2033-05-18T03:33:30.000Z"});
    assert_fields(
        &created[0],
        &json!({"name": "Ann", "phoneNumber": "+16505551234", "userId": "US.1", "marketingOptOut": choice_of_ann}),
    );
    assert!(line.messages(&world).await.is_empty());

    // The same person is another contact of another number, without a choice.
    world.notify(&Person("Ann", Some("16505551234"), None).message(&other, "wamid.1", 20)).await.expect(200);
    let created = events(&world, &stranger, "contacts.chat.created").await;
    assert_eq!(created.len(), 1);
    assert_eq!(created[0].get("marketingOptOut"), None);

    // The first message finds the contact.
    world.notify(&Person("Ann", Some("16505551234"), Some("US.1")).message(&line, "wamid.2", 20)).await.expect(200);
    assert_eq!(events(&world, &world.org, "contacts.chat.created").await.len(), 1);
}
