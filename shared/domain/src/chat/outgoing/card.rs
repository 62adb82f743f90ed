//! The parameters of a carousel's cards.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::products::Product;
use super::reference::{MediaUse, Source};
use super::template_values::{ButtonParameter, check_body, check_buttons};
use crate::Failure;
use crate::media::MediaKind;

pub const CARDS: RangeInclusive<usize> = 2..=10;
/// The longest value of a parameter of a card's body: that of the whole body.
pub const CARD_VALUE_LENGTH: usize = 160;
pub const CARD_BUTTONS: RangeInclusive<usize> = 1..=2;
/// The highest position of a card's button, from 0.
const LAST_CARD_BUTTON: i64 = 1;
const HEADER_KINDS: &[MediaKind] = &[MediaKind::Image, MediaKind::Video];

/// The parameters of a card.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CardParameters {
    pub header: CardHeader,
    pub body: Option<BTreeMap<String, String>>,
    pub buttons: Option<Vec<ButtonParameter>>,
}

/// The parameter of a card's header. Every card has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CardHeader {
    Medium(Source),
    Product(Product),
}

impl CardParameters {
    pub(super) fn check(&self, at: &str) -> Result<(), Failure> {
        if let CardHeader::Product(product) = &self.header {
            product.check(&format!("{at}.header.product"))?;
        }
        if let Some(body) = &self.body {
            check_body(body, &format!("{at}.body"), CARD_VALUE_LENGTH)?;
        }
        match &self.buttons {
            Some(buttons) => check_buttons(buttons, &format!("{at}.buttons"), &CARD_BUTTONS, LAST_CARD_BUTTON),
            None => Ok(()),
        }
    }

    pub(super) fn media_use(&self, at: &str) -> Option<MediaUse> {
        match &self.header {
            CardHeader::Medium(source) => source.media_use(&format!("{at}.header"), HEADER_KINDS),
            CardHeader::Product(_) => None,
        }
    }
}
