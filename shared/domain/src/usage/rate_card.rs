//! The prices that an organization pays for chat messages. The platform's notifications name the pricing category of a message and
//! whether it is billable, but no amount.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::tally::Decimal;
use crate::Timestamp;

/// The most prices of a rate card: more than there are countries and categories.
pub const MOST_PRICES: usize = 2000;
/// The country of a price that holds for all countries without one of their own.
pub const EVERYWHERE: &str = "*";

/// The price of a billable chat message of a category in a country.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RateCardPrice)]
pub struct CountryPrice {
    /// The two-letter code of the recipient's country (ISO 3166-1), or `*` for all countries without a price of their own.
    #[schema(pattern = r"^([A-Z]{2}|\*)$", example = "DE")]
    pub country: String,
    /// WhatsApp's pricing category, such as `marketing`.
    #[schema(pattern = "^[a-z_]{1,40}$", example = "marketing")]
    pub category: String,
    /// The price of one message, as a decimal number.
    #[schema(pattern = r"^[0-9]{1,6}(\.[0-9]{1,9})?$", example = "0.1131")]
    pub amount: String,
}

/// The prices of an organization's chat messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateCard {
    /// The ISO 4217 code of the currency.
    #[schema(pattern = "^[A-Z]{3}$", example = "EUR")]
    pub currency: String,
    /// The prices, each of a country and a category.
    #[schema(max_items = 2000)]
    pub prices: Vec<CountryPrice>,
    pub updated_at: Timestamp,
}

impl RateCard {
    /// Returns the price of a billable message; `None` if there is none for the category.
    pub fn price(&self, country: Option<&str>, category: &str) -> Option<Decimal> {
        let of =
            |country: &str| self.prices.iter().find(|price| price.country == country && price.category == category);
        let price = country.and_then(of).or_else(|| of(EVERYWHERE))?;
        price.amount.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_of_a_country_wins_over_the_general_one() {
        let price = |country: &str, category: &str, amount: &str| CountryPrice {
            country: country.to_owned(),
            category: category.to_owned(),
            amount: amount.to_owned(),
        };
        let prices =
            vec![price("*", "marketing", "0.06"), price("DE", "marketing", "0.1131"), price("DE", "utility", "0")];
        let card = RateCard { currency: "EUR".to_owned(), prices, updated_at: Timestamp::from_millis(0) };
        let of = |country, category| card.price(country, category).map(|amount| amount.to_string());
        assert_eq!(of(Some("DE"), "marketing").as_deref(), Some("0.1131"));
        assert_eq!(of(Some("FR"), "marketing").as_deref(), Some("0.06"));
        assert_eq!(of(None, "marketing").as_deref(), Some("0.06"));
        assert_eq!(of(Some("DE"), "utility").as_deref(), Some("0"));
        assert_eq!(of(Some("FR"), "utility"), None);
    }
}
