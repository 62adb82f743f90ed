//! Settings of the carrier's clients.

use aws::Connection;

/// The installation's settings at the carrier.
#[derive(Clone, Debug)]
pub struct CarrierSettings {
    /// The configuration set whose event destination publishes the receipts.
    pub configuration_set: String,
    /// The highest price of a message per part, in US dollars.
    pub max_price: Option<String>,
}

/// Validates the price against the carrier's format, `[0-9]{0,2}\.[0-9]{1,5}`. The carrier would refuse every message
/// with an invalid one.
pub(crate) fn max_price(price: String) -> Result<String, String> {
    let is_number = |text: &str, least: usize, most: usize| {
        (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    match price.split_once('.') {
        Some((dollars, rest)) if is_number(dollars, 0, 2) && is_number(rest, 1, 5) => Ok(price),
        _ => Err(format!(
            "CARRIER_MAX_PRICE is {price}. Allowed: at most two digits, a point, and one to five digits, such as 0.50. Set the \
             stack's SmsMaxPrice."
        )),
    }
}

/// Returns the connection to the carrier from environment variables; `None` if there is none, as on the local stack
/// without `CARRIER_BASE_URL`.
pub(crate) fn connection_to_carrier(
    connection: &Connection,
    optional: impl Fn(&'static str) -> Option<String>,
) -> Option<Connection> {
    let endpoint_url = optional("CARRIER_BASE_URL");
    let is_reachable = endpoint_url.is_some() || connection.endpoint_url.is_none();
    is_reachable.then(|| Connection { endpoint_url, ..connection.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_have_the_carriers_format() {
        for price in ["0.50", ".5", "99.99999", "1.0", "0.00001"] {
            assert_eq!(max_price(price.to_owned()), Ok(price.to_owned()));
        }
        for price in ["", ".", "1", "1.", "100.0", "0.000001", "0,50", "-1.0", " 0.5", "0.5 ", "1.2.3", "٣.5"] {
            assert!(max_price(price.to_owned()).expect_err(price).contains("such as 0.50"), "{price}");
        }
    }
}
