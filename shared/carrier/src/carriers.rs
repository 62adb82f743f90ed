//! Selects the carrier of a mode.

use std::sync::Arc;

use aws::Connection;
use domain::Mode;
use store::Store;

use crate::client::AwsCarrier;
use crate::error::CarrierError;
use crate::port::Carrier;
use crate::settings::{CarrierSettings, connection_to_carrier, max_price};
use crate::simulator::Simulator;

/// The carriers of both modes. The mode of the number, never that of the credential, selects the carrier.
#[derive(Clone)]
pub struct Carriers {
    /// `None` if this installation has no carrier, like the local stack: only test mode can send then.
    live: Option<Arc<AwsCarrier>>,
}

impl Carriers {
    /// Returns the carriers; with `None`, live messages cannot be sent.
    pub fn new(live: Option<AwsCarrier>) -> Self {
        Carriers { live: live.map(Arc::new) }
    }

    /// Returns the carriers from environment variables. Without `CARRIER_CONFIGURATION_SET` there is no live one. Fails
    /// if the carrier does not accept the format of the price, or if the TLS configuration cannot be built.
    pub fn from_environment(
        connection: &Connection,
        optional: impl Fn(&'static str) -> Option<String>,
    ) -> Result<Self, String> {
        let configured = connection_to_carrier(connection, &optional).zip(optional("CARRIER_CONFIGURATION_SET"));
        let Some((connection, configuration_set)) = configured else { return Ok(Self::new(None)) };
        let max_price = optional("CARRIER_MAX_PRICE").map(max_price).transpose()?;
        let settings = CarrierSettings { configuration_set, max_price };
        AwsCarrier::new(&connection, settings).map(|live| Self::new(Some(live)))
    }

    /// Returns the carrier of live numbers; `None` if this installation has none.
    pub fn live(&self) -> Option<&Arc<AwsCarrier>> {
        self.live.as_ref()
    }

    /// Returns the carrier of a mode. The simulated one keeps its state in the store. Fails if this installation has
    /// none.
    pub fn of_mode(&self, mode: Mode, store: &Store) -> Result<Arc<dyn Carrier>, CarrierError> {
        match (mode, &self.live) {
            (Mode::Test, _) => Ok(Arc::new(Simulator::new(store.clone()))),
            (Mode::Live, Some(live)) => Ok(live.clone()),
            (Mode::Live, None) => Err(CarrierError::NotConfigured),
        }
    }
}
