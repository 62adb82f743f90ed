//! The object of a template message, as it is sent to this API.

use std::collections::BTreeMap;

use domain::Failure;
use domain::chat::outgoing::{
    Content, HeaderParameter, Location, Parameters, ShortParameters, Source, Template, template,
};
use domain::id::MediaId;
use domain::present::present;
use domain::schema::{HttpsUrl, Line, TemplateBodyParameters, TemplateComponent};
use platform::render::template_content;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::template_parts::{CardObject, OfferObject, ProductObject, TemplateButtonObject, buttons_of};

/// A template and its parameters: either `header`, `body`, `buttons`, `cards` and `offer`, or `components`.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendTemplate)]
pub(super) struct TemplateObject {
    /// The template's name.
    #[schema(pattern = "^[a-z0-9_]{1,512}$", example = "order_confirmation")]
    name: String,
    /// WhatsApp's code of the template's language.
    #[schema(pattern = "^[A-Za-z0-9_-]{2,20}$", example = "en_US")]
    language: String,
    header: Option<TemplateHeaderObject>,
    /// The values of the body's parameters, by name or by position: `"1"`, `"2"` and so on.
    #[schema(value_type = Option<TemplateBodyParameters>)]
    body: Option<BTreeMap<String, String>>,
    /// The values of the buttons' parameters.
    #[schema(min_items = 1, max_items = 10)]
    buttons: Option<Vec<TemplateButtonObject>>,
    /// The parameters of a carousel's cards, from left to right. A carousel of images or videos has as many cards as its
    /// template. Not with `header`, `buttons` and `offer`.
    #[schema(min_items = 2, max_items = 10)]
    cards: Option<Vec<CardObject>>,
    offer: Option<OfferObject>,
    /// The components in WhatsApp's own format, at most 64 KiB. Media parameters may have `mediaId` instead of `link`.
    #[schema(value_type = Option<Vec<TemplateComponent>>)]
    components: Option<Vec<Value>>,
}

/// The value of the header's parameter: exactly one field. A URL without the extension of a video or a document is an
/// image, unless the template is stored and its header has another format. A `GIF` is an MP4 file, and its template must
/// be stored.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendTemplateHeader, min_properties = 1, max_properties = 1)]
pub(super) struct TemplateHeaderObject {
    /// The value of the variable in a text header.
    #[schema(inline, value_type = Option<Line<{ template::HEADER_LENGTH }>>)]
    text: Option<String>,
    /// A medium of the app.
    #[schema(value_type = Option<MediaId>)]
    media_id: Option<String>,
    #[schema(value_type = Option<HttpsUrl>)]
    url: Option<String>,
    location: Option<Location>,
    product: Option<ProductObject>,
}

impl TemplateObject {
    pub(super) fn content(self) -> Result<Content, Failure> {
        let is_short = self.header.is_some()
            || self.body.is_some()
            || self.buttons.is_some()
            || self.cards.is_some()
            || self.offer.is_some();
        let parameters = match self.components {
            Some(_) if is_short => {
                let message = "template.components is not allowed beside header, body, buttons, cards and offer. Use one or \
                               the other.";
                return Err(Failure::invalid("template.components", message));
            }
            Some(components) => Parameters::Components(components),
            None => {
                let header = self.header.map(|header| header.parameter("template.header")).transpose()?;
                let buttons = self.buttons.map(|buttons| buttons_of(buttons, "template.buttons")).transpose()?;
                let card = |(index, card): (usize, CardObject)| card.parameters(&format!("template.cards[{index}]"));
                let cards = self.cards.map(|cards| cards.into_iter().enumerate().map(card).collect());
                let offer = self.offer.map(|offer| offer.parameter("template.offer")).transpose()?;
                Parameters::Short(ShortParameters {
                    header,
                    body: self.body,
                    buttons,
                    cards: cards.transpose()?,
                    offer,
                })
            }
        };
        template_content(Template { name: self.name, language: self.language, parameters })
    }
}

impl TemplateHeaderObject {
    fn parameter(self, at: &str) -> Result<HeaderParameter, Failure> {
        let TemplateHeaderObject { text, media_id, url, location, product } = self;
        let given = [text.is_some(), media_id.is_some(), url.is_some(), location.is_some(), product.is_some()];
        if given.into_iter().filter(|is_given| *is_given).count() != 1 {
            let message = format!("{at} must have exactly one of text, mediaId, url, location and product.");
            return Err(Failure::invalid(at, message));
        }
        match (text, location, product) {
            (Some(text), ..) => Ok(HeaderParameter::Text(text)),
            (_, Some(location), _) => Ok(HeaderParameter::Location(location)),
            (.., Some(product)) => Ok(HeaderParameter::Product(product.into())),
            _ => Source::of(media_id.as_deref(), url.as_deref(), at).map(HeaderParameter::Medium),
        }
    }
}
