//! The objects of a message's content.

use serde_json::value::RawValue;

use crate::lenient::Object;

pub(crate) struct Medium {
    pub(crate) id: Option<String>,
    pub(crate) mime_type: Option<String>,
    pub(crate) sha256: Option<String>,
    pub(crate) caption: Option<String>,
    pub(crate) filename: Option<String>,
    pub(crate) voice: Option<bool>,
    pub(crate) animated: Option<bool>,
}

impl Medium {
    pub(super) fn read(medium: &mut Object<'_>) -> Self {
        // The URL expires after five minutes. The media's id leads to a new one.
        medium.text("url");
        Medium {
            id: medium.id("id"),
            mime_type: medium.text("mime_type"),
            sha256: medium.text("sha256"),
            caption: medium.text("caption"),
            filename: medium.text("filename"),
            voice: medium.flag("voice"),
            animated: medium.flag("animated"),
        }
    }
}

pub(crate) struct Location {
    pub(crate) latitude: Option<String>,
    pub(crate) longitude: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) address: Option<String>,
}

impl Location {
    pub(super) fn read(location: &mut Object<'_>) -> Self {
        Location {
            latitude: location.text("latitude"),
            longitude: location.text("longitude"),
            name: location.text("name"),
            address: location.text("address"),
        }
    }
}

pub(crate) struct Button {
    pub(crate) payload: Option<String>,
    pub(crate) text: Option<String>,
}

impl Button {
    pub(super) fn read(button: &mut Object<'_>) -> Self {
        Button { payload: button.text("payload"), text: button.text("text") }
    }
}

pub(crate) struct Reaction {
    pub(crate) message_id: Option<String>,
    pub(crate) emoji: Option<String>,
}

impl Reaction {
    pub(super) fn read(reaction: &mut Object<'_>) -> Self {
        Reaction { message_id: reaction.id("message_id"), emoji: reaction.text("emoji") }
    }
}

pub(crate) struct Order {
    pub(crate) catalog_id: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) product_items: Vec<ProductItem>,
}

pub(crate) struct ProductItem {
    pub(crate) product_retailer_id: Option<String>,
    pub(crate) quantity: Option<i64>,
    pub(crate) item_price: Option<String>,
    pub(crate) currency: Option<String>,
}

impl Order {
    pub(super) fn read(order: &mut Object<'_>) -> Self {
        let product_items = order.list("product_items", |item| ProductItem {
            product_retailer_id: item.text("product_retailer_id"),
            quantity: item.number("quantity"),
            item_price: item.text("item_price"),
            currency: item.text("currency"),
        });
        Order { catalog_id: order.text("catalog_id"), text: order.text("text"), product_items }
    }
}

pub(crate) struct Context<'a> {
    pub(crate) id: Option<String>,
    pub(crate) forwarded: Option<bool>,
    pub(crate) frequently_forwarded: Option<bool>,
    pub(crate) referred_product: Option<&'a RawValue>,
}

impl<'a> Context<'a> {
    pub(super) fn read(context: &mut Object<'a>) -> Self {
        Context {
            // Some samples call it `message_id`, as in requests.
            id: context.id("id").or_else(|| context.id("message_id")),
            forwarded: context.flag("forwarded"),
            frequently_forwarded: context.flag("frequently_forwarded"),
            referred_product: context.raw("referred_product"),
        }
    }
}

pub(crate) struct Referral {
    pub(crate) source_url: Option<String>,
    pub(crate) source_id: Option<String>,
    pub(crate) source_type: Option<String>,
    pub(crate) headline: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) image_url: Option<String>,
    pub(crate) video_url: Option<String>,
    pub(crate) thumbnail_url: Option<String>,
    pub(crate) ctwa_clid: Option<String>,
    pub(crate) welcome_message: Option<String>,
}

impl Referral {
    pub(super) fn read(referral: &mut Object<'_>) -> Self {
        Referral {
            source_url: referral.text("source_url"),
            source_id: referral.text("source_id"),
            source_type: referral.text("source_type"),
            headline: referral.text("headline"),
            body: referral.text("body"),
            media_type: referral.text("media_type"),
            image_url: referral.text("image_url"),
            video_url: referral.text("video_url"),
            thumbnail_url: referral.text("thumbnail_url"),
            ctwa_clid: referral.text("ctwa_clid"),
            welcome_message: referral.object("welcome_message", |welcome| welcome.text("text")).flatten(),
        }
    }
}
