//! The link between a phone number and the carrier, which an operator makes. Without one, a live number sends and
//! receives nothing.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Open;
use crate::number::country::Country;

/// What a phone number can be used for at the carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Capability {
    Sms,
    Mms,
    Voice,
}

/// Whether a phone number is linked to the carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum CarrierStatus {
    /// The number can neither send nor receive until the operator of the installation links it.
    Unlinked,
    Active,
    /// The number is being unlinked, because it was deleted or the operator unlinked it.
    Releasing,
}

/// The state of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum LinkState {
    /// The number is claimed, but the carrier might not forward received messages yet.
    Linking,
    Active,
    Releasing,
}

/// The link of a phone number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CarrierLink {
    pub state: Open<LinkState>,
    /// The carrier's id of the number.
    pub carrier_id: String,
    pub capabilities: Vec<Open<Capability>>,
    pub country: Country,
    /// The countries to which the number may send.
    pub countries: BTreeSet<Country>,
}

impl CarrierLink {
    /// Returns the link in another state.
    #[must_use]
    pub fn in_state(&self, state: LinkState) -> Self {
        CarrierLink { state: state.into(), ..self.clone() }
    }

    pub fn status(&self) -> CarrierStatus {
        match self.state.known() {
            Some(LinkState::Active) => CarrierStatus::Active,
            Some(LinkState::Releasing) => CarrierStatus::Releasing,
            Some(LinkState::Linking) | None => CarrierStatus::Unlinked,
        }
    }
}
