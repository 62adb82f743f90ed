//! The objects of messages, as they are sent to the playground.

use domain::chat;
use domain::chat::outgoing::medium::CAPTION_LENGTH;
use domain::chat::outgoing::{Content, Medium, Source};
use domain::id::MediaId;
use domain::media::{FILE_NAME_LENGTH, MediaKind};
use domain::present::present;
use domain::schema::{Line, Lines};
use domain::testing::playground::{FLOW_RESPONSE_BYTES, ORDER_ITEMS, ORDER_PRICE, ORDER_QUANTITY};
use domain::{E164, Failure, text};
use inbound::{OrderedItem, SimulatedContent, SimulatedReply};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The longest id, title or payload of a reply, in characters.
const TOKEN_LENGTH: usize = 255;
/// The longest text of an order, in characters.
const TEXT_LENGTH: usize = 1024;

/// A text.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ReceivedText)]
pub(super) struct TextObject {
    #[schema(inline, value_type = Lines<{ chat::TEXT_LENGTH }>)]
    pub(super) body: String,
}

/// A medium that the app has uploaded.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ReceivedMedia)]
pub(super) struct MediaObject {
    #[schema(value_type = MediaId)]
    media_id: String,
    /// Not for audio and stickers.
    #[schema(inline, value_type = Option<Lines<{ CAPTION_LENGTH }>>)]
    caption: Option<String>,
    /// For documents only.
    #[schema(inline, value_type = Option<Line<{ FILE_NAME_LENGTH }>>)]
    file_name: Option<String>,
    /// For audio only.
    is_voice_note: Option<bool>,
}

impl MediaObject {
    pub(super) fn content(self, kind: MediaKind) -> Result<Content, Failure> {
        let source = Source::of(Some(&self.media_id), None, kind.as_str())?;
        let MediaObject { caption, file_name, is_voice_note, .. } = self;
        Content::medium(Medium { kind, source, caption, file_name, is_voice_note })
    }
}

/// A press on a quick-reply button of a template.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ReceivedButton)]
pub(super) struct ButtonObject {
    #[schema(inline, value_type = Line<{ TOKEN_LENGTH }>)]
    text: String,
    #[schema(inline, value_type = Line<{ TOKEN_LENGTH }>)]
    payload: String,
}

impl ButtonObject {
    pub(super) fn content(self) -> Result<SimulatedContent, Failure> {
        Ok(SimulatedContent::Button {
            text: token(&self.text, "button.text")?,
            payload: token(&self.payload, "button.payload")?,
        })
    }
}

/// The reply to an interactive message: `id` and `title` for buttons and rows of a list, `response` for a flow.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ReceivedInteractive)]
pub(super) struct InteractiveObject {
    kind: ReplyKind,
    /// The id of the button or row that the user chose. Not for `flow_reply`.
    #[schema(inline, value_type = Option<Line<{ TOKEN_LENGTH }>>)]
    id: Option<String>,
    /// The title of the button or row that the user chose. Not for `flow_reply`.
    #[schema(inline, value_type = Option<Line<{ TOKEN_LENGTH }>>)]
    title: Option<String>,
    /// For `list_reply` only.
    #[schema(inline, value_type = Option<Line<{ TOKEN_LENGTH }>>)]
    description: Option<String>,
    /// What the user filled in, up to 64 KiB of JSON. For `flow_reply` only.
    #[schema(value_type = Option<domain::schema::JsonObject>)]
    response: Option<Map<String, Value>>,
}

/// The kind of a reply to an interactive message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[schema(as = ReceivedReplyKind)]
enum ReplyKind {
    #[serde(rename = "button_reply")]
    Button,
    #[serde(rename = "list_reply")]
    ListRow,
    #[serde(rename = "flow_reply")]
    Flow,
}

impl InteractiveObject {
    pub(super) fn content(self) -> Result<SimulatedContent, Failure> {
        let InteractiveObject { kind, id, title, description, response } = self;
        let only_for = |is_wrong: bool, field: &str, kinds: &str| {
            let param = format!("interactive.{field}");
            let message = format!("{param} is not allowed here. It is for {kinds} only.");
            if is_wrong { Err(Failure::invalid(param, message)) } else { Ok(()) }
        };
        only_for(description.is_some() && kind != ReplyKind::ListRow, "description", "list_reply")?;
        only_for(response.is_some() && kind != ReplyKind::Flow, "response", "flow_reply")?;
        let required =
            |field: Option<String>, param: &str| token(&field.ok_or_else(|| Failure::missing(param))?, param);

        let reply = match kind {
            ReplyKind::Flow => {
                only_for(id.is_some(), "id", "button_reply and list_reply")?;
                only_for(title.is_some(), "title", "button_reply and list_reply")?;
                let param = "interactive.response";
                let response = response.ok_or_else(|| Failure::missing(param))?;
                let length = serde_json::to_string(&response).map_err(Failure::internal)?.len();
                if length > FLOW_RESPONSE_BYTES {
                    let message =
                        format!("{param} may have at most {FLOW_RESPONSE_BYTES} bytes. This one has {length}.");
                    return Err(Failure::invalid(param, message));
                }
                SimulatedReply::Flow { response }
            }
            ReplyKind::Button => SimulatedReply::Button {
                id: required(id, "interactive.id")?,
                title: required(title, "interactive.title")?,
            },
            ReplyKind::ListRow => SimulatedReply::ListRow {
                id: required(id, "interactive.id")?,
                title: required(title, "interactive.title")?,
                description: description.map(|text| token(&text, "interactive.description")).transpose()?,
            },
        };

        Ok(SimulatedContent::Interactive(reply))
    }
}

