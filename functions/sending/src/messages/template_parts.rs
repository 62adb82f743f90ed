//! Buttons, cards, offers and products of a template message, as they are sent to this API.

use std::collections::BTreeMap;

use domain::chat::outgoing::products::{PRODUCT_ID_LENGTH, SECTION_TITLE_LENGTH};
use domain::chat::outgoing::{
    ButtonParameter, ButtonValue, CardHeader, CardParameters, OfferParameter, Product, ProductList, ProductSection,
    Source, flow, template,
};
use domain::id::MediaId;
use domain::present::present;
use domain::schema::{HttpsUrl, Line, ProductRetailerId, TemplateBodyParameters};
use domain::{Failure, Timestamp};
use serde::Deserialize;
use utoipa::ToSchema;

/// The value of a button's parameter: `index`, and exactly one of the others.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendTemplateButton, min_properties = 2, max_properties = 2)]
pub(super) struct TemplateButtonObject {
    /// The position of the button in the template, from 0.
    #[schema(minimum = 0, maximum = 9)]
    index: i64,
    /// For a quick reply: the text that is sent back when the button is pressed.
    #[schema(inline, value_type = Option<Line<{ template::PAYLOAD_LENGTH }>>)]
    payload: Option<String>,
    /// For a URL button: the variable part of the URL. For a button that copies or fills in a one-time code: the code.
    #[schema(inline, value_type = Option<Line<{ template::SUFFIX_LENGTH }>>)]
    url_suffix: Option<String>,
    /// For a button that copies a coupon code: the code.
    #[schema(inline, value_type = Option<Line<{ template::COUPON_LENGTH }>>)]
    coupon_code: Option<String>,
    /// For a button that opens a flow: a value that the flow's response contains.
    #[schema(inline, value_type = Option<Line<{ flow::TOKEN_LENGTH }>>)]
    flow_token: Option<String>,
    /// For a button that opens the catalog: the product whose picture is shown above the message. Without it, that of
    /// the first product is shown.
    #[schema(value_type = Option<ProductRetailerId>)]
    thumbnail_product_retailer_id: Option<String>,
    /// For a button that shows several products.
    products: Option<ProductListObject>,
}

/// The parameters of a card.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendTemplateCard)]
pub(super) struct CardObject {
    header: CardHeaderObject,
    /// The values of the parameters in the card's body, by name or by position: `"1"`, `"2"` and so on. The body has at
    /// most 160 characters.
    #[schema(value_type = Option<TemplateBodyParameters>)]
    body: Option<BTreeMap<String, String>>,
    /// The values of the card's buttons, whose `index` is 0 or 1.
    #[schema(min_items = 1, max_items = 2)]
    buttons: Option<Vec<TemplateButtonObject>>,
}

/// The image, the video or the product of a card: exactly one field. A URL without the extension of a video is an image,
/// unless the template is stored.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendTemplateCardHeader, min_properties = 1, max_properties = 1)]
pub(super) struct CardHeaderObject {
    /// A medium of the app.
    #[schema(value_type = Option<MediaId>)]
    media_id: Option<String>,
    #[schema(value_type = Option<HttpsUrl>)]
    url: Option<String>,
    product: Option<ProductObject>,
}

/// The parameter of a limited-time offer.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendTemplateOffer)]
pub(super) struct OfferObject {
    /// When the offer expires. WhatsApp shows the time that is left.
    #[schema(value_type = Timestamp)]
    expires_at: String,
}

/// A product of the catalog that is connected to the WhatsApp account.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendTemplateProduct)]
pub(super) struct ProductObject {
    // WhatsApp's id of the catalog.
    #[schema(inline, value_type = Line<{ PRODUCT_ID_LENGTH }>)]
    catalog_id: String,
    #[schema(value_type = ProductRetailerId)]
    product_retailer_id: String,
}

