//! The comparison of a message's parameters with the components of its template, as far as they are stored. The
//! failure names the first parameter that differs. Components in the platform's own form are compared in `matching_own`.

use std::collections::{BTreeMap, BTreeSet};

use domain::Failure;
use domain::chat::outgoing::{
    ButtonParameter, CardHeader, CardParameters, HeaderParameter, OfferParameter, Parameters, ShortParameters, Source,
};
use domain::id::MediaId;
use domain::media::MediaKind;
use serde_json::Value;

use super::expected::{
    ExpectedButton, ExpectedHeader, expected_body, expected_buttons, expected_card_body, expected_cards,
    expected_header_parameter, expected_offer,
};
use super::matching_own;
use super::mismatch::{check_button, expect_count, expect_required, mismatch};
use super::template::button_kind;

/// Returns the kind of an uploaded medium, if it is known.
pub type KindOf<'a> = &'a dyn Fn(&MediaId) -> Option<MediaKind>;

/// Compares parameters with the stored components of their template. Components without the text of a body are
/// incomplete, and not compared.
pub(super) fn check(parameters: &Parameters, at: &str, components: &Value, kind_of: KindOf<'_>) -> Result<(), Failure> {
    let Some(body) = expected_body(components) else { return Ok(()) };
    match parameters {
        Parameters::Short(short) => check_short(short, at, components, &body, kind_of),
        Parameters::Components(own) => matching_own::check(own, &format!("{at}.components"), components, &body),
    }
}

fn check_short(
    short: &ShortParameters,
    at: &str,
    components: &Value,
    body: &[String],
    kind_of: KindOf<'_>,
) -> Result<(), Failure> {
    let header = short.header.as_ref().map(GivenHeader::of);
    check_header(header.as_ref(), &format!("{at}.header"), components, kind_of)?;
    check_body(short.body.as_ref(), &format!("{at}.body"), body)?;
    check_offer(short.offer.as_ref(), &format!("{at}.offer"), components)?;
    check_buttons(short.buttons.as_deref(), &format!("{at}.buttons"), &expected_buttons(components))?;
    check_cards(short.cards.as_deref(), &format!("{at}.cards"), components, kind_of)
}

/// The parameter of a header, of a template or of a card.
enum GivenHeader<'a> {
    Text,
    Medium(&'a Source),
    Location,
    Product,
}

impl<'a> GivenHeader<'a> {
    fn of(header: &'a HeaderParameter) -> Self {
        match header {
            HeaderParameter::Text(_) => GivenHeader::Text,
            HeaderParameter::Medium(source) => GivenHeader::Medium(source),
            HeaderParameter::Location(_) => GivenHeader::Location,
            HeaderParameter::Product(_) => GivenHeader::Product,
        }
    }

    fn of_card(header: &'a CardHeader) -> Self {
        match header {
            CardHeader::Medium(source) => GivenHeader::Medium(source),
            CardHeader::Product(_) => GivenHeader::Product,
        }
    }
}

fn check_header(
    given: Option<&GivenHeader<'_>>,
    at: &str,
    components: &Value,
    kind_of: KindOf<'_>,
) -> Result<(), Failure> {
    let Some(expected) = expected_header_parameter(components) else { return Ok(()) };
    let needs =
        |what: &str| Err(mismatch(at, format!("{at} must be {what}, which the header of this template expects.")));
    let kind = match &expected {
        Some(ExpectedHeader::Medium(kind)) => Some(*kind),
        Some(ExpectedHeader::Gif) => Some(MediaKind::Video),
        _ => None,
    };
    match (expected, given) {
        (None, None)
        | (Some(ExpectedHeader::Text(_)), Some(GivenHeader::Text))
        | (Some(ExpectedHeader::Location), Some(GivenHeader::Location))
        | (Some(ExpectedHeader::Product), Some(GivenHeader::Product)) => Ok(()),
        (None, Some(_)) => {
            Err(mismatch(at, format!("{at} is not expected: the header of this template has no parameter. Omit it.")))
        }
        (Some(ExpectedHeader::Medium(_) | ExpectedHeader::Gif), Some(GivenHeader::Medium(source))) => {
            let given = match source {
                Source::MediaId(id) => kind_of(id),
                Source::Url(_) => None,
            };
            match (kind, given) {
                (Some(kind), Some(given)) if given != kind => needs(&format!("a medium of kind {}", kind.as_str())),
                _ => Ok(()),
            }
        }
        (Some(ExpectedHeader::Text(_)), _) => needs("{\"text\": ...}"),
        (Some(ExpectedHeader::Location), _) => needs("{\"location\": ...}"),
        (Some(ExpectedHeader::Product), _) => needs("{\"product\": ...}"),
        (Some(ExpectedHeader::Medium(_) | ExpectedHeader::Gif), _) => {
            let kind = kind.map_or("video", MediaKind::as_str);
            needs(&format!("{{\"mediaId\": ...}} or {{\"url\": ...}} of kind {kind}"))
        }
    }
}

