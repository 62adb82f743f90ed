//! The object of a template message, as it is sent to this API.

use std::collections::BTreeMap;

use domain::Failure;
use domain::chat::outgoing::{
    ButtonParameter, ButtonValue, Content, HeaderParameter, Location, Parameters, ShortParameters, Source, Template,
    flow, template,
};
use domain::id::MediaId;
use domain::present::present;
use domain::schema::{HttpsUrl, Line, TemplateBodyParameters, TemplateComponent};
use platform::render::template_content;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A template and its parameters: either `header`, `body` and `buttons`, or `components`.
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
    /// The components in WhatsApp's own format, at most 64 KiB. Media parameters may have `mediaId` instead of `link`.
    #[schema(value_type = Option<Vec<TemplateComponent>>)]
    components: Option<Vec<Value>>,
}

/// The value of the header's parameter: exactly one field. A URL without the extension of a video or a document is an
/// image, unless the template is stored and its header has another format.
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
}

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
}

impl TemplateObject {
    pub(super) fn content(self) -> Result<Content, Failure> {
        let is_short = self.header.is_some() || self.body.is_some() || self.buttons.is_some();
        let parameters = match self.components {
            Some(_) if is_short => {
                let message =
                    "template.components is not allowed beside header, body and buttons. Use one or the other.";
                return Err(Failure::invalid("template.components", message));
            }
            Some(components) => Parameters::Components(components),
            None => {
                let header = self.header.map(|header| header.parameter("template.header")).transpose()?;
                let button = |(index, button): (usize, TemplateButtonObject)| {
                    button.parameter(&format!("template.buttons[{index}]"))
                };
                let buttons = self.buttons.map(|buttons| buttons.into_iter().enumerate().map(button).collect());
                Parameters::Short(ShortParameters { header, body: self.body, buttons: buttons.transpose()? })
            }
        };
        template_content(Template { name: self.name, language: self.language, parameters })
    }
}

impl TemplateHeaderObject {
    fn parameter(self, at: &str) -> Result<HeaderParameter, Failure> {
        match self {
            TemplateHeaderObject { text: Some(text), media_id: None, url: None, location: None } => {
                Ok(HeaderParameter::Text(text))
            }
            TemplateHeaderObject { text: None, media_id: None, url: None, location: Some(location) } => {
                Ok(HeaderParameter::Location(location))
            }
            TemplateHeaderObject { text: None, media_id, url, location: None }
                if media_id.is_some() != url.is_some() =>
            {
                Source::of(media_id.as_deref(), url.as_deref(), at).map(HeaderParameter::Medium)
            }
            _ => Err(Failure::invalid(at, format!("{at} must have exactly one of text, mediaId, url and location."))),
        }
    }
}

impl TemplateButtonObject {
    fn parameter(self, at: &str) -> Result<ButtonParameter, Failure> {
        let values = [
            self.payload.map(ButtonValue::Payload),
            self.url_suffix.map(ButtonValue::UrlSuffix),
            self.coupon_code.map(ButtonValue::CouponCode),
            self.flow_token.map(ButtonValue::FlowToken),
        ];
        let mut values = values.into_iter().flatten();
        match (values.next(), values.next()) {
            (Some(value), None) => Ok(ButtonParameter { index: self.index, value }),
            _ => {
                let message = format!("{at} must have exactly one of payload, urlSuffix, couponCode and flowToken.");
                Err(Failure::invalid(at, message))
            }
        }
    }
}