/// Products of the catalog that is connected to the WhatsApp account: at most 30 in all sections.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendTemplateProducts)]
pub(super) struct ProductListObject {
    /// The product whose picture is shown above the message.
    #[schema(value_type = ProductRetailerId)]
    thumbnail_product_retailer_id: String,
    /// The sections in which the products are shown.
    #[schema(min_items = 1, max_items = 10)]
    sections: Vec<ProductSectionObject>,
}

/// A section of products.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendTemplateProductSection)]
pub(super) struct ProductSectionObject {
    // The heading of the section.
    #[schema(inline, value_type = Line<{ SECTION_TITLE_LENGTH }>)]
    title: String,
    /// The products, in their order.
    #[schema(value_type = Vec<ProductRetailerId>, min_items = 1, max_items = 30)]
    product_retailer_ids: Vec<String>,
}

/// Returns the parameters of the buttons in `at`.
pub(super) fn buttons_of(buttons: Vec<TemplateButtonObject>, at: &str) -> Result<Vec<ButtonParameter>, Failure> {
    let button = |(index, button): (usize, TemplateButtonObject)| button.parameter(&format!("{at}[{index}]"));
    buttons.into_iter().enumerate().map(button).collect()
}

impl TemplateButtonObject {
    fn parameter(self, at: &str) -> Result<ButtonParameter, Failure> {
        let values = [
            self.payload.map(ButtonValue::Payload),
            self.url_suffix.map(ButtonValue::UrlSuffix),
            self.coupon_code.map(ButtonValue::CouponCode),
            self.flow_token.map(ButtonValue::FlowToken),
            self.thumbnail_product_retailer_id.map(ButtonValue::ThumbnailProductRetailerId),
            self.products.map(|products| ButtonValue::Products(products.into())),
        ];
        let mut values = values.into_iter().flatten();
        match (values.next(), values.next()) {
            (Some(value), None) => Ok(ButtonParameter { index: self.index, value }),
            _ => {
                let message = format!(
                    "{at} must have exactly one of payload, urlSuffix, couponCode, flowToken, thumbnailProductRetailerId \
                     and products."
                );
                Err(Failure::invalid(at, message))
            }
        }
    }
}

impl CardObject {
    pub(super) fn parameters(self, at: &str) -> Result<CardParameters, Failure> {
        let header = self.header.parameter(&format!("{at}.header"))?;
        let buttons = self.buttons.map(|buttons| buttons_of(buttons, &format!("{at}.buttons"))).transpose()?;
        Ok(CardParameters { header, body: self.body, buttons })
    }
}

impl CardHeaderObject {
    fn parameter(self, at: &str) -> Result<CardHeader, Failure> {
        match (self.media_id, self.url, self.product) {
            (None, None, Some(product)) => Ok(CardHeader::Product(product.into())),
            (media_id, url, None) if media_id.is_some() != url.is_some() => {
                Source::of(media_id.as_deref(), url.as_deref(), at).map(CardHeader::Medium)
            }
            _ => Err(Failure::invalid(at, format!("{at} must have exactly one of mediaId, url and product."))),
        }
    }
}

impl OfferObject {
    pub(super) fn parameter(self, at: &str) -> Result<OfferParameter, Failure> {
        let param = format!("{at}.expiresAt");
        let expires_at = Timestamp::parse(&self.expires_at).ok_or_else(|| {
            let message = format!("{param} must be a time in RFC 3339 format, such as 2026-12-24T18:00:00Z.");
            Failure::invalid(&param, message)
        })?;
        Ok(OfferParameter { expires_at })
    }
}

impl From<ProductObject> for Product {
    fn from(sent: ProductObject) -> Self {
        Product { catalog_id: sent.catalog_id, product_retailer_id: sent.product_retailer_id }
    }
}

impl From<ProductListObject> for ProductList {
    fn from(sent: ProductListObject) -> Self {
        let ProductListObject { thumbnail_product_retailer_id, sections } = sent;
        let section =
            |ProductSectionObject { title, product_retailer_ids }| ProductSection { title, product_retailer_ids };
        ProductList { thumbnail_product_retailer_id, sections: sections.into_iter().map(section).collect() }
    }
}
