//! The message log: filters, conversations, the end of messages, and what an app sees of it.

mod apps;
mod conversations;
mod filters;
mod list_items;
mod retention;

use std::time::Duration;

use domain::chat::{ChatMessage, ChatMessageType, Direction, Outcome};
use domain::id::{ChatMessageId, ChatPhoneNumberId};
use domain::{E164, Open};
use ring::rand::SystemRandom;
use store::{Change, ChatRecord, Stored, StoredChat};
use tests::chat::Line;
use tests::request::text;
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/organization/chat/messages";
const OWN_PATH: &str = "/v1/chat/messages";
const DAY: Duration = Duration::from_secs(24 * 3600);
const CONTACT: &str = "+16505550001";

/// A message to store, as a send or a notification stores one.
#[derive(Clone, Copy)]
struct Sample<'a> {
    contact: &'a str,
    outcome: Option<Outcome>,
    reference: Option<&'a str>,
}

/// A message from `CONTACT`.
const RECEIVED: Sample<'static> = Sample { contact: CONTACT, outcome: None, reference: None };

/// Stores a message. Returns it as it is stored.
async fn stored(world: &World, line: &Line, sample: Sample<'_>) -> StoredChat {
    let number: ChatPhoneNumberId = line.number.parse().unwrap();
    let id = ChatMessageId::mint(number.mode(), world.now(), &SystemRandom::new());
    let display: E164 = format!("+{}", line.display).parse().unwrap();
    let direction = if sample.outcome.is_some() { Direction::Outbound } else { Direction::Inbound };
    let mut message = ChatMessage::blank(id, &number, &display, direction, ChatMessageType::Text, world.now());
    let contact = Some(sample.contact.parse().unwrap());
    match direction {
        Direction::Inbound => message.from_phone_number = contact,
        Direction::Outbound => message.to_phone_number = contact,
    }
    message.outcome = sample.outcome.map(Open::from);
    message.client_reference = sample.reference.map(str::to_owned);

    let organization = line.org.id.parse().unwrap();
    let store = world.account.store();
    let retention = store.of(&organization).message_retention().await.unwrap();
    let stored = Stored::new(ChatRecord::new(message), retention);
    let mut change = Change::new(&organization);
    change.create_message(&stored).unwrap();
    store.commit(&change).await.unwrap();
    stored
}

/// Reads all pages and returns the ids, and the number of pages.
async fn walk(world: &World, key: &str, path: &str) -> (Vec<String>, usize) {
    let (mut ids, mut pages, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let page = world.send(Call::get(format!("{path}{cursor}")).key(key)).await.expect(200);
        ids.extend(page["data"].as_array().unwrap().iter().map(|message| text(message, "id")));
        pages += 1;
        let Some(next) = page["nextCursor"].as_str() else { return (ids, pages) };
        cursor = format!("&cursor={next}");
    }
}

/// The ids of the number's messages that these filters find.
async fn found(world: &World, line: &Line, filters: &str) -> Vec<String> {
    walk(world, &line.org.admin, &format!("{PATH}?chatPhoneNumberId={}{filters}", line.number)).await.0
}

fn id_of(stored: &StoredChat) -> String {
    stored.message().id.to_string()
}

/// The text as a value in a query.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
