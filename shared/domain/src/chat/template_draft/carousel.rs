//! The cards of a carousel template. All of them have the same components: the format of the header, whether there is a
//! body, and the types of the buttons.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::buttons::{self, Allowed};
use super::fields::Fields;
use super::shapes::Rules;
use super::{sample, texts};
use crate::Failure;

pub const CARDS: RangeInclusive<usize> = 2..=10;
/// The longest body of a card.
pub const CARD_BODY_LENGTH: usize = 160;
pub const CARD_BUTTONS: usize = 2;

const OF_MEDIA: Allowed = Allowed {
    owner: "a card",
    most: CARD_BUTTONS,
    kinds: &[("QUICK_REPLY", CARD_BUTTONS), ("URL", CARD_BUTTONS), ("PHONE_NUMBER", 1)],
};
const OF_PRODUCTS: Allowed = Allowed { owner: "a card with a product", most: 1, kinds: &[("SPM", 1), ("URL", 1)] };
const PRODUCT: &str = "PRODUCT";

/// What the cards of a carousel have in common, with the places of these parts in one of the cards.
struct Card {
    components: String,
    header: Part<&'static str>,
    body: Option<Part<()>>,
    buttons: Option<Part<Vec<&'static str>>>,
}

struct Part<T> {
    at: String,
    value: T,
}

pub(super) fn check(component: &Fields<'_>, rules: Rules) -> Result<(), Failure> {
    rules.expect_marketing(component.at(), "a CAROUSEL")?;
    component.expect_only(&["type", "cards"])?;
    let (cards, param) = (component.required_list("cards")?, component.param("cards"));
    if !CARDS.contains(&cards.len()) {
        let (least, most) = (CARDS.start(), CARDS.end());
        let message = format!("{param} must have {least} to {most} cards. This one has {}.", cards.len());
        return Err(Failure::invalid(&param, message));
    }

    let mut first: Option<Card> = None;
    for (index, card) in cards.iter().enumerate() {
        let card = Card::checked(card, format!("{param}[{index}]"), rules)?;
        match &first {
            None => first = Some(card),
            Some(first) => card.expect_like(first)?,
        }
    }
    Ok(())
}

impl Card {
    fn checked(card: &Value, at: String, rules: Rules) -> Result<Self, Failure> {
        let card = Fields::of(card, at)?;
        card.expect_only(&["components"])?;
        let components = card.param("components");
        let [header, body, buttons] = parts(card.required_list("components")?, &components)?;

        let header = header.ok_or_else(|| lacks(&components, "HEADER", "a card has an image, a video or a product"))?;
        let format = checked_header(&header)?;
        let body = body.map(|body| checked_body(&body, format, rules)).transpose()?;
        let allowed = if format == PRODUCT { &OF_PRODUCTS } else { &OF_MEDIA };
        let buttons = buttons.map(|buttons| checked_buttons(&buttons, rules, allowed)).transpose()?;
        if format == PRODUCT && buttons.is_none() {
            return Err(lacks(&components, "BUTTONS", "a card with a product has one button, SPM or URL"));
        }
        Ok(Card { components, header: Part { at: header.param("format"), value: format }, body, buttons })
    }

    /// Fails if this card has other components than the first one.
    fn expect_like(&self, first: &Card) -> Result<(), Failure> {
        if self.header.value != first.header.value {
            let (at, format) = (&self.header.at, first.header.value);
            let message = format!("{at} must be {format}, as in the first card: all cards have the same components.");
            return Err(Failure::invalid(at, message));
        }
        expect_both(self.body.as_ref(), first.body.as_ref(), &self.components, "BODY")?;
        expect_both(self.buttons.as_ref(), first.buttons.as_ref(), &self.components, "BUTTONS")?;

        let (Some(own), Some(wanted)) = (&self.buttons, &first.buttons) else { return Ok(()) };
        if own.value == wanted.value {
            return Ok(());
        }
        let differs = own.value.iter().zip(&wanted.value).position(|(own, wanted)| own != wanted);
        let at = differs.map_or_else(|| own.at.clone(), |index| format!("{}[{index}].type", own.at));
        let message = format!(
            "{at} differs from the first card, whose buttons are: {}. All cards have buttons of the same types, in the same order.",
            wanted.value.join(", ")
        );
        Err(Failure::invalid(&at, message))
    }
}

/// Returns the header, the body and the buttons of a card.
fn parts<'a>(list: &'a [Value], components: &str) -> Result<[Option<Fields<'a>>; 3], Failure> {
    const KINDS: [&str; 3] = ["HEADER", "BODY", "BUTTONS"];
    let mut found = [None, None, None];
    for (index, part) in list.iter().enumerate() {
        let part = Fields::of(part, format!("{components}[{index}]"))?;
        let kind = part.one_of("type", &KINDS)?;
        let place = KINDS.iter().position(|known| *known == kind).unwrap_or_default();
        if found[place].is_some() {
            let at = part.at();
            return Err(Failure::invalid(at, format!("{at} is a second {kind}. A card may have one of each type.")));
        }
        found[place] = Some(part);
    }
    Ok(found)
}

fn checked_header(header: &Fields<'_>) -> Result<&'static str, Failure> {
    let format = header.one_of("format", &["IMAGE", "VIDEO", PRODUCT])?;
    if format == PRODUCT {
        header.expect_only(&["type", "format"])?;
    } else {
        sample::check_header(header)?;
    }
    Ok(format)
}

fn checked_body(body: &Fields<'_>, format: &str, rules: Rules) -> Result<Part<()>, Failure> {
    if format == PRODUCT {
        let at = body.at();
        let message =
            format!("{at} is not allowed: the text of a card with a product comes from the catalog. Remove it.");
        return Err(Failure::invalid(at, message));
    }
    texts::check_body(body, CARD_BODY_LENGTH, rules.format)?;
    Ok(Part { at: body.at().to_owned(), value: () })
}

fn checked_buttons(buttons: &Fields<'_>, rules: Rules, allowed: &Allowed) -> Result<Part<Vec<&'static str>>, Failure> {
    let value = buttons::checked_kinds(buttons, rules, allowed)?;
    Ok(Part { at: buttons.param("buttons"), value })
}

/// Fails if only one of two cards has a part.
fn expect_both<T>(own: Option<&Part<T>>, first: Option<&Part<T>>, components: &str, kind: &str) -> Result<(), Failure> {
    match (own, first) {
        (None, Some(_)) => {
            Err(lacks(components, kind, "the first card has one, and all cards have the same components"))
        }
        (Some(own), None) => {
            let at = &own.at;
            let message =
                format!("{at} is not allowed: the first card has no {kind}, and all cards have the same components.");
            Err(Failure::invalid(at, message))
        }
        _ => Ok(()),
    }
}

fn lacks(components: &str, kind: &str, why: &str) -> Failure {
    Failure::invalid(components, format!("{components} must have a component of type {kind}: {why}."))
}
