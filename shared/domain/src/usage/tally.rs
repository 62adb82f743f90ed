//! Numbers by name: what one message or delivery counts for, or a sum of many.

use std::borrow::Cow;
use std::collections::BTreeMap;

pub use rust_decimal::Decimal;

/// The beginning of the names of amounts of money; the currency follows.
const PRICE: &str = "price";

/// Numbers by name. What is not in it is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<Cow<'static, str>, Decimal>);

impl Tally {
    /// Adds an amount to a number.
    pub fn add(&mut self, name: impl Into<Cow<'static, str>>, amount: Decimal) {
        *self.0.entry(name.into()).or_default() += amount;
    }

    /// Adds one to a number.
    pub fn count(&mut self, name: &'static str) {
        self.add(name, Decimal::ONE);
    }

    /// Adds an amount of money.
    pub fn pay(&mut self, currency: &str, amount: Decimal) {
        self.add(format!("{PRICE}{currency}"), amount);
    }

    /// Adds all numbers of another tally.
    pub fn merge(&mut self, other: &Tally) {
        for (name, amount) in &other.0 {
            self.add(name.clone(), *amount);
        }
    }

    /// Returns what has to be added to `before` to get this one.
    #[must_use]
    pub fn since(&self, before: &Tally) -> Tally {
        let mut difference = self.clone();
        for (name, amount) in &before.0 {
            difference.add(name.clone(), -*amount);
        }
        difference.0.retain(|_, amount| !amount.is_zero());
        difference
    }

    pub fn get(&self, name: &str) -> Decimal {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// Returns the currencies with their amounts.
    pub fn prices(&self) -> impl Iterator<Item = (&str, Decimal)> {
        let prices = self.0.iter().filter_map(|(name, amount)| Some((name.strip_prefix(PRICE)?, *amount)));
        prices.filter(|(_, amount)| !amount.is_zero())
    }

    /// Returns all numbers with their names.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, Decimal)> {
        self.0.iter().map(|(name, amount)| (name.as_ref(), *amount))
    }

    pub fn is_zero(&self) -> bool {
        self.0.values().all(Decimal::is_zero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_leads_from_one_tally_to_another() {
        let amount = |text: &str| text.parse::<Decimal>().expect("an amount");
        let mut before = Tally::default();
        before.count("messages");
        before.count("pending");
        before.pay("USD", amount("0.00645"));
        let mut after = Tally::default();
        after.count("messages");
        after.count("accepted");
        after.pay("USD", amount("0.0129"));
        let difference = after.since(&before);
        let numbers: Vec<_> = difference.numbers().map(|(name, amount)| (name, amount.to_string())).collect();
        let expected = [("accepted", "1"), ("pending", "-1"), ("priceUSD", "0.00645")];
        assert_eq!(numbers, expected.map(|(name, amount)| (name, amount.to_owned())));
        let mut sum = before;
        sum.merge(&difference);
        assert!(sum.since(&after).is_zero());
    }
}
