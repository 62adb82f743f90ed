//! The content of messages from simulated users, in the platform's format.

use domain::chat::outgoing::Content;
use domain::media::Media;
use domain::{E164, Failure};
use platform::render::{self, Resolved};
use serde_json::{Map, Value, json};

/// The content of a simulated message.
#[derive(Clone, Debug)]
pub enum SimulatedContent {
    Shared(Box<SharedContent>),
    /// The answer to a quick-reply button of a template.
    Button {
        text: String,
        payload: String,
    },
    Interactive(SimulatedReply),
    Order {
        catalog_id: String,
        text: Option<String>,
        items: Vec<OrderedItem>,
    },
    /// The user has another number now.
    NumberChange {
        from: E164,
        to: E164,
    },
    /// The user has another device or has reinstalled the app.
    IdentityChange,
    /// A type that the platform does not forward.
    Unsupported,
}

/// Content that users send in the same form as businesses, with the objects that it refers to.
#[derive(Clone, Debug)]
pub struct SharedContent {
    pub content: Content,
    pub resolved: Resolved,
    pub medium: Option<Media>,
}

/// The reply to an interactive message.
#[derive(Clone, Debug)]
pub enum SimulatedReply {
    Button { id: String, title: String },
    ListRow { id: String, title: String, description: Option<String> },
    Flow { response: Map<String, Value> },
}

/// A product in an order.
#[derive(Clone, Debug)]
pub struct OrderedItem {
    pub product_retailer_id: String,
    pub quantity: u32,
    pub item_price: f64,
    pub currency: String,
}

impl SimulatedContent {
    /// Returns the type of the message and the object of that name.
    pub(super) fn fields(&self) -> Result<Map<String, Value>, Failure> {
        let (kind, object) = match self {
            SimulatedContent::Shared(shared) => {
                let (kind, object) = render::object(&shared.content, &shared.resolved)?;
                (kind, shared.medium.as_ref().map_or(object.clone(), |medium| of_medium(medium, &object)))
            }
            SimulatedContent::Button { text, payload } => ("button", json!({"text": text, "payload": payload})),
            SimulatedContent::Interactive(reply) => ("interactive", reply.object()?),
            SimulatedContent::Order { catalog_id, text, items } => {
                let items: Vec<Value> = items.iter().map(OrderedItem::object).collect();
                let mut order = json!({"catalog_id": catalog_id, "product_items": items});
                if let Some(text) = text {
                    order["text"] = json!(text);
                }
                ("order", order)
            }
            SimulatedContent::NumberChange { from, to } => {
                let body = format!("The user changed from {from} to {to}");
                let system = json!({"body": body, "wa_id": to.digits(), "type": "user_changed_number"});
                ("system", system)
            }
            SimulatedContent::IdentityChange => {
                let body = "The user's identity has changed";
                ("system", json!({"body": body, "type": "customer_identity_changed"}))
            }
            SimulatedContent::Unsupported => {
                let error = json!({
                    "code": 131_051,
                    "title": "Message type unknown",
                    "message": "Message type unknown",
                    "error_data": {"details": "Message type is currently not supported."},
                });
                let fields = [("type".to_owned(), json!("unsupported")), ("errors".to_owned(), json!([error]))];
                return Ok(Map::from_iter(fields));
            }
        };
        Ok(Map::from_iter([("type".to_owned(), json!(kind)), (kind.to_owned(), object)]))
    }
}

/// Returns the object of a medium that a user sends: with its id, under which it can be fetched, instead of a link.
fn of_medium(medium: &Media, outgoing: &Value) -> Value {
    let mut object = outgoing.as_object().cloned().unwrap_or_default();
    object.remove("link");
    object.insert("id".to_owned(), json!(medium.id));
    object.insert("mime_type".to_owned(), json!(medium.mime_type));
    if let Some(hash) = &medium.sha256 {
        object.insert("sha256".to_owned(), json!(hash));
    }
    Value::Object(object)
}

impl SimulatedReply {
    fn object(&self) -> Result<Value, Failure> {
        Ok(match self {
            SimulatedReply::Button { id, title } => {
                json!({"type": "button_reply", "button_reply": {"id": id, "title": title}})
            }
            SimulatedReply::ListRow { id, title, description } => {
                let mut row = json!({"id": id, "title": title});
                if let Some(description) = description {
                    row["description"] = json!(description);
                }
                json!({"type": "list_reply", "list_reply": row})
            }
            SimulatedReply::Flow { response } => {
                let response = serde_json::to_string(response).map_err(Failure::internal)?;
                json!({"type": "nfm_reply", "nfm_reply": {"name": "flow", "body": "Sent", "response_json": response}})
            }
        })
    }
}

impl OrderedItem {
    fn object(&self) -> Value {
        json!({
            "product_retailer_id": self.product_retailer_id,
            "quantity": self.quantity,
            "item_price": self.item_price,
            "currency": self.currency,
        })
    }
}
