//! Templates in the platform's format. Parameters in the short form are written as components; components that a caller
//! has written are validated, and completed with the links of media.

use std::collections::BTreeMap;

use domain::Failure;
use domain::chat::outgoing::{
    ButtonParameter, ButtonValue, CardHeader, CardParameters, Content, ContentKind, HeaderParameter, OfferParameter,
    Parameters, Product, ProductList, ShortParameters, Source, Template,
};
use serde_json::{Value, json};

use super::expected::{ExpectedHeader, expected_cards, expected_header};
use super::resolved::Rendering;
use super::{components, location_object};

/// Makes the content of a template message, with parameters in either form.
pub fn template_content(template: Template) -> Result<Content, Failure> {
    let content = Content::template(template)?;
    if let ContentKind::Template(Template { parameters: Parameters::Components(all), .. }) = content.kind() {
        components::check(all, "template.components")?;
    }
    Ok(content)
}

pub(super) fn object(template: &Template, rendering: Rendering<'_>) -> Result<Value, Failure> {
    let components = match &template.parameters {
        Parameters::Short(short) => short_components(short, rendering)?,
        Parameters::Components(all) => components::rendered(all, rendering)?,
    };
    let mut object = json!({"name": template.name, "language": {"code": template.language}});
    if !components.is_empty() {
        object["components"] = Value::Array(components);
    }
    Ok(object)
}

/// Returns the components of parameters in the short form.
fn short_components(short: &ShortParameters, rendering: Rendering<'_>) -> Result<Vec<Value>, Failure> {
    let known = rendering.resolved.template.as_ref();
    let expected = known.and_then(expected_header);
    let header =
        short.header.as_ref().map(|header| header_component(header, expected.as_ref(), rendering)).transpose()?;
    let body = short.body.as_ref().map(body_component);
    let offer = short.offer.as_ref().map(offer_component);
    let buttons = short.buttons.iter().flatten().map(button_component);
    let cards = short.cards.as_ref().map(|cards| carousel_component(cards, known, rendering)).transpose()?;
    Ok(header.into_iter().chain(body).chain(offer).chain(buttons).chain(cards).collect())
}

fn header_component(
    header: &HeaderParameter,
    known: Option<&ExpectedHeader>,
    rendering: Rendering<'_>,
) -> Result<Value, Failure> {
    let parameter = match header {
        HeaderParameter::Text(text) => {
            let mut parameter = json!({"type": "text", "text": text});
            if let Some(ExpectedHeader::Text(variables)) = known
                && let Some(name) = variables.first().filter(|name| !ShortParameters::is_position(name))
            {
                parameter["parameter_name"] = json!(name);
            }
            parameter
        }
        HeaderParameter::Location(location) => json!({"type": "location", "location": location_object(location)}),
        HeaderParameter::Medium(source) => medium_parameter(source, known, rendering)?,
        HeaderParameter::Product(product) => product_parameter(product),
    };
    Ok(json!({"type": "header", "parameters": [parameter]}))
}

fn medium_parameter(
    source: &Source,
    known: Option<&ExpectedHeader>,
    rendering: Rendering<'_>,
) -> Result<Value, Failure> {
    let kind = match known {
        Some(ExpectedHeader::Medium(kind)) => kind.as_str(),
        Some(ExpectedHeader::Gif) => "gif",
        _ => rendering.kind(source)?.as_str(),
    };
    Ok(json!({"type": kind, kind: rendering.medium(source)?}))
}

fn product_parameter(product: &Product) -> Value {
    let Product { catalog_id, product_retailer_id } = product;
    json!({"type": "product", "product": {"product_retailer_id": product_retailer_id, "catalog_id": catalog_id}})
}

fn carousel_component(
    cards: &[CardParameters],
    template: Option<&Value>,
    rendering: Rendering<'_>,
) -> Result<Value, Failure> {
    let known = template.and_then(expected_cards).flatten();
    let card = |(index, card): (usize, &CardParameters)| {
        let expected = known.as_ref().and_then(|known| known.card(index)).and_then(expected_header);
        let parameter = match &card.header {
            CardHeader::Medium(source) => medium_parameter(source, expected.as_ref(), rendering)?,
            CardHeader::Product(product) => product_parameter(product),
        };
        let header = json!({"type": "header", "parameters": [parameter]});
        let body = card.body.as_ref().map(body_component);
        let buttons = card.buttons.iter().flatten().map(button_component);
        let components: Vec<Value> = [header].into_iter().chain(body).chain(buttons).collect();
        Ok(json!({"card_index": index, "components": components}))
    };
    let cards = cards.iter().enumerate().map(card).collect::<Result<Vec<Value>, Failure>>()?;
    Ok(json!({"type": "carousel", "cards": cards}))
}

fn offer_component(offer: &OfferParameter) -> Value {
    let offer = json!({"expiration_time_ms": offer.expires_at.millis()});
    let parameter = json!({"type": "limited_time_offer", "limited_time_offer": offer});
    json!({"type": "limited_time_offer", "parameters": [parameter]})
}

fn body_component(values: &BTreeMap<String, String>) -> Value {
    let mut sorted: Vec<_> = values.iter().collect();
    sorted.sort_by_key(|(name, _)| name.parse::<usize>().unwrap_or(0));
    let parameter = |(name, text): (&String, &String)| {
        if ShortParameters::is_position(name) {
            json!({"type": "text", "text": text})
        } else {
            json!({"type": "text", "parameter_name": name, "text": text})
        }
    };
    json!({"type": "body", "parameters": sorted.into_iter().map(parameter).collect::<Vec<_>>()})
}

fn button_component(button: &ButtonParameter) -> Value {
    let kind = button_kind(&button.value);
    let parameters = [button_parameter(&button.value)];
    json!({"type": "button", "sub_type": kind, "index": button.index.to_string(), "parameters": parameters})
}

/// Returns the platform's name of the kind of button that has such a value.
pub(super) fn button_kind(value: &ButtonValue) -> &'static str {
    match value {
        ButtonValue::Payload(_) => "quick_reply",
        ButtonValue::UrlSuffix(_) => "url",
        ButtonValue::CouponCode(_) => "copy_code",
        ButtonValue::FlowToken(_) => "flow",
        ButtonValue::ThumbnailProductRetailerId(_) => "catalog",
        ButtonValue::Products(_) => "mpm",
    }
}

fn button_parameter(value: &ButtonValue) -> Value {
    match value {
        ButtonValue::Payload(payload) => json!({"type": "payload", "payload": payload}),
        ButtonValue::UrlSuffix(suffix) => json!({"type": "text", "text": suffix}),
        ButtonValue::CouponCode(code) => json!({"type": "coupon_code", "coupon_code": code}),
        ButtonValue::FlowToken(token) => json!({"type": "action", "action": {"flow_token": token}}),
        ButtonValue::ThumbnailProductRetailerId(id) => {
            json!({"type": "action", "action": {"thumbnail_product_retailer_id": id}})
        }
        ButtonValue::Products(products) => json!({"type": "action", "action": products_object(products)}),
    }
}

fn products_object(products: &ProductList) -> Value {
    let product = |id: &String| json!({"product_retailer_id": id});
    let sections = products.sections.iter().map(|section| {
        let items: Vec<Value> = section.product_retailer_ids.iter().map(product).collect();
        json!({"title": section.title, "product_items": items})
    });
    let sections: Vec<Value> = sections.collect();
    json!({"thumbnail_product_retailer_id": products.thumbnail_product_retailer_id, "sections": sections})
}
