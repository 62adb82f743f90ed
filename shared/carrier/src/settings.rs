//! Settings of the carrier's clients.

use aws::Connection;

/// The installation's settings at the carrier.
#[derive(Clone, Debug)]
pub struct CarrierSettings {
    /// The configuration set whose event destination publishes the receipts.
    pub configuration_set: String,
    /// The most that a message may cost per part, in US dollars.
    pub max_price: Option<String>,
}

/// Returns the connection to the carrier as environment variables describe it; `None` if there is none, as on the local
/// stack without `CARRIER_BASE_URL`.
pub(crate) fn connection_to_carrier(
    connection: &Connection,
    optional: impl Fn(&'static str) -> Option<String>,
) -> Option<Connection> {
    let endpoint_url = optional("CARRIER_BASE_URL");
    let is_reachable = endpoint_url.is_some() || connection.endpoint_url.is_none();
    is_reachable.then(|| Connection { endpoint_url, ..connection.clone() })
}
