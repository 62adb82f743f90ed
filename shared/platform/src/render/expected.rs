//! The parameters that a template expects, derived from its stored components. Types occur in either letter case. The
//! components of a card are read like those of a template.

use domain::media::MediaKind;
use serde_json::Value;

/// The parameter that a header expects.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExpectedHeader {
    /// The variables of the text, none or one.
    Text(Vec<String>),
    Medium(MediaKind),
    /// A video that is shown as a moving picture.
    Gif,
    Location,
    Product,
}

/// A button of a template: the platform's name of the kind in a message, and whether it must have a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ExpectedButton {
    pub(super) kind: &'static str,
    pub(super) is_required: bool,
}

/// The cards of a carousel.
pub(super) struct ExpectedCards<'a> {
    /// The components of each card.
    cards: Vec<&'a Value>,
}

/// Returns the parameter of the header; `None` if there is no header, or if its format is unknown.
pub(super) fn expected_header(components: &Value) -> Option<ExpectedHeader> {
    let header = component(components, "HEADER")?;
    match upper(&header["format"]).as_str() {
        "TEXT" => Some(ExpectedHeader::Text(variables(header["text"].as_str()?))),
        "IMAGE" => Some(ExpectedHeader::Medium(MediaKind::Image)),
        "VIDEO" => Some(ExpectedHeader::Medium(MediaKind::Video)),
        "GIF" => Some(ExpectedHeader::Gif),
        "DOCUMENT" => Some(ExpectedHeader::Medium(MediaKind::Document)),
        "LOCATION" => Some(ExpectedHeader::Location),
        "PRODUCT" => Some(ExpectedHeader::Product),
        _ => None,
    }
}

/// Returns the parameter that the header expects, `Some(None)` if it expects none; `None` if its format is not known
/// here.
pub(super) fn expected_header_parameter(components: &Value) -> Option<Option<ExpectedHeader>> {
    match expected_header(components) {
        None if component(components, "HEADER").is_some() => None,
        Some(ExpectedHeader::Text(variables)) if variables.is_empty() => Some(None),
        expected => Some(expected),
    }
}

/// Returns the variables of the body; `None` if the text of the body is not known.
pub(super) fn expected_body(components: &Value) -> Option<Vec<String>> {
    component(components, "BODY")?["text"].as_str().map(variables)
}

/// Returns the variables of a card's body, which not every card has; `None` if the text of the body is not known.
pub(super) fn expected_card_body(components: &Value) -> Option<Vec<String>> {
    if component(components, "BODY").is_none() { Some(Vec::new()) } else { expected_body(components) }
}

/// Returns the buttons in their order.
pub(super) fn expected_buttons(components: &Value) -> Vec<Option<ExpectedButton>> {
    let buttons = component(components, "BUTTONS").and_then(|buttons| buttons["buttons"].as_array());
    buttons.into_iter().flatten().map(expected_button).collect()
}

/// Returns the parameter of a button; `None` if its kind is unknown.
fn expected_button(button: &Value) -> Option<ExpectedButton> {
    let has_variable = button["url"].as_str().is_some_and(|url| !variables(url).is_empty());
    let (kind, is_required) = match upper(&button["type"]).as_str() {
        "QUICK_REPLY" => ("quick_reply", false),
        "URL" => ("url", has_variable),
        "OTP" => ("url", true),
        "COPY_CODE" => ("copy_code", true),
        "FLOW" => ("flow", false),
        "CATALOG" => ("catalog", false),
        "MPM" => ("mpm", true),
        "SPM" => ("spm", false),
        "PHONE_NUMBER" => ("phone", false),
        "VOICE_CALL" => ("voice_call", false),
        _ => return None,
    };
    Some(ExpectedButton { kind, is_required })
}

/// Returns the cards of the template, `Some(None)` if it is no carousel; `None` if they are not known.
pub(super) fn expected_cards(components: &Value) -> Option<Option<ExpectedCards<'_>>> {
    let Some(carousel) = component(components, "CAROUSEL") else { return Some(None) };
    let cards: Vec<&Value> = carousel["cards"].as_array()?.iter().map(|card| &card["components"]).collect();
    if cards.is_empty() { None } else { Some(Some(ExpectedCards { cards })) }
}

impl<'a> ExpectedCards<'a> {
    /// Returns the number of cards in a message; `None` if it may differ from that of the template. A template with cards of
    /// products says only what all cards look like.
    pub(super) fn count(&self) -> Option<usize> {
        let has_products = self.cards.iter().any(|card| expected_header(card) == Some(ExpectedHeader::Product));
        (!has_products).then_some(self.cards.len())
    }

    /// Returns the components of the card at this position, from 0. Further cards are like the last one.
    pub(super) fn card(&self, index: usize) -> Option<&'a Value> {
        self.cards.get(index).or_else(|| self.cards.last()).copied()
    }
}

/// Returns whether the template has an offer; if so, whether it expires.
pub(super) fn expected_offer(components: &Value) -> Option<bool> {
    let offer = component(components, "LIMITED_TIME_OFFER")?;
    Some(offer["limited_time_offer"]["has_expiration"] == true)
}

fn component<'a>(components: &'a Value, kind: &str) -> Option<&'a Value> {
    components.as_array()?.iter().find(|component| upper(&component["type"]) == kind)
}

fn upper(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_ascii_uppercase()
}

/// Returns the names in `{{name}}`, each once, in the order of their first use.
fn variables(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split("{{").skip(1) {
        let Some((name, _)) = part.split_once("}}") else { continue };
        let name = name.trim().to_owned();
        if !name.is_empty() && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}
