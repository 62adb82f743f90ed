use std::collections::BTreeMap;

use api::{Admin, Answer, Claim, Deferred, Input, Json, Rejection};
use axum::extract::State;
use domain::number::country::Country;
use domain::usage::rate_card::{EVERYWHERE, MOST_PRICES};
use domain::usage::{CountryPrice, Decimal, RateCard};
use domain::{Failure, Timestamp};
use runtime::Context;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The longest name of a pricing category, in characters.
const LONGEST_CATEGORY: usize = 40;
/// The digits of a price before and after the point.
const WHOLE_DIGITS: usize = 6;
const DECIMALS: usize = 9;

/// What an organization pays for billable chat messages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RateCard)]
pub(crate) struct RateCardView {
    /// The ISO 4217 code of the currency; `null` until there is a rate card.
    #[schema(required, pattern = "^[A-Z]{3}$", example = "EUR")]
    currency: Option<String>,
    /// The prices, each of a country and a category.
    #[schema(max_items = 2000)]
    prices: Vec<CountryPrice>,
    /// When the rate card was replaced; `null` until there is one.
    #[schema(required)]
    updated_at: Option<Timestamp>,
}

impl From<Option<RateCard>> for RateCardView {
    fn from(card: Option<RateCard>) -> Self {
        match card {
            Some(card) => {
                RateCardView { currency: Some(card.currency), prices: card.prices, updated_at: Some(card.updated_at) }
            }
            None => RateCardView { currency: None, prices: Vec::new(), updated_at: None },
        }
    }
}

/// The prices of billable chat messages.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetRateCard {
    /// The ISO 4217 code of the currency in which WhatsApp bills the organization.
    #[schema(pattern = "^[A-Z]{3}$", example = "EUR")]
    currency: String,
    /// A price for each country and category; none removes all.
    #[schema(max_items = 2000)]
    prices: Vec<CountryPrice>,
}

/// A validated rate card, which lacks only its time.
pub(crate) struct NewRateCard {
    pub(super) currency: String,
    pub(super) prices: Vec<CountryPrice>,
}

impl Input for SetRateCard {
    const REQUIRED: &'static [&'static str] = &["currency", "prices"];
    type Checked = NewRateCard;

    fn check(self, _context: &Context) -> Result<NewRateCard, Failure> {
        let is_currency = self.currency.len() == 3 && self.currency.bytes().all(|byte| byte.is_ascii_uppercase());
        if !is_currency {
            return Err(Failure::invalid("currency", "currency must be an ISO 4217 code, such as EUR."));
        }
        if self.prices.len() > MOST_PRICES {
            return Err(Failure::invalid("prices", format!("prices must have at most {MOST_PRICES} entries.")));
        }
        Ok(NewRateCard { currency: self.currency, prices: without_repetitions(self.prices)? })
    }
}

/// A price may be repeated, but a country cannot have two for a category.
fn without_repetitions(prices: Vec<CountryPrice>) -> Result<Vec<CountryPrice>, Failure> {
    let mut known = BTreeMap::new();
    let mut kept = Vec::with_capacity(prices.len());
    for (place, price) in prices.into_iter().enumerate() {
        check_price(place, &price)?;
        let CountryPrice { country, category, amount } = &price;
        match known.insert((country.clone(), category.clone()), amount.clone()) {
            None => kept.push(price),
            Some(before) if before == *amount => {}
            Some(before) => {
                let param = format!("prices[{place}].amount");
                let message =
                    format!("{param} is a second price of {category} in {country}, after {before}. Remove one.");
                return Err(Failure::invalid(&param, message));
            }
        }
    }
    Ok(kept)
}

fn check_price(place: usize, price: &CountryPrice) -> Result<(), Failure> {
    let invalid = |field: &str, rule: &str| {
        let param = format!("prices[{place}].{field}");
        Err(Failure::invalid(&param, format!("{param} must be {rule}.")))
    };
    if price.country != EVERYWHERE && price.country.parse::<Country>().is_err() {
        return invalid("country", "a two-letter country code in capitals, such as DE, or * for all other countries");
    }
    let is_category = (1..=LONGEST_CATEGORY).contains(&price.category.len())
        && price.category.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if !is_category {
        return invalid("category", "a pricing category of WhatsApp, such as marketing, utility or authentication");
    }
    if !is_amount(&price.amount) {
        return invalid(
            "amount",
            "a decimal number with up to 6 digits before the point and 9 after it, such as 0.1131",
        );
    }
    Ok(())
}

fn is_amount(text: &str) -> bool {
    let (whole, decimals) = text.split_once('.').map_or((text, None), |(whole, decimals)| (whole, Some(decimals)));
    let has = |digits: &str, most: usize| {
        (1..=most).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    has(whole, WHOLE_DIGITS)
        && decimals.is_none_or(|decimals| has(decimals, DECIMALS))
        && text.parse::<Decimal>().is_ok()
}

/// Get the rate card
///
/// Returns the prices by which usage estimates what chat messages cost.
#[utoipa::path(get, path = "/v1/organization/rate-card", operation_id = "organization.rateCard.get", tag = "Usage",
    security(("adminKey" = [])), responses((status = 200, description = "The rate card", body = RateCardView)))]
pub(crate) async fn get_rate_card(claim: Claim<Admin>) -> Result<Answer<RateCardView>, Rejection> {
    let (_, card) = claim.with(Deferred::nothing(), |reads, ()| async move { reads.rate_card().await }).await?;
    Ok(Answer::ok(card.into()))
}

/// Set the rate card
///
/// Replaces the prices of billable chat messages. WhatsApp reports the category of a message and whether it is billable, but no
/// amount; with a rate card, usage shows an estimated `price`. It also applies to messages of the past. Requires a live admin key.
#[utoipa::path(put, path = "/v1/organization/rate-card", operation_id = "organization.rateCard.update", tag = "Usage",
    security(("adminKey" = [])), request_body = SetRateCard,
    responses((status = 200, description = "The rate card", body = RateCardView),
        (status = 403, description = "A test admin key cannot set the rate card")))]
pub(crate) async fn set_rate_card(
    State(context): State<Context>,
    claim: Claim<Admin>,
    body: Deferred<Json<SetRateCard>>,
) -> Result<Answer<RateCardView>, Rejection> {
    let read = claim.with(body, |reads, body| async move { Ok((reads.rate_card().await, body.input)) });
    let (caller, (before, sent)) = read.await?;
    Ok(Answer::ok(Some(super::set(&context, &caller, before?, sent).await?).into()))
}
