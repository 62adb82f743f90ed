//! A message of each type.

use domain::chat::outgoing::{Content, MessageRef, Reaction, Text};
use inbound::{OrderedItem, SharedContent, SimulatedContent, SimulatedReply};
use platform::render::Resolved;
use serde_json::{Value, json};

use super::{USER, from_user};

/// The number of the user after the last message.
pub(super) const MOVED: &str = "+16505559999";

/// One body of each type that names no object, with what the platform sends for it.
pub(super) fn every_plain_type() -> Vec<(Value, SimulatedContent)> {
    let shared = |content: Content| {
        SimulatedContent::Shared(Box::new(SharedContent { content, resolved: Resolved::default(), medium: None }))
    };

    let location = json!({"latitude": 52.52, "longitude": "13.405", "name": "Office", "address": "Main St 1"});
    let cards = json!([{"name": {"formattedName": "Bob", "firstName": "Bob"}, "phones": [{"phone": "+16505550000"}]}]);
    let emoji = Reaction { message_id: MessageRef::Platform("wamid.other".to_owned()), emoji: "👍".to_owned() };
    let items = json!([
        {"productRetailerId": "sku-1", "quantity": 2, "itemPrice": 9.5, "currency": "EUR"},
        {"productRetailerId": "sku-2", "quantity": 1, "itemPrice": 3, "currency": "EUR"},
    ]);
    let item = |id: &str, quantity, item_price| OrderedItem {
        product_retailer_id: id.to_owned(),
        quantity,
        item_price,
        currency: "EUR".to_owned(),
    };
    let reply = |id: &str, title: &str| (id.to_owned(), title.to_owned());
    let (id, title) = reply("yes", "Yes, please");
    let (row, row_title) = reply("row-1", "Row 1");
    let response = json!({"name": "Ann", "age": 30});
    vec![
        (
            from_user("text", &json!({"text": {"body": "Hello\nyou"}})),
            shared(Content::text(Text { body: "Hello\nyou".to_owned(), preview_url: None }).unwrap()),
        ),
        (
            from_user("location", &json!({"location": location})),
            shared(Content::location(serde_json::from_value(location).unwrap()).unwrap()),
        ),
        (
            from_user("contacts", &json!({"contacts": cards})),
            shared(Content::contacts(serde_json::from_value(cards).unwrap()).unwrap()),
        ),
        (
            from_user("reaction", &json!({"reaction": {"messageId": "wamid.other", "emoji": "👍"}})),
            shared(Content::reaction(emoji).unwrap()),
        ),
        (
            from_user("button", &json!({"button": {"text": "Yes", "payload": "order-7"}})),
            SimulatedContent::Button { text: "Yes".to_owned(), payload: "order-7".to_owned() },
        ),
        (
            from_user("interactive", &json!({"interactive": {"kind": "button_reply", "id": id, "title": title}})),
            SimulatedContent::Interactive(SimulatedReply::Button { id, title }),
        ),
        (
            from_user(
                "interactive",
                &json!({"interactive": {"kind": "list_reply", "id": row, "title": row_title, "description": "First"}}),
            ),
            SimulatedContent::Interactive(SimulatedReply::ListRow {
                id: row,
                title: row_title,
                description: Some("First".to_owned()),
            }),
        ),
        (
            from_user("interactive", &json!({"interactive": {"kind": "flow_reply", "response": response}})),
            SimulatedContent::Interactive(SimulatedReply::Flow { response: response.as_object().unwrap().clone() }),
        ),
        (
            from_user("order", &json!({"order": {"catalogId": "c-1", "text": "Soon", "items": items}})),
            SimulatedContent::Order {
                catalog_id: "c-1".to_owned(),
                text: Some("Soon".to_owned()),
                items: vec![item("sku-1", 2, 9.5), item("sku-2", 1, 3.0)],
            },
        ),
        (from_user("system", &json!({"system": {"kind": "identity_changed"}})), SimulatedContent::IdentityChange),
        (from_user("unsupported", &json!({})), SimulatedContent::Unsupported),
        // The last one: the user has another number afterwards.
        (
            from_user("system", &json!({"system": {"kind": "number_changed", "newNumber": MOVED}})),
            SimulatedContent::NumberChange { from: USER.parse().unwrap(), to: MOVED.parse().unwrap() },
        ),
    ]
}