/// An order from a catalog.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ReceivedOrder)]
pub(super) struct OrderObject {
    #[schema(inline, value_type = Line<{ TOKEN_LENGTH }>)]
    catalog_id: String,
    /// The text that the user sends with the order.
    #[schema(inline, value_type = Option<Lines<{ TEXT_LENGTH }>>)]
    text: Option<String>,
    /// The ordered products.
    #[schema(min_items = 1, max_items = 30)]
    items: Vec<ItemObject>,
}

/// A product in an order.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ReceivedOrderItem)]
pub(super) struct ItemObject {
    #[schema(inline, value_type = Line<{ TOKEN_LENGTH }>)]
    product_retailer_id: String,
    /// How many pieces are ordered.
    #[schema(minimum = 1, maximum = 999_999)]
    quantity: i64,
    /// The price of one piece.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    item_price: f64,
    /// ISO 4217.
    #[schema(pattern = "^[A-Z]{3}$", example = "EUR")]
    currency: String,
}

impl OrderObject {
    pub(super) fn content(self) -> Result<SimulatedContent, Failure> {
        let count = self.items.len();
        if !(1..=ORDER_ITEMS).contains(&count) {
            let message = format!("order.items must have 1 to {ORDER_ITEMS} entries. This one has {count}.");
            return Err(Failure::invalid("order.items", message));
        }
        let items =
            self.items.into_iter().enumerate().map(|(index, item)| item.checked(&format!("order.items[{index}]")));
        Ok(SimulatedContent::Order {
            catalog_id: token(&self.catalog_id, "order.catalogId")?,
            text: self.text.map(|text| text::message_text(&text, "order.text", TEXT_LENGTH)).transpose()?,
            items: items.collect::<Result<_, _>>()?,
        })
    }
}

impl ItemObject {
    fn checked(self, at: &str) -> Result<OrderedItem, Failure> {
        let refuse = |field: &str, allowed: &str| {
            let param = format!("{at}.{field}");
            let message = format!("{param} must be {allowed}.");
            Failure::invalid(param, message)
        };
        let quantity = u32::try_from(self.quantity).ok().filter(|quantity| (1..=ORDER_QUANTITY).contains(quantity));
        let is_currency = self.currency.len() == 3 && self.currency.bytes().all(|byte| byte.is_ascii_uppercase());
        if !is_currency {
            return Err(refuse("currency", "three upper-case letters, such as EUR"));
        }
        if !(0.0..=ORDER_PRICE).contains(&self.item_price) {
            return Err(refuse("itemPrice", &format!("from 0 to {ORDER_PRICE}")));
        }
        Ok(OrderedItem {
            product_retailer_id: token(&self.product_retailer_id, &format!("{at}.productRetailerId"))?,
            quantity: quantity.ok_or_else(|| refuse("quantity", &format!("from 1 to {ORDER_QUANTITY}")))?,
            item_price: self.item_price,
            currency: self.currency,
        })
    }
}

/// A change of the user's number or identity, which WhatsApp reports as a message from the user.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ReceivedSystem)]
pub(super) struct SystemObject {
    kind: SystemKind,
    /// The user's new phone number. For `number_changed` only.
    #[schema(value_type = Option<E164>)]
    new_number: Option<String>,
}

/// The kind of change: of the user's number, or of their identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ReceivedSystemKind)]
enum SystemKind {
    NumberChanged,
    IdentityChanged,
}

impl SystemObject {
    pub(super) fn content(self, from: &E164) -> Result<SimulatedContent, Failure> {
        let param = "system.newNumber";
        match (self.kind, self.new_number) {
            (SystemKind::NumberChanged, Some(number)) => {
                let to = E164::in_field(&number, param)?;
                if to == *from {
                    return Err(Failure::invalid(param, format!("{param} must differ from from.")));
                }
                Ok(SimulatedContent::NumberChange { from: from.clone(), to })
            }
            (SystemKind::NumberChanged, None) => Err(Failure::missing(param)),
            (SystemKind::IdentityChanged, None) => Ok(SimulatedContent::IdentityChange),
            (SystemKind::IdentityChanged, Some(_)) => {
                Err(Failure::invalid(param, format!("{param} is not allowed here. It is for number_changed only.")))
            }
        }
    }
}

/// Validates an id, title or payload of a reply.
fn token(value: &str, param: &str) -> Result<String, Failure> {
    text::bounded(value, param, TOKEN_LENGTH)
}