fn check_body(values: Option<&BTreeMap<String, String>>, at: &str, expected: &[String]) -> Result<(), Failure> {
    let given: BTreeSet<&str> = values.into_iter().flat_map(BTreeMap::keys).map(String::as_str).collect();
    if let Some(missing) = expected.iter().find(|name| !given.contains(name.as_str())) {
        let param = format!("{at}.{missing}");
        let message = format!("{param} is missing. The body of this template expects: {}.", expected.join(", "));
        return Err(mismatch(&param, message));
    }
    let Some(extra) = given.into_iter().find(|name| !expected.iter().any(|expected| expected == name)) else {
        return Ok(());
    };
    let param = format!("{at}.{extra}");
    let message = if expected.is_empty() {
        format!("{param} is not expected: the body of this template has no parameters. Omit {at}.")
    } else {
        format!("{param} is not expected. The body of this template expects: {}.", expected.join(", "))
    };
    Err(mismatch(&param, message))
}

fn check_offer(given: Option<&OfferParameter>, at: &str, components: &Value) -> Result<(), Failure> {
    match (expected_offer(components), given) {
        (Some(true), None) => {
            let message = format!("{at} is missing: the offer of this template expires. Send {{\"expiresAt\": ...}}.");
            Err(mismatch(at, message))
        }
        (None, Some(_)) => Err(mismatch(at, format!("{at} is not expected: this template has no offer. Omit it."))),
        _ => Ok(()),
    }
}

fn check_buttons(
    given: Option<&[ButtonParameter]>,
    at: &str,
    expected: &[Option<ExpectedButton>],
) -> Result<(), Failure> {
    let given = given.unwrap_or_default();
    for (position, button) in given.iter().enumerate() {
        let at = format!("{at}[{position}]");
        let (kind, field) = (button_kind(&button.value), button.value.field());
        check_button(button.index, kind, expected, &format!("{at}.index"), &format!("{at}.{field}"))?;
    }
    expect_required(given.iter().map(|button| button.index).collect(), expected, at)
}

fn check_cards(
    given: Option<&[CardParameters]>,
    at: &str,
    components: &Value,
    kind_of: KindOf<'_>,
) -> Result<(), Failure> {
    let Some(expected) = expected_cards(components) else { return Ok(()) };
    let (cards, expected) = match (given, expected) {
        (None, None) => return Ok(()),
        (Some(_), None) => {
            return Err(mismatch(at, format!("{at} is not expected: this template has no cards. Omit it.")));
        }
        (None, Some(_)) => return Err(mismatch(at, format!("{at} is missing: this template is a carousel."))),
        (Some(cards), Some(expected)) => (cards, expected),
    };
    expect_count(cards.len(), expected.count(), at)?;

    for (index, card) in cards.iter().enumerate() {
        let Some(components) = expected.card(index) else { continue };
        let at = format!("{at}[{index}]");
        let header = GivenHeader::of_card(&card.header);
        check_header(Some(&header), &format!("{at}.header"), components, kind_of)?;
        if let Some(body) = expected_card_body(components) {
            check_body(card.body.as_ref(), &format!("{at}.body"), &body)?;
        }
        check_buttons(card.buttons.as_deref(), &format!("{at}.buttons"), &expected_buttons(components))?;
    }
    Ok(())
}
