//! Products of the catalog that is connected to the account, as templates show them.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::checks;
use crate::Failure;

/// The longest id of a product or a catalog, in characters.
pub const PRODUCT_ID_LENGTH: usize = 100;
pub const PRODUCT_SECTIONS: RangeInclusive<usize> = 1..=10;
/// The number of products, over all sections.
pub const PRODUCTS: RangeInclusive<usize> = 1..=30;
pub const SECTION_TITLE_LENGTH: usize = 24;

/// A product of a catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Product {
    pub catalog_id: String,
    pub product_retailer_id: String,
}

/// Products in sections, and the one whose picture the message shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductList {
    pub thumbnail_product_retailer_id: String,
    pub sections: Vec<ProductSection>,
}

/// A section of products.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductSection {
    pub title: String,
    pub product_retailer_ids: Vec<String>,
}

/// Validates the id of a product.
pub(super) fn check_id(id: &str, param: &str) -> Result<(), Failure> {
    checks::token(id, param, PRODUCT_ID_LENGTH)
}

impl Product {
    pub(super) fn check(&self, at: &str) -> Result<(), Failure> {
        check_id(&self.catalog_id, &format!("{at}.catalogId"))?;
        check_id(&self.product_retailer_id, &format!("{at}.productRetailerId"))
    }
}

impl ProductList {
    pub(super) fn check(&self, at: &str) -> Result<(), Failure> {
        check_id(&self.thumbnail_product_retailer_id, &format!("{at}.thumbnailProductRetailerId"))?;
        let at = format!("{at}.sections");
        checks::count(self.sections.len(), &at, &PRODUCT_SECTIONS)?;
        for (index, section) in self.sections.iter().enumerate() {
            section.check(&format!("{at}[{index}]"))?;
        }

        let products = self.sections.iter().map(|section| section.product_retailer_ids.len()).sum();
        if PRODUCTS.contains(&products) {
            return Ok(());
        }
        let message = format!("{at} may have at most {} products in total. These have {products}.", PRODUCTS.end());
        Err(Failure::invalid(&at, message))
    }
}

impl ProductSection {
    fn check(&self, at: &str) -> Result<(), Failure> {
        checks::line(&self.title, &format!("{at}.title"), SECTION_TITLE_LENGTH)?;
        let at = format!("{at}.productRetailerIds");
        checks::count(self.product_retailer_ids.len(), &at, &PRODUCTS)?;
        let mut ids = self.product_retailer_ids.iter().enumerate();
        ids.try_for_each(|(index, id)| check_id(id, &format!("{at}[{index}]")))
    }
}
