//! History, echoes, messages and statuses of the same conversation arrive in any order: the log is the same in the end, and
//! only what is of today causes events, each once.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tests::World;
use tests::chat::{Line, connect};
use tests::request::text;
use tests::settings::of_size;

use super::{history, import, message, part, text_body};

/// The updates of a conversation: what arrives, apart from its order.
const UPDATES: [Update; 6] =
    [Update::History, Update::Message, Update::Edit, Update::Echo, Update::Sent, Update::Delivered];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Update {
    History,
    Message,
    Edit,
    Echo,
    Sent,
    Delivered,
}

/// A conversation with a user of its own, whose updates arrive in an order of its own.
#[derive(Debug)]
struct Conversation {
    number: usize,
    order: Vec<Update>,
}

impl Conversation {
    fn user(&self) -> String {
        format!("1650557{:04}", self.number)
    }

    fn id(&self, name: &str) -> String {
        format!("wamid.{}.{name}", self.number)
    }

    /// An element of a list in the value of a notification.
    fn update(&self, update: Update, line: &Line, at: i64) -> Value {
        let (user, question, reply) = (self.user(), self.id("question"), self.id("reply"));
        let status = |status: &str, seconds: i64| json!({"id": reply, "status": status, "timestamp": (at + seconds).to_string(), "recipient_id": user});
        match update {
            Update::History => {
                let asked = message(&question, &user, at, &text_body("Open?"));
                let replied = message(&reply, &line.display, at + 10, &text_body("Yes"));
                json!({"id": user, "messages": [asked, replied]})
            }
            Update::Message => json!({"id": question, "from": user, "timestamp": at.to_string(), "type": "text",
                "text": {"body": "Open?"}}),
            Update::Edit => {
                json!({"id": self.id("edit"), "from": user, "timestamp": (at + 60).to_string(), "type": "edit",
                "edit": {"original_message_id": question, "message": {"type": "text", "text": {"body": "Are you open?"}}}})
            }
            Update::Echo => json!({"id": reply, "from": line.display, "to": user, "timestamp": (at + 10).to_string(),
                "type": "text", "text": {"body": "Yes"}}),
            Update::Sent => status("sent", 11),
            Update::Delivered => status("delivered", 12),
        }
    }
}

/// Posts the updates that come at this place in their orders.
async fn post(world: &World, line: &Line, conversations: &[Conversation], place: usize, at: i64) {
    let of = |wanted: &[Update]| -> Vec<Value> {
        let due = conversations.iter().filter(|conversation| wanted.contains(&conversation.order[place]));
        due.map(|conversation| conversation.update(conversation.order[place], line, at)).collect()
    };
    let threads = of(&[Update::History]);
    if !threads.is_empty() {
        let mut told = part(50, &[]);
        told["threads"] = json!(threads);
        world.notify(&history(line, &[told])).await.expect(200);
        import(world).await;
    }
    let messages = of(&[Update::Message, Update::Edit]);
    let (echoes, statuses) = (of(&[Update::Echo]), of(&[Update::Sent, Update::Delivered]));
    for told in [
        line.about("messages", &json!({"messages": messages})),
        line.about("smb_message_echoes", &json!({"message_echoes": echoes})),
        line.about("messages", &json!({"statuses": statuses})),
    ] {
        world.notify(&told).await.expect(200);
    }
    world.work_off().await;
}

/// A message without what differs between conversations and orders.
fn comparable(details: &Value, conversation: &Conversation) -> Value {
    let mut text = details.to_string().replace(&conversation.user(), "USER");
    for name in ["question", "reply", "edit"] {
        text = text.replace(&conversation.id(name), name);
    }
    let mut shown: Value = serde_json::from_str(&text).unwrap();
    for name in ["id", "createdAt", "updatedAt", "replyToMessageId"] {
        shown.as_object_mut().unwrap().remove(name);
    }
    for recipient in shown["recipients"].as_array_mut().into_iter().flatten() {
        for name in ["id", "createdAt", "updatedAt"] {
            recipient.as_object_mut().unwrap().remove(name);
        }
    }
    shown
}

/// What became of a conversation: its messages, and the number of its events by name.
async fn outcome(world: &World, line: &Line, conversation: &Conversation, items: &Items) -> (Vec<Value>, Vec<String>) {
    let mut messages = Vec::new();
    let mut events = Vec::new();
    for name in ["question", "reply", "edit"] {
        let id = items.messages.get(&conversation.id(name)).unwrap_or_else(|| panic!("{conversation:?} has no {name}"));
        messages.push(comparable(&line.details(world, id).await, conversation));
        events.extend(items.events.get(id).into_iter().flatten().map(|kind| format!("{name} {kind}")));
    }
    events.sort();
    (messages, events)
}

/// The ids of messages by their ids at the platform, and the names of events by message.
struct Items {
    messages: BTreeMap<String, String>,
    events: BTreeMap<String, Vec<String>>,
}

async fn items(world: &World) -> Items {
    let (mut messages, mut events) = (BTreeMap::new(), BTreeMap::<String, Vec<String>>::new());
    for item in world.account.items().await {
        if item["PK"].starts_with("MSG#") && item["SK"] == "MSG" {
            messages.insert(item["providerMessageId"].clone(), item["id"].clone());
        }
        if item["PK"].starts_with("EVT#") && item["type"].starts_with("messages.") {
            let data: Value = serde_json::from_str(&item["data"]).unwrap();
            events.entry(text(&data, "id")).or_default().push(item["type"].clone());
        }
    }
    Items { messages, events }
}

#[tokio::test]
async fn the_log_is_the_same_whatever_comes_first() {
    let mut runner = TestRunner::default();
    let orders = Just(UPDATES.to_vec()).prop_shuffle();
    let count = of_size(60_usize, 720);
    let conversations: Vec<Conversation> = (0..count)
        .map(|number| Conversation { number, order: orders.new_tree(&mut runner).unwrap().current() })
        .collect();

    let world = World::new().await;
    let line = connect(&world, &world.org, "7391").await;
    let at = world.now().seconds() - 3600;
    for place in 0..UPDATES.len() {
        post(&world, &line, &conversations, place, at).await;
    }
    assert!(world.dead_letters().await.is_empty());

    let items = items(&world).await;
    let events = [
        "edit messages.chat.received",
        "question messages.chat.received",
        "reply messages.chat.delivered",
        "reply messages.chat.sent",
    ];
    let (expected, _) = outcome(&world, &line, &conversations[0], &items).await;
    assert!(expected.iter().all(|message| message.get("isHistory").is_none()), "{expected:?}");
    for conversation in &conversations {
        let (messages, told) = outcome(&world, &line, conversation, &items).await;
        for (shown, expected) in messages.iter().zip(&expected) {
            assert_eq!(shown, expected, "{conversation:?}");
        }
        assert_eq!(told, events, "{conversation:?}");
    }
}
